/** What the overview shows, as the query of its address says it: the choice survives a reload and can be sent to others. */
import { type ObjectiveGlance, StopReason } from '../../../../clients/typescript/src/index.ts';

export const STATES = {
  running: { stopReason: StopReason.RUNNING, label: 'Running' },
  satisfied: { stopReason: StopReason.SATISFIED, label: 'Satisfied' },
  stopped: { stopReason: StopReason.STOPPED, label: 'Stopped' },
  exhausted: { stopReason: StopReason.EXHAUSTED, label: 'Exhausted' },
} as const;

export type State = keyof typeof STATES;

export interface Choice {
  /** undefined: all. */
  readonly state: State | undefined;
  /** Words that the service looks for in the names and numbers. */
  readonly find: string;
  /** Only objectives older than this one. */
  readonly after: number | undefined;
}

export function readChoice(query: URLSearchParams): Choice {
  const state = query.get('state') ?? '';
  const after = Number(query.get('after') ?? Number.NaN);
  return {
    state: Object.hasOwn(STATES, state) ? (state as State) : undefined,
    find: query.get('find') ?? '',
    after: Number.isSafeInteger(after) && after > 0 ? after : undefined,
  };
}

/** The address of the overview with this choice. */
export function addressOf({ state, find, after }: Choice): string {
  const query = new URLSearchParams();
  if (state !== undefined) query.set('state', state);
  if (find !== '') query.set('find', find);
  if (after !== undefined) query.set('after', String(after));
  return query.size === 0 ? '/page' : `/page?${query}`;
}

export function stateOf({ stopReason }: Pick<ObjectiveGlance, 'stopReason'>): State {
  return (Object.keys(STATES) as State[]).find((state) => STATES[state].stopReason === stopReason)!;
}

type Names = Pick<ObjectiveGlance, 'modelName' | 'projectName' | 'trialNumber' | 'number'>;

/** Trial and objective, as they are numbered. */
export function numbersOf({ trialNumber, number }: Names): string {
  return `trial ${trialNumber}, objective ${number}`;
}
