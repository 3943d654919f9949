/** The runs of the trial that are not the objective's own: its cases, and the runs of other objectives. Needs no browser. */
import type { TrialRun } from '../../clients/typescript/src/index.ts';
import { type Columns, columnsOfRuns } from './columns.ts';

export interface RunSource {
  readonly kind: TrialRun['source'];
  /** For example "case 3" or "run 2 of objective 1". */
  readonly name: string;
  /** In a few words. */
  readonly from: string;
  /** Number of the case, or the iteration. */
  readonly number: number;
  /** Objective of the run; null for a case. */
  readonly objectiveId: number | null;
  readonly objectiveNumber: number | null;
}

/** Rows in the order in which they became known, and where each comes from. */
export interface Others {
  readonly columns: Columns;
  readonly sources: readonly RunSource[];
}

export function toOthers(runs: readonly TrialRun[], inputCount: number, outputCount: number): Others {
  return { columns: columnsOfRuns(runs, inputCount, outputCount), sources: runs.map(sourceOf) };
}

function sourceOf(run: TrialRun): RunSource {
  const { source: kind, objectiveId, objectiveNumber } = run;
  const facts = { kind, objectiveId, objectiveNumber };
  if (kind === 'objective') {
    const from = `objective ${objectiveNumber}`;
    return { ...facts, from, name: `run ${run.iteration} of ${from}`, number: run.iteration! };
  }
  return { ...facts, from: originOf(run), name: `case ${run.number}`, number: run.number! };
}

function originOf({ source, sourceName }: TrialRun): string {
  if (source === 'designed') return 'first cases';
  return sourceName === null ? 'added' : `added: ${sourceName}`;
}

/** More would squeeze the objective's own runs together in a chart. */
const FEW = 100;

/** Whether a chart shows the others unless somebody chooses. @param ownCount  runs of the objective itself */
export function areFew(otherCount: number, ownCount: number): boolean {
  return otherCount <= Math.max(FEW, 2 * ownCount);
}

/** The source of each row of the merged columns as a sort key: cases, then objectives by number, then this one. */
export function sourceOrder({ sources }: Others, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, row) => {
    const source = sources[row];
    if (source === undefined) return Number.MAX_SAFE_INTEGER;
    if (source.kind === 'designed') return 0;
    return source.kind === 'added' ? 1 : 1 + source.objectiveNumber!;
  });
}
