/** What a report is made of: an objective as the interface sends it, and what belongs to it. Plain data. */
import type { Correction, FitParameters, History, Note, ProjectSummary } from '../../clients/typescript/src/index.ts';
import {
  type Columns,
  emptyColumns,
  type Head,
  headOf,
  replaceRows,
  rowOf,
  seeksFront,
  vectorAt,
} from '../shown/columns.ts';
import { type Distances, measureRuns } from '../shown/distances.ts';

export interface ReportSource {
  readonly history: History;
  readonly project: ProjectSummary;
  /** Oldest first. */
  readonly corrections: readonly Correction[];
  /** On the objective and its runs, oldest first. */
  readonly notes: readonly Note[];
  /** Of the trial, designed and added: what was known besides the runs of its objectives. */
  readonly caseCount: number;
  /** What the data of a fit tell; null without a fit. */
  readonly fit: FitParameters | null;
  /** ISO 8601. */
  readonly changedAt: string;
  /** Of Backsolve. */
  readonly version: string;
}

/** The source with what every part of a report needs of it. */
export interface Subject extends ReportSource {
  readonly head: Head;
  readonly columns: Columns;
  readonly distances: Distances;
  readonly best: ShownRun | undefined;
}

/** The run that is reported as the result. */
export interface ShownRun {
  /** For example "run 4" or "case 3". */
  readonly name: string;
  /** Among the runs of the objective; -1 for a case. */
  readonly row: number;
  readonly input: readonly number[];
  readonly output: readonly number[];
  readonly misses: readonly number[];
  readonly missedBy: readonly number[];
}

export function subjectOf(source: ReportSource): Subject {
  const { history } = source;
  const head = headOf(history);
  const columns = replaceRows(emptyColumns(history.minimums.length, history.objectives.length), 0, history);
  return {
    ...source,
    head,
    columns,
    distances: measureRuns(columns, head.objectiveTypes),
    best: shownRunOf(head, columns),
  };
}

/** The best compromise of a front, or else the nearest run, as on the page. */
function shownRunOf(head: Head, columns: Columns): ShownRun | undefined {
  const { optimalIteration, bestIteration, bestCaseNumber, bestInput, bestOutput, bestMisses, bestMissedBy } = head;
  const shown = optimalIteration !== null && seeksFront(head) ? optimalIteration : bestIteration;
  const row = shown === null ? -1 : rowOf(columns, shown);
  if (row >= 0) {
    const [input, output] = [vectorAt(columns.inputs, row), vectorAt(columns.outputs, row)];
    const [misses, missedBy] = [vectorAt(columns.misses, row), vectorAt(columns.missedBy, row)];
    if (input && output && misses && missedBy) return { name: `run ${shown}`, row, input, output, misses, missedBy };
  }
  if (bestInput === null || bestOutput === null || bestMisses === null || bestMissedBy === null) return undefined;
  const name = bestIteration === null ? `case ${bestCaseNumber}` : `run ${bestIteration}`;
  return { name, row: -1, input: bestInput, output: bestOutput, misses: bestMisses, missedBy: bestMissedBy };
}
