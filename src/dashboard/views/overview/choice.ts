/** The state of the overview, as in the query of its address: it survives a reload and can be shared. */
import { type ObjectiveGlance, StopReason } from '../../../../clients/typescript/src/index.ts';
import { counted, grouped, short, wanted, withUnit } from '../../parts/formats.ts';

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

/** How many objectives are shown, and of how many in all, where that is known. */
export function countText(count: number, total: number | undefined, { find, state }: Choice): string {
  const kind = state === undefined ? '' : `${STATES[state].label.toLowerCase()} `;
  const noun = (total ?? count) === 1 ? 'objective' : 'objectives';
  if (find.trim() !== '') return `${count === 0 ? 'No' : count} ${kind}${noun} found for “${find.trim()}”.`;
  if (total !== undefined && total > count) return `${count} of ${grouped(total)} ${kind}${noun}`;
  return `${count === 0 ? 'No' : count} ${kind}${noun}`;
}

/** A summary of the targets: the first outputs and the number of others. */
export function targetsText({
  targets,
  outputCount,
  limitCount = outputCount,
}: Pick<ObjectiveGlance, 'targets' | 'outputCount'> & Partial<Pick<ObjectiveGlance, 'limitCount'>>): string {
  const limits = targets.filter(({ objectiveType }) => objectiveType !== 'fit');
  const fitted = outputCount - limitCount;
  const texts = [...(fitted > 0 ? [`${counted(fitted, 'output')} fitted to data`] : []), ...limits.map(targetText)];
  const more = limitCount - limits.length;
  return [...texts, ...(more > 0 ? [`${grouped(more)} more`] : [])].join(', ');
}

function targetText({ name, unit, objective, objectiveType, ...interval }: ObjectiveGlance['targets'][number]): string {
  if (objective === null) return `${objectiveType} ${name}`;
  const range = objectiveType === 'exact' ? short(objective) : wanted(interval);
  return `${name} ${withUnit(range, unit)}`;
}
