/** Reads what a report tells besides the history of its objective. */
import type { Db } from '../../db/connection/transaction.ts';
import { listCorrections } from '../../db/corrections/corrections.ts';
import { countAddedCases } from '../../db/data/added-cases.ts';
import { findOutputCaseSet } from '../../db/data/output-case-sets.ts';
import { listNotes } from '../../db/notes/notes.ts';
import type { Correction } from '../../domain/corrections/correction.ts';
import type { Note } from '../../domain/notes/note.ts';
import type { Project } from '../../domain/problem/project.ts';
import { getTrial } from '../data/manage-trials.ts';
import { getProject } from '../problem/manage-projects.ts';
import type { History, ObjectiveStamp } from '../search/read-history.ts';

/** More are not printed. */
const MOST_CORRECTIONS = 500;
const MOST_NOTES = 500;

export interface ReportFacts {
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

/** Throws NOT_FOUND. */
export async function readReportFacts(
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
