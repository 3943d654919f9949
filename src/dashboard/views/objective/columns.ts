/** The runs of an objective as columns of numbers, in order of their numbers. Needs no browser. */
import type { History } from '../../../../clients/typescript/src/index.ts';

/** Everything that is not one entry per run. */
export type Head = Omit<
  History,
  | 'iterations'
  | 'inverseIds'
  | 'statuses'
  | 'loadedAt'
  | 'computeTimes'
  | 'failureReasons'
  | 'repeatOf'
  | 'excluded'
  | 'corrected'
  | 'inputs'
  | 'outputs'
>;

const STATUSES: readonly History['statuses'][number][] = ['active', 'converged', 'max_iterations', 'stopped', 'failed'];
const [ACTIVE, CONVERGED, , STOPPED, FAILED] = STATUSES.keys();

/** The index that columns store for a status. */
export function statusNumber(status: History['statuses'][number]): number {
  return STATUSES.indexOf(status);
}

/** Every array has one entry per run; NaN marks a missing value. */
export interface Columns {
  readonly count: number;
  readonly iterations: Int32Array;
  readonly inverseIds: Float64Array;
  /** Index into the statuses of the service; see stateOf. */
  readonly statuses: Uint8Array;
  /** Milliseconds since 1970. */
  readonly loadedAt: Float64Array;
  /** Seconds. */
  readonly computeTimes: Float64Array;
  readonly excluded: Uint8Array;
  readonly corrected: Uint8Array;
  /** By the number of the run. */
  readonly failureReasons: ReadonlyMap<number, string>;
  /** By the number of a run that repeats an input: the inverse that ran it first; null if that is not of this objective. */
  readonly repeatOf: ReadonlyMap<number, number | null>;
  /** One column per input; all NaN while the input is being computed. */
  readonly inputs: readonly Float64Array[];
  /** One column per output; all NaN without an output. */
  readonly outputs: readonly Float64Array[];
}

/** True if the run failed or no input could be computed. */
export function hasFailed({ statuses }: Pick<Columns, 'statuses'>, row: number): boolean {
  return statuses[row] === FAILED;
}

/** The state of a run. */
export type RunState = 'computing' | 'waiting' | 'loaded' | 'met' | 'failed' | 'given up' | 'summary';

/** @param row  from 0 to count - 1 */
export function stateOf({ statuses, inputs, outputs, loadedAt }: Columns, row: number): RunState {
  const status = statuses[row];
  if (status === FAILED) return 'failed';
  if (!Number.isNaN(outputs[0]![row]!)) {
    // The last entry of an objective may summarize earlier runs at its input: no output was loaded for it.
    if (status === STOPPED && Number.isNaN(loadedAt[row]!)) return 'summary';
    return status === CONVERGED ? 'met' : 'loaded';
  }
  if (status !== ACTIVE) return 'given up';
  return Number.isNaN(inputs[0]![row]!) ? 'computing' : 'waiting';
}

/** The input or output in a row; undefined if there is none. */
export function vectorAt(columns: readonly Float64Array[], row: number): readonly number[] | undefined {
  const vector = columns.map((column) => column[row]!);
  return Number.isNaN(vector[0]) ? undefined : vector;
}

