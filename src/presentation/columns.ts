/** The runs of an objective as columns of numbers, in order of their numbers. Needs no browser. */
import { RUN_COLUMNS } from '../../clients/typescript/src/generated/run-columns.ts';
import type { History, TrialRun } from '../../clients/typescript/src/index.ts';

type ColumnName = keyof typeof RUN_COLUMNS;
type NamesOf<As extends string> = {
  [Name in ColumnName]: (typeof RUN_COLUMNS)[Name]['as'] extends As ? Name : never;
}[ColumnName];
/** Values of a few runs, by the id of the run. */
type FactName = NamesOf<'byIteration'>;
/** Whether something is true of a run. */
type FlagName = NamesOf<'iterations'>;
/** Lists of numbers per run. */
type VectorName = {
  [Name in NamesOf<'list'>]: History[Name] extends readonly (readonly number[] | null)[] ? Name : never;
}[NamesOf<'list'>];
/** A number per run. */
type NumberName = Exclude<NamesOf<'list'>, VectorName>;

/** Everything that is not one entry per run. */
export type Head = Omit<History, ColumnName>;

/** The outputs to minimize or maximize without a target, numbered from 0. A gap of a fit has no target either. */
export function openOutputs({
  objectives,
  objectiveTypes,
}: Pick<Head, 'objectives' | 'objectiveTypes'>): readonly number[] {
  return [...objectives.keys()].filter((j) => objectives[j] === null && objectiveTypes[j] !== 'fit');
}

/** Whether no run is the best by itself. */
export const seeksFront = (head: Pick<Head, 'objectives' | 'objectiveTypes'>): boolean => openOutputs(head).length > 1;

export function headOf(answer: History): Head {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !(name in RUN_COLUMNS))) as unknown as Head;
}

const STATUSES: readonly History['statuses'][number][] = ['active', 'converged', 'max_iterations', 'stopped', 'failed'];
const [ACTIVE, CONVERGED, , STOPPED, FAILED] = STATUSES.keys();

/** Storage of numbers. */
const NUMBERS = {
  iterations: { Type: Int32Array, read: (iteration: number) => iteration },
  inverseIds: { Type: Float64Array, read: (id: number | null) => id ?? Number.NaN },
  /** Index into the statuses of the service; see stateOf. */
  statuses: { Type: Uint8Array, read: (status: History['statuses'][number]) => STATUSES.indexOf(status) },
  /** Milliseconds since 1970. */
  loadedAt: { Type: Float64Array, read: (instant: string | null) => Date.parse(instant ?? '') },
  /** Seconds. */
  computeTimes: { Type: Float64Array, read: (nanoseconds = Number.NaN) => nanoseconds / 1e9 },
  /** An older process of the service, during an upgrade, does not send them. */
  misfits: { Type: Float64Array, read: (misfit: number | null = null) => misfit ?? Number.NaN },
} as const satisfies Record<NumberName, object>;

const namesAs = (as: string) =>
  (Object.keys(RUN_COLUMNS) as ColumnName[]).filter((name) => RUN_COLUMNS[name].as === as);
const FACTS = namesAs('byIteration') as readonly FactName[];
const FLAGS = namesAs('iterations') as readonly FlagName[];
const NUMBER_NAMES = Object.keys(NUMBERS) as readonly NumberName[];
const VECTORS = namesAs('list').filter((name) => !(name in NUMBERS)) as readonly VectorName[];

type Facts = { readonly [Name in FactName]: ReadonlyMap<number, History[Name][string]> };
type Flags = { readonly [Name in FlagName]: Uint8Array };
type Numbers = { readonly [Name in NumberName]: InstanceType<(typeof NUMBERS)[Name]['Type']> };
/** One column per input or output; all NaN where there is none. */
type Vectors = { readonly [Name in VectorName]: readonly Float64Array[] };

/** Every array has one entry per run; NaN marks a missing value. Facts are by the ids of runs. */
export interface Columns extends Facts, Flags, Numbers, Vectors {
  readonly count: number;
}

