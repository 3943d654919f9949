/** The runs of the trial that are not the objective's own: its cases, and the runs of other objectives. Needs no browser. */
import type { TrialRun } from '../../../../clients/typescript/src/index.ts';
import { type Columns, emptyColumns, statusNumber } from './columns.ts';

export interface RunSource {
  readonly kind: TrialRun['source'];
  /** For example "case 3" or "run 2 of objective 1". */
  readonly name: string;
  /** In a few words. */
  readonly from: string;
  /** Of the case, or the iteration. */
  readonly number: number;
  /** Of the run; null for a case. */
  readonly objectiveId: number | null;
  readonly objectiveNumber: number | null;
  readonly failureReason: string | null;
}

/** Rows in the order in which they became known, and where each comes from. */
export interface Others {
  readonly columns: Columns;
  readonly sources: readonly RunSource[];
}

export function toOthers(runs: readonly TrialRun[], inputCount: number, outputCount: number): Others {
  const columnsOf = (count: number, read: (run: TrialRun) => readonly number[] | null) =>
    Array.from({ length: count }, (_, i) => Float64Array.from(runs, (run) => read(run)?.[i] ?? Number.NaN));
  const sources = runs.map(sourceOf);
  const columns: Columns = {
    ...emptyColumns(inputCount, outputCount),
    count: runs.length,
    iterations: Int32Array.from(sources, ({ number }) => number),
    inverseIds: Float64Array.from(runs, ({ inverseId }) => inverseId ?? Number.NaN),
    statuses: Uint8Array.from(runs, ({ status }) => statusNumber(status === 'completed' ? 'active' : status)),
    loadedAt: Float64Array.from(runs, ({ loadedAt }) => Date.parse(loadedAt ?? '')),
    computeTimes: new Float64Array(runs.length).fill(Number.NaN),
    excluded: Uint8Array.from(runs, ({ excluded }) => Number(excluded)),
    corrected: Uint8Array.from(runs, ({ corrected }) => Number(corrected)),
    inputs: columnsOf(inputCount, ({ input }) => input),
    outputs: columnsOf(outputCount, ({ output }) => output),
  };
  return { columns, sources };
}

function sourceOf(run: TrialRun): RunSource {
  const { source: kind, sourceName, objectiveId, objectiveNumber, failureReason } = run;
  const facts = { kind, objectiveId, objectiveNumber, failureReason };
  if (kind === 'objective') {
    const from = `objective ${objectiveNumber}`;
    return { ...facts, from, name: `run ${run.iteration} of ${from}`, number: run.iteration! };
  }
  const from = kind === 'designed' ? 'first cases' : sourceName === null ? 'added' : `added: ${sourceName}`;
  return { ...facts, from, name: `case ${run.number}`, number: run.number! };
}

/** All rows of the others, then the objective's own, whose facts by iteration stay. Cost O(all numbers). */
export function mergeColumns(others: Columns, own: Columns): Columns {
  if (others.count === 0) return own;
  const both = <C extends Int32Array | Float64Array | Uint8Array>(name: (columns: Columns) => C): C => {
    const [first, second] = [name(others), name(own)];
    const joined = new (first.constructor as new (length: number) => C)(others.count + own.count);
    joined.set(first as never);
    joined.set(second as never, others.count);
    return joined;
  };
  return {
    ...own,
    count: others.count + own.count,
    iterations: both(({ iterations }) => iterations),
    inverseIds: both(({ inverseIds }) => inverseIds),
    statuses: both(({ statuses }) => statuses),
    loadedAt: both(({ loadedAt }) => loadedAt),
    computeTimes: both(({ computeTimes }) => computeTimes),
    excluded: both(({ excluded }) => excluded),
    corrected: both(({ corrected }) => corrected),
    inputs: own.inputs.map((_, i) => both(({ inputs }) => inputs[i]!)),
    outputs: own.outputs.map((_, j) => both(({ outputs }) => outputs[j]!)),
  };
}

/** Where a row of the merged columns comes from, as a number to sort by: cases, then objectives by number, then this one. */
export function sourceOrder({ sources }: Others, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, row) => {
    const source = sources[row];
    if (source === undefined) return Number.MAX_SAFE_INTEGER;
    return source.kind === 'designed' ? 0 : source.kind === 'added' ? 1 : 1 + source.objectiveNumber!;
  });
}