/** Row of the first run with this number or a higher one; `count` if there is none. */
export function rowFrom({ iterations, count }: Pick<Columns, 'iterations' | 'count'>, iteration: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (iterations[middle]! < iteration) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Row of the run with this number; -1 if it is not here. */
export function rowOf(columns: Pick<Columns, 'iterations' | 'count'>, iteration: number): number {
  const row = rowFrom(columns, iteration);
  return columns.iterations[row] === iteration && row < columns.count ? row : -1;
}

type Column = Int32Array | Float64Array | Uint8Array;

/** The column with another length. Reuses the array if it has room, so that appending a row copies nothing. */
function withLength<C extends Column>(column: C, count: number): C {
  const Type = column.constructor as new (source: ArrayBufferLike | number, offset?: number, length?: number) => C;
  if (column.buffer.byteLength >= count * column.BYTES_PER_ELEMENT) return new Type(column.buffer, 0, count);
  const grown = new Type(Math.ceil(count * 1.5));
  grown.set(column as never);
  return new Type(grown.buffer, 0, count);
}

/** Columns without rows. */
export function emptyColumns(inputCount: number, outputCount: number): Columns {
  const numbers = (count: number) => Array.from({ length: count }, () => new Float64Array(0));
  return {
    count: 0,
    iterations: new Int32Array(0),
    inverseIds: new Float64Array(0),
    statuses: new Uint8Array(0),
    loadedAt: new Float64Array(0),
    computeTimes: new Float64Array(0),
    excluded: new Uint8Array(0),
    corrected: new Uint8Array(0),
    failureReasons: new Map(),
    repeatOf: new Map(),
    inputs: numbers(inputCount),
    outputs: numbers(outputCount),
  };
}

/** The first rows of `columns`, then those of the answer. Overwrites what `columns` had behind them. Cost O(rows of the answer). */
export function replaceRows(columns: Columns, keep: number, answer: History): Columns {
  const count = keep + answer.iterations.length;
  const longer = <C extends Column>(column: C) => withLength(column, count);
  const merged = <T>(known: ReadonlyMap<number, T>, found: Readonly<Record<string, T>>): ReadonlyMap<number, T> => {
    const next = new Map(known);
    for (let row = keep; row < columns.count; row++) next.delete(columns.iterations[row]!);
    for (const [iteration, value] of Object.entries(found)) next.set(Number(iteration), value);
    return next;
  };
  const next: Columns = {
    count,
    iterations: longer(columns.iterations),
    inverseIds: longer(columns.inverseIds),
    statuses: longer(columns.statuses),
    loadedAt: longer(columns.loadedAt),
    computeTimes: longer(columns.computeTimes),
    excluded: longer(columns.excluded),
    corrected: longer(columns.corrected),
    failureReasons: merged(columns.failureReasons, answer.failureReasons),
    repeatOf: merged(columns.repeatOf, answer.repeatOf),
    inputs: columns.inputs.map(longer),
    outputs: columns.outputs.map(longer),
  };
  const excluded = new Set(answer.excluded);
  const corrected = new Set(answer.corrected);
  answer.iterations.forEach((iteration, i) => {
    const row = keep + i;
    next.iterations[row] = iteration;
    next.inverseIds[row] = answer.inverseIds[i]!;
    next.statuses[row] = statusNumber(answer.statuses[i]!);
    next.loadedAt[row] = Date.parse(answer.loadedAt[i] ?? '');
    next.computeTimes[row] = answer.computeTimes[i]! / 1e9;
    next.excluded[row] = Number(excluded.has(iteration));
    next.corrected[row] = Number(corrected.has(iteration));
    setVector(next.inputs, row, answer.inputs[i]!);
    setVector(next.outputs, row, answer.outputs[i]!);
  });
  return next;
}

function setVector(columns: readonly Float64Array[], row: number, vector: readonly number[] | null): void {
  for (let i = 0; i < columns.length; i++) columns[i]![row] = vector === null ? Number.NaN : vector[i]!;
}

/** Puts rows in that a thinned history left out. Cost O(all numbers). */
export function insertRows(columns: Columns, answer: History): Columns {
  const missing = answer.iterations.flatMap((iteration, i) => (rowOf(columns, iteration) < 0 ? [i] : []));
  if (missing.length === 0) return columns;
  const pick = <T>(list: readonly T[]) => missing.map((i) => list[i]!);
  const appended = replaceRows(columns, columns.count, {
    ...answer,
    iterations: pick(answer.iterations),
    inverseIds: pick(answer.inverseIds),
    statuses: pick(answer.statuses),
    loadedAt: pick(answer.loadedAt),
    computeTimes: pick(answer.computeTimes),
    inputs: pick(answer.inputs),
    outputs: pick(answer.outputs),
  });
  const { iterations } = appended;
  const order = Array.from(iterations.keys()).sort((a, b) => iterations[a]! - iterations[b]!);
  const inOrder = <C extends Column>(column: C): C => {
    const Type = column.constructor as new (length: number) => C;
    const sorted = new Type(column.length);
    order.forEach((from, to) => {
      sorted[to] = column[from]!;
    });
    return sorted;
  };
  return {
    count: appended.count,
    failureReasons: appended.failureReasons,
    repeatOf: appended.repeatOf,
    iterations: inOrder(iterations),
    inverseIds: inOrder(appended.inverseIds),
    statuses: inOrder(appended.statuses),
    loadedAt: inOrder(appended.loadedAt),
    computeTimes: inOrder(appended.computeTimes),
    excluded: inOrder(appended.excluded),
    corrected: inOrder(appended.corrected),
    inputs: appended.inputs.map(inOrder),
    outputs: appended.outputs.map(inOrder),
  };
}

/** The name of the run that a run repeats; undefined if it repeats none. */
export function repeatText({ repeatOf, inverseIds, iterations }: Columns, iteration: number): string | undefined {
  const first = repeatOf.get(iteration);
  if (first === undefined) return undefined;
  const row = first === null ? -1 : inverseIds.indexOf(first);
  return row < 0 ? 'an earlier run' : `run ${iterations[row]}`;
}
