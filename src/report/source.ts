/** Source of a report: an objective as the interface sends it, and what belongs to it. Plain data. */
import type {
  Correction,
  FitParameters,
  History,
  Note,
  ProjectSummary,
  TrialRun,
} from '../../clients/typescript/src/index.ts';
import {
  type Columns,
  emptyColumns,
  type Head,
  headOf,
  joinColumns,
  replaceRows,
  rowOf,
} from '../presentation/columns.ts';
import { type Distances, measureRuns } from '../presentation/distances.ts';
import { isOfSeveralRuns } from '../presentation/nearness.ts';
import { type Others, toOthers } from '../presentation/others.ts';

export interface ReportSource {
  readonly history: History;
  readonly project: ProjectSummary;
  /** The first of the trial's other runs: its cases, and the runs of other objectives. */
  readonly others: readonly TrialRun[];
  /** Whether there are more. */
  readonly areOthersCut: boolean;
  /** Oldest first. */
  readonly corrections: readonly Correction[];
  /** On the objective and its runs, oldest first. */
  readonly notes: readonly Note[];
  /** Cases of the trial, designed and added: the data known besides the runs of its objectives. */
  readonly caseCount: number;
  /** Conclusions about the inputs from the data of a fit; null without a fit. */
  readonly fit: FitParameters | null;
  /** ISO 8601. */
  readonly changedAt: string;
  /** Version of Backsolve. */
  readonly version: string;
}

/** The source with what every part of a report needs of it. */
export interface Subject extends Omit<ReportSource, 'others'> {
  readonly head: Head;
  readonly columns: Columns;
  readonly distances: Distances;
  readonly best: ShownRun | undefined;
  readonly all: AllRuns;
}

/** All runs of the trial as the objective judges them: the others first, then its own. */
interface AllRuns {
  readonly others: Others;
  readonly columns: Columns;
  readonly distances: Distances;
  /** Row of the best run; -1 if it is not among them. */
  readonly best: number;
}

/** The answer that is reported as the result. */
export interface ShownRun {
  /** For example "run 4" or "case 3": the first run at the input. */
  readonly name: string;
  /** Number of runs whose mean the output is, if runs at an input are judged together. */
  readonly meanOf: number | null;
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
  const [inputCount, outputCount] = [history.minimums.length, history.objectives.length];
  const columns = replaceRows(emptyColumns(inputCount, outputCount), 0, history);
  const best = shownRunOf(head, columns);
  return {
    ...source,
    head,
    columns,
    distances: measureRuns(columns, head.objectiveTypes, head.objectives),
    best,
    all: joinRuns(head, toOthers(source.others, inputCount, outputCount), columns, best),
  };
}

function joinRuns(head: Head, others: Others, own: Columns, best: ShownRun | undefined): AllRuns {
  const columns = joinColumns(others.columns, own);
  const isOwn = best !== undefined && best.row >= 0;
  return {
    others,
    columns,
    distances: measureRuns(columns, head.objectiveTypes, head.objectives),
    best: isOwn ? others.columns.count + best.row : others.sources.findIndex(({ name }) => name === best?.name),
  };
}

/** The answer of the search, as on the page. */
function shownRunOf(head: Head, columns: Columns): ShownRun | undefined {
  const { answer, bestIteration } = head;
  if (answer === null) return undefined;
  const { name, runs, input, output, misses, missedBy } = answer;
  const row = bestIteration === null ? -1 : rowOf(columns, bestIteration);
  return { name, meanOf: isOfSeveralRuns(head) ? runs : null, row, input, output, misses, missedBy };
}