/** undefined for a run without one. */
export function factAt<Name extends FactName>(columns: Columns, name: Name, row: number) {
  return columns[name].get(columns.inverseIds[row]!) as History[Name][string] | undefined;
}

/** True if the run failed or no input could be computed. */
export function hasFailed({ statuses }: Pick<Columns, 'statuses'>, row: number): boolean {
  return statuses[row] === FAILED;
}

/** The state of a run. */
export type RunState = 'computing' | 'waiting' | 'loaded' | 'met' | 'failed' | 'given up' | 'summary';

export const STATE_TEXTS: Readonly<Record<RunState, string>> = {
  met: 'met',
  loaded: 'loaded',
  waiting: 'waiting',
  computing: 'computing',
  failed: 'failed',
  'given up': 'given up',
  summary: 'not run: the best input',
};

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

/** A column of the same kind, all 0. */
function newColumn<C extends Column>(like: C, count: number): C {
  return new (like.constructor as new (length: number) => C)(count);
}

/** The column with another length. Reuses the array if it has room, so that appending a row copies nothing. */
function withLength<C extends Column>(column: C, count: number): C {
  const Type = column.constructor as new (source: ArrayBufferLike, offset: number, length: number) => C;
  if (column.buffer.byteLength >= count * column.BYTES_PER_ELEMENT) return new Type(column.buffer, 0, count);
  const grown = newColumn(column, Math.ceil(count * 1.5));
  grown.set(column as never);
  return new Type(grown.buffer, 0, count);
}

/** Changes every array; `from` finds the same one in other columns. */
function mapArrays(columns: Columns, change: <C extends Column>(column: C, from: (other: Columns) => C) => C): Columns {
  const arrays = [...NUMBER_NAMES, ...FLAGS].map((name) => [
    name,
    change<Column>(columns[name], (other) => other[name]),
  ]);
  const vectors = VECTORS.map((name) => [
    name,
    columns[name].map((column, i) => change(column, (other) => other[name][i]!)),
  ]);
  return { ...columns, ...Object.fromEntries([...arrays, ...vectors]) };
}

/** Columns without rows. */
export function emptyColumns(inputCount: number, outputCount: number): Columns {
  const widths = VECTORS.map((name) => [name, name === 'inputs' ? inputCount : outputCount] as const);
  return {
    count: 0,
    ...Object.fromEntries([
      ...FACTS.map((name) => [name, new Map()]),
      ...FLAGS.map((name) => [name, new Uint8Array(0)]),
      ...NUMBER_NAMES.map((name) => [name, new NUMBERS[name].Type(0)]),
      ...widths.map(([name, width]) => [name, Array.from({ length: width }, () => new Float64Array(0))]),
    ]),
  } as unknown as Columns;
}

/** Runs as they are sent, by the names of columns; a fact is undefined where a run has none. */
interface SentRuns {
  readonly count: number;
  read(name: ColumnName, i: number): unknown;
}

function sentIn(answer: History): SentRuns {
  const flags = new Map(FLAGS.map((name) => [name as ColumnName, new Set<number>(answer[name])]));
  const read = (name: ColumnName, i: number) => {
    const iteration = answer.iterations[i]!;
    const flag = flags.get(name);
    if (flag !== undefined) return flag.has(iteration);
    // An older process of the service, during an upgrade, does not send every column.
    if (RUN_COLUMNS[name].as === 'list') return (answer[name] as readonly unknown[] | undefined)?.[i];
    return (answer[name] as History[ColumnName] | undefined)?.[iteration as never];
  };
  return { count: answer.iterations.length, read };
}

