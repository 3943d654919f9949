/** The state of the overview, as in the query of its address: it survives a reload and can be shared. */
import { type ObjectiveGlance, StopReason } from '../../../../clients/typescript/src/index.ts';
import { counted, grouped, short, wanted, withUnit } from '../../../presentation/formats.ts';

export const STATES = {
  running: { stopReason: StopReason.RUNNING, label: 'Running' },
  satisfied: { stopReason: StopReason.SATISFIED, label: 'Satisfied' },
  stopped: { stopReason: StopReason.STOPPED, label: 'Stopped' },
  exhausted: { stopReason: StopReason.EXHAUSTED, label: 'Exhausted' },
} as const;

export type State = keyof typeof STATES;

/** Archived objectives are listed alone, and not among the others. */
export const ARCHIVED = 'archived';

/** Columns by which the list can be sorted, with the direction of the first press. */
const SORTS = {
  created: 'descending',
  name: 'ascending',
  project: 'ascending',
  state: 'ascending',
  runs: 'descending',
  changed: 'descending',
} as const;
export type Sort = keyof typeof SORTS;
type Direction = (typeof SORTS)[Sort];

export interface Choice {
  /** undefined: all that are not archived. */
  readonly state: State | typeof ARCHIVED | undefined;
  /** Words that the service looks for in the names and numbers. */
  readonly find: string;
  readonly sort: Sort;
  readonly direction: Direction;
  /** Whether those of a project come together. */
  readonly isGrouped: boolean;
  /** Only objectives that follow this one. */
  readonly after: number | undefined;
}

const OPPOSITE = { ascending: 'descending', descending: 'ascending' } as const;

export function readChoice(query: URLSearchParams): Choice {
  const state = query.get('state') ?? '';
  const after = Number(query.get('after') ?? Number.NaN);
  const [by, turn] = (query.get('sort') ?? '').split(' ') as [string, string | undefined];
  const sort = Object.hasOwn(SORTS, by) ? (by as Sort) : 'created';
  const isReversed = turn === 'reversed';
  return {
    state: state === ARCHIVED || Object.hasOwn(STATES, state) ? (state as State) : undefined,
    find: query.get('find') ?? '',
    sort,
    direction: isReversed ? OPPOSITE[SORTS[sort]] : SORTS[sort],
    isGrouped: query.get('grouped') !== 'no',
    after: Number.isSafeInteger(after) && after > 0 ? after : undefined,
  };
}

/** The address of the overview with this choice. */
export function addressOf({ state, find, sort, direction, isGrouped, after }: Choice): string {
  const query = new URLSearchParams();
  if (state !== undefined) query.set('state', state);
  if (find !== '') query.set('find', find);
  const isReversed = direction !== SORTS[sort];
  if (sort !== 'created' || isReversed) query.set('sort', isReversed ? `${sort} reversed` : sort);
  if (!isGrouped) query.set('grouped', 'no');
  if (after !== undefined) query.set('after', String(after));
  return query.size === 0 ? '/page' : `/page?${query}`;
}

/** The order after a press on the title of a column. */
export function sortedBy({ sort, direction }: Choice, by: Sort): Pick<Choice, 'sort' | 'direction'> {
  return { sort: by, direction: sort === by ? OPPOSITE[direction] : SORTS[by] };
}

export function stateOf({ stopReason }: Pick<ObjectiveGlance, 'stopReason'>): State {
  return (Object.keys(STATES) as State[]).find((state) => STATES[state].stopReason === stopReason)!;
}

type Names = Pick<ObjectiveGlance, 'modelName' | 'projectName' | 'trialNumber' | 'number'>;

/** The label, or the numbers of an objective without one. */
export function nameOf(glance: Names & Pick<ObjectiveGlance, 'label'>): string {
  return glance.label ?? numbersOf(glance);
}

/** Trial and objective, as they are numbered. */
export function numbersOf({ trialNumber, number }: Names): string {
  return `trial ${trialNumber}, objective ${number}`;
}

/** The text shown until there is an answer. */
export function waitText({ find }: Choice): string {
  return find === '' ? 'Loading…' : 'Searching…';
}

/** Says how many objectives are shown, and of how many in all. */
export function countText(count: number, total: number, { find, state }: Choice): string {
  const kind = state === undefined ? '' : `${labelOf(state).toLowerCase()} `;
  const noun = total === 1 ? 'objective' : 'objectives';
  const all = total === 0 ? 'No' : grouped(total);
  const shown = total > count ? `${count} of ${all}` : all;
  return find.trim() === '' ? `${shown} ${kind}${noun}` : `${shown} ${kind}${noun} found for “${find.trim()}”.`;
}

export function labelOf(state: State | typeof ARCHIVED): string {
  return state === ARCHIVED ? 'Archived' : STATES[state].label;
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
