/** Reads an objective for its report: history, facts around it, the other runs of its trial, and the intervals of a fit. */
import type { Db } from '../../db/connection/transaction.ts';
import { listCorrections } from '../../db/corrections/corrections.ts';
import { countAddedCases } from '../../db/data/added-cases.ts';
import { findOutputCaseSet } from '../../db/data/output-case-sets.ts';
import { listNotes } from '../../db/notes/notes.ts';
import type { Correction } from '../../domain/corrections/correction.ts';
import type { Note } from '../../domain/notes/note.ts';
import type { Project } from '../../domain/problem/project.ts';
import { fitOutputs } from '../../domain/search/fit.ts';
import { getTrial } from '../data/manage-trials.ts';
import type { ObjectivePath } from '../paths.ts';
import { getProject } from '../problem/manage-projects.ts';
import type { FitRead, ModelInsights } from '../search/model-insights.ts';
import { getHistory, getObjectiveStamp, type History, type ObjectiveStamp } from '../search/read-history.ts';
import { readTrialRuns, type TrialRuns } from '../search/read-trial-runs.ts';

/** More are not printed. */
const MOST_CORRECTIONS = 500;
const MOST_NOTES = 500;
/** More of the trial's other runs are not read. */
const MOST_OTHERS = 1_000;
/** Confidence of the intervals of a fit. */
const CONFIDENCE = 0.95;

export interface Report extends ReportFacts {
  readonly stamp: ObjectiveStamp;
  readonly history: History;
  /** The runs of the trial's other objectives and its cases. */
  readonly others: TrialRuns;
  /** null: nothing is fitted. */
  readonly fit: FitRead | null;
}

interface Asking {
  readonly db: Db;
  readonly accountId: number;
  readonly path: ObjectivePath;
  readonly modelInsights: Pick<ModelInsights, 'fit'>;
  /** Fires when nobody waits for the report any more. */
  readonly signal: AbortSignal;
}

/** The runs are read from the database while they are iterated. Throws NOT_FOUND. */
export async function readReport({ db, accountId, path, modelInsights, signal }: Asking): Promise<Report> {
  const stamp = await getObjectiveStamp(db, accountId, path);
  const request = { after: 0, every: 1, completed: null, wantsExplanation: true };
  const history = await getHistory(db, accountId, stamp, request);
  const facts = await readReportFacts(db, accountId, stamp, history);
  const without = history.objective.id;
  const others = await readTrialRuns(db, accountId, path, { limit: MOST_OTHERS, after: null, without });
  const isFit = fitOutputs(history.objective.objectiveTypes).length > 0;
  const fit = isFit ? await modelInsights.fit({ db, accountId, signal }, path, CONFIDENCE) : null;
  return { stamp, history, ...facts, others, fit };
}

interface ReportFacts {
  readonly project: Project;
  /** Corrections of the trial, oldest first. */
  readonly corrections: readonly Correction[];
  /** On the objective and its runs, oldest first. */
  readonly notes: readonly Note[];
  /** Number of cases of the trial, designed and added. */
  readonly caseCount: number;
  /** Time of the last change of the objective, its notes, its project or a correction. */
  readonly changedAt: Date;
}

async function readReportFacts(
  db: Db,
  accountId: number,
  stamp: ObjectiveStamp,
  { objective }: Pick<History, 'objective'>,
): Promise<ReportFacts> {
  const { modelId, projectId, trialId } = stamp;
  const project = await getProject(db, accountId, { modelId, projectId });
  const trial = await getTrial(db, accountId, { modelId, projectId, trialId });
  const set = await findOutputCaseSet(db, accountId, trial.outputCaseSetId);
  const { items } = await listCorrections(db, accountId, trialId, { limit: MOST_CORRECTIONS, after: null });
  const noted = { limit: MOST_NOTES, after: null };
  const notes = await listNotes(db, accountId, objective.id, { inverseId: null }, noted);
  const times = [objective.updatedAt, project.updatedAt, ...items.map(({ createdAt }) => createdAt)];
  return {
    project,
    corrections: items,
    notes: notes.items,
    caseCount: (set?.caseCount ?? 0) + (await countAddedCases(db, accountId, trialId)),
    changedAt: new Date(Math.max(...times.map((time) => time.getTime()))),
  };
}