/** The first rows of `columns`, then those that are sent. Overwrites what `columns` had behind them. Cost O(rows that are sent). */
function withRows(columns: Columns, keep: number, { count, read }: SentRuns): Columns {
  const facts = FACTS.map((name) => {
    const known = new Map<number, unknown>(columns[name]);
    for (let row = keep; row < columns.count; row++) known.delete(columns.inverseIds[row]!);
    return [name, known] as const;
  });
  const next: Columns = {
    ...mapArrays(columns, (column) => withLength(column, keep + count)),
    ...Object.fromEntries(facts),
    count: keep + count,
  };
  for (let i = 0; i < count; i++) {
    const row = keep + i;
    for (const name of NUMBER_NAMES) next[name][row] = NUMBERS[name].read(read(name, i) as never);
    for (const name of FLAGS) next[name][row] = Number(read(name, i));
    for (const name of VECTORS) setVector(next[name], row, (read(name, i) ?? null) as readonly number[] | null);
    for (const [name, known] of facts) {
      const fact = read(name, i);
      if (fact !== undefined) known.set(next.inverseIds[row]!, fact);
    }
  }
  return next;
}

function setVector(columns: readonly Float64Array[], row: number, vector: readonly number[] | null): void {
  for (let i = 0; i < columns.length; i++) columns[i]![row] = vector === null ? Number.NaN : vector[i]!;
}

/** The first rows of `columns`, then those of the answer. Overwrites what `columns` had behind them. Cost O(rows of the answer). */
export function replaceRows(columns: Columns, keep: number, answer: History): Columns {
  return withRows(columns, keep, sentIn(answer));
}

/** Inserts rows that a thinned history left out. Cost O(all numbers). */
export function insertRows(columns: Columns, answer: History): Columns {
  const missing = answer.iterations.flatMap((iteration, i) => (rowOf(columns, iteration) < 0 ? [i] : []));
  if (missing.length === 0) return columns;
  const sent = sentIn(answer);
  const read: SentRuns['read'] = (name, i) => sent.read(name, missing[i]!);
  const appended = withRows(columns, columns.count, { count: missing.length, read });
  const { iterations } = appended;
  const order = Array.from(iterations.keys()).sort((a, b) => iterations[a]! - iterations[b]!);
  return mapArrays(appended, (column) => {
    const sorted = newColumn(column, column.length);
    order.forEach((from, to) => {
      sorted[to] = column[from]!;
    });
    return sorted;
  });
}

/** Runs of the trial as rows; a case has its number in place of an iteration. */
export function columnsOfRuns(runs: readonly TrialRun[], inputCount: number, outputCount: number): Columns {
  const read: SentRuns['read'] = (name, i) => {
    const run = runs[i]!;
    if (name === 'iterations') return run.iteration ?? run.number;
    if (name === 'inverseIds') return run.inverseId;
    // Among the runs of a trial, source says where a run comes from.
    if (name === 'sources') return (run.objectiveId !== null && run.sourceName) || undefined;
    if (name === 'statuses') return run.status === 'completed' ? 'active' : run.status;
    const value = run[RUN_COLUMNS[name].field as keyof TrialRun];
    return RUN_COLUMNS[name].as === 'byIteration' ? (value ?? undefined) : value;
  };
  return withRows(emptyColumns(inputCount, outputCount), 0, { count: runs.length, read });
}

/** All rows of the first, then all of the second. Cost O(all numbers). */
export function joinColumns(first: Columns, second: Columns): Columns {
  if (first.count === 0) return second;
  const joined = mapArrays(second, (column, from) => {
    const both = newColumn(column, first.count + second.count);
    both.set(from(first) as never);
    both.set(column as never, first.count);
    return both;
  });
  const facts = FACTS.map((name) => [name, new Map<number, unknown>([...first[name], ...second[name]])]);
  return { ...joined, ...Object.fromEntries(facts), count: first.count + second.count };
}

/** The name of the run that a run repeats; undefined if it repeats none. */
export function repeatText(columns: Columns, row: number): string | undefined {
  const first = factAt(columns, 'repeatOf', row);
  if (first === undefined) return undefined;
  const of = first === null ? -1 : columns.inverseIds.indexOf(first);
  return of < 0 ? 'an earlier run' : `run ${columns.iterations[of]}`;
}
