/**
 * Exports everything below a model, or below all models of an account, in pages of bounded size, so that neither this process
 * nor the database ever holds much of it. Each page is read separately, without a transaction across pages, and shows each
 * record as it was at that moment. Gaps are never ignored: when the purge removes a record that is being exported, the export
 * ends with an error.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { listBatches } from '../../db/batches/batches.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { listCorrections } from '../../db/corrections/corrections.ts';
import type { ExportedAddedCases } from '../../db/data/added-cases.ts';
import { listOutputCaseSets } from '../../db/data/output-case-sets.ts';
import { listTrials } from '../../db/data/trials.ts';
import { listDeletionsIn } from '../../db/deletion/deletions.ts';
import { listEvaluations } from '../../db/evaluations/evaluations.ts';
import * as reads from '../../db/exports/export.ts';
import { readClock } from '../../db/extent.ts';
import { findFile, listNotes } from '../../db/notes/notes.ts';
import { findModel, listModels } from '../../db/problem/models.ts';
import { listProjects } from '../../db/problem/projects.ts';
import { findObjectives, listObjectiveIds } from '../../db/search/objectives.ts';
import { readFile } from '../../db/workbooks/workbooks.ts';
import type { BatchWithProgress } from '../../domain/batches/batch.ts';
import type { Correction } from '../../domain/corrections/correction.ts';
import type { CaseJacobians } from '../../domain/data/jacobian.ts';
import type { OutputCaseSet, Trial } from '../../domain/data/trial.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { EvaluationRecord } from '../../domain/evaluations/evaluation.ts';
import type { Note } from '../../domain/notes/note.ts';
import type { Extent, Page, PageRequest } from '../../domain/page.ts';
import type { Model } from '../../domain/problem/model.ts';
import type { Project } from '../../domain/problem/project.ts';
import { endReasonOf, shownRunOf } from '../../domain/search/end-reason.ts';
import type { Objective } from '../../domain/search/objective.ts';
import { isFinal } from '../../domain/search/stop-reason.ts';
import { type ObjectStore, readStored } from '../notes/note-files.ts';
import { readAnswer } from '../search/read-answers.ts';
import { type CaseRows, PurgedMeanwhileError, readAddedCases, readCases, readOutputCases } from './export-cases.ts';

export type { ExportedExplanation, ExportedInverse } from '../../db/exports/export.ts';

/** A record comes after the one that it belongs to. */
export type ExportRecord =
  | { readonly type: 'model'; readonly model: Model }
  | { readonly type: 'project'; readonly project: Project }
  | { readonly type: 'inputCases'; readonly projectId: number; readonly cases: CaseRows }
  | { readonly type: 'outputCaseSet'; readonly set: OutputCaseSet }
  | { readonly type: 'outputCases'; readonly outputCaseSetId: number; readonly cases: CaseRows }
  | { readonly type: 'trial'; readonly trial: Trial }
  | { readonly type: 'addedCases'; readonly added: ExportedAddedCases; readonly jacobians: CaseJacobians | null }
  | { readonly type: 'objective'; readonly objective: Objective; readonly endReason: string | null }
  | { readonly type: 'explanation'; readonly explanation: reads.ExportedExplanation }
  | { readonly type: 'inverse'; readonly inverse: reads.ExportedInverse }
  | { readonly type: 'note'; readonly note: Note; readonly content: Uint8Array | null }
  | { readonly type: 'correction'; readonly trialId: number; readonly correction: Correction }
  | { readonly type: 'workbook'; readonly workbook: ExportedWorkbook }
  | { readonly type: 'batch'; readonly batch: BatchWithProgress }
  | { readonly type: 'evaluation'; readonly evaluation: EvaluationRecord };

interface ExportedWorkbook {
  readonly id: number;
  readonly name: string;
  readonly content: Uint8Array;
}

export type ExportPage = readonly ExportRecord[];

export interface ExportOptions {
  /** Whether deleted records are included, as long as they are not purged. */
  readonly withDeleted: boolean;
  /** Storage of the files of notes that are not in the database; 'no notes': they are left out. */
  readonly files?: ObjectStore | 'no notes' | undefined;
  /** Ends the export with an error. */
  readonly signal?: AbortSignal | undefined;
}

/** Numbers of inverses in a page: some 400 kB of text, so that a page delays no other request. */
const NUMBERS_PER_PAGE = 20_000;
const INVERSES_PER_PAGE = 500;
/** An objective holds up to six thousand numbers. */
const OBJECTIVES_PER_PAGE = 20;
/** A correction holds up to two thousand numbers. */
const CORRECTIONS_PER_PAGE = 20;
/** Without their files, which are read one by one. */
const NOTES_PER_PAGE = 50;
/** Each is counted over its evaluations. */
const BATCHES_PER_PAGE = 20;
/** The category names of a project may take megabytes. */
const PROJECTS_PER_PAGE = 1;
const RECORDS_PER_PAGE = 100;
/** A purge under way takes from milliseconds to minutes. */
const PURGE_RETRY_SECONDS = 60;

/** Throws NOT_FOUND, also for a deleted model unless deleted records are wanted, before the first page. */
export async function* exportModel(
  db: Db,
  accountId: number,
  modelId: number,
  options: ExportOptions,
): AsyncGenerator<ExportPage, void> {
  const scope = await toScope(db, options);
  const model = await findModel(db, accountId, modelId);
  if (model === undefined) throw notFound('model', modelId);
  if (model.disabledAt !== null && !options.withDeleted) {
    const message = `The model ${modelId} was deleted. To export it before it is purged, send deleted=true.`;
    throw new DomainError('NOT_FOUND', message);
  }
  yield* pacing(readModel(db, accountId, model, scope), options.signal);
}

/** All models of the account, oldest first; the first page may be empty. */
export async function* exportAccount(
  db: Db,
  accountId: number,
  options: ExportOptions,
): AsyncGenerator<ExportPage, void> {
  yield* pacing(readModels(db, accountId, await toScope(db, options)), options.signal);
}

/** Records deleted during the export stay part of it, so that no record lacks its parent or children. */
async function toScope(db: Db, { withDeleted, files }: ExportOptions): Promise<Scope> {
  return { extent: withDeleted ? 'all' : await readClock(db), files };
}

interface Scope extends Pick<ExportOptions, 'files'> {
  readonly extent: Extent;
}

async function* readModels(db: Db, accountId: number, scope: Scope): AsyncGenerator<ExportPage, void> {
  yield [];
  for await (const models of pagesOf((page) => listModels(db, accountId, page, scope.extent), RECORDS_PER_PAGE)) {
    for (const model of models) yield* readModel(db, accountId, model, scope);
  }
}

/** Lets other requests run between two pages. */
async function* pacing(
  pages: AsyncIterable<ExportPage>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ExportPage, void> {
  for await (const page of pages) {
    signal?.throwIfAborted();
    yield page;
    await yieldToEventLoop();
  }
}

/** Throws OVERLOADED before the first page while some of the records are being purged. */
async function* readModel(db: Db, accountId: number, model: Model, scope: Scope): AsyncGenerator<ExportPage, void> {
  const { extent } = scope;
  const deletions = await listDeletionsIn(db, accountId, model.id);
  if (extent === 'all' && deletions.some(({ isBeingPurged }) => isBeingPurged)) {
    const message = `Deleted records of the model ${model.id} are being purged; export it again when the purge has ended.`;
    throw new DomainError('OVERLOADED', message, { retryAfterSeconds: PURGE_RETRY_SECONDS });
  }
  yield [{ type: 'model', model }];
  const readProjects = (page: PageRequest) => listProjects(db, accountId, model.id, page, extent);
  for await (const projects of pagesOf(readProjects, PROJECTS_PER_PAGE)) {
    for (const project of projects) yield* readProject(db, accountId, project, scope);
  }
  const now = await listDeletionsIn(db, accountId, model.id);
  const kept = new Set(now.filter(({ isBeingPurged }) => !isBeingPurged).map(({ id }) => id));
  const before = new Set(deletions.map(({ id }) => id));
  // Without deleted records, earlier deletions do not matter.
  const isBroken =
    (extent === 'all' && deletions.some(({ id }) => !kept.has(id))) ||
    now.some(({ id, isBeingPurged }) => isBeingPurged && !before.has(id));
  if (isBroken) throw new PurgedMeanwhileError();
}

async function* readProject(
  db: Db,
  accountId: number,
  project: Project,
  scope: Scope,
): AsyncGenerator<ExportPage, void> {
  const { extent } = scope;
  yield [{ type: 'project', project }];
  for await (const cases of readCases(db, 'projects', project.id, project.inputCount)) {
    yield [{ type: 'inputCases', projectId: project.id, cases }];
  }
  const outputCounts = new Map<number, number>();
  const readSets = (page: PageRequest) => listOutputCaseSets(db, accountId, project.id, page, extent);
  for await (const sets of pagesOf(readSets, RECORDS_PER_PAGE)) {
    for (const set of sets) {
      outputCounts.set(set.id, set.outputCount);
      yield [{ type: 'outputCaseSet', set }];
      for await (const cases of readOutputCases(db, accountId, set, project.inputCount)) {
        yield [{ type: 'outputCases', outputCaseSetId: set.id, cases }];
      }
    }
  }
  const readTrials = (page: PageRequest) => listTrials(db, accountId, project.id, page, extent);
  for await (const trials of pagesOf(readTrials, RECORDS_PER_PAGE)) {
    for (const trial of trials) {
      yield [{ type: 'trial', trial }];
      const outputCount = outputCounts.get(trial.outputCaseSetId) ?? 0;
      for await (const cases of readAddedCases(db, trial.id, { inputCount: project.inputCount, outputCount }))
        yield [{ type: 'addedCases', ...cases }];
      const readObjectives = async (page: PageRequest) => {
        const { items, nextAfter } = await listObjectiveIds(db, accountId, trial.id, page, extent);
        return { items: await findObjectives(db, accountId, items), nextAfter };
      };
      for await (const objectives of pagesOf(readObjectives, OBJECTIVES_PER_PAGE)) {
        yield* withInverses(db, objectives);
        for (const { id } of objectives) yield* readNotes(db, accountId, id, scope);
      }
      const readCorrections = (page: PageRequest) => listCorrections(db, accountId, trial.id, page);
      for await (const corrections of pagesOf(readCorrections, CORRECTIONS_PER_PAGE)) {
        yield corrections.map((correction) => ({ type: 'correction', trialId: trial.id, correction }));
      }
    }
    await refuseGone(db, 'trials', trials);
  }
  yield* readBatches(db, accountId, project.id);
  await refuseGone(db, 'projects', [project]);
}

/** On an objective and its runs, each with its file. */
async function* readNotes(
  db: Db,
  accountId: number,
  objectiveId: number,
  { extent, files }: Scope,
): AsyncGenerator<ExportPage, void> {
  if (files === 'no notes') return;
  const filter = { inverseId: null, extent };
  const read = (page: PageRequest) => listNotes(db, accountId, objectiveId, filter, page);
  for await (const notes of pagesOf(read, NOTES_PER_PAGE)) {
    for (const note of notes) {
      const file = note.file && (await findFile(db, accountId, objectiveId, note.id));
      yield [{ type: 'note', note, content: (file && (await readStored(files, file.location))) ?? null }];
    }
  }
}

/** Reads the batches of a project, each with its evaluations; its workbook comes before it, once. */
async function* readBatches(db: Db, accountId: number, projectId: number): AsyncGenerator<ExportPage, void> {
  const seen = new Set<number>();
  const read = (page: PageRequest) => listBatches(db, accountId, { status: null, projectId }, page);
  for await (const batches of pagesOf(read, BATCHES_PER_PAGE)) {
    for (const batch of batches) {
      if (batch.evaluator.kind === 'workbook' && !seen.has(batch.evaluator.workbookId)) {
        const { workbookId: id } = batch.evaluator;
        seen.add(id);
        const file = await readFile(db, accountId, id);
        if (file !== undefined) yield [{ type: 'workbook', workbook: { id, ...file } }];
      }
      yield [{ type: 'batch', batch }];
      const ofBatch = { state: null, batchId: batch.id, projectId: null };
      const readEvaluations = (page: PageRequest) => listEvaluations(db, accountId, ofBatch, page);
      for await (const evaluations of pagesOf(readEvaluations, RECORDS_PER_PAGE)) {
        yield evaluations.map((evaluation) => ({ type: 'evaluation', evaluation }));
      }
    }
  }
}

/** A purge removes the record of the deletion last. */
async function refuseGone(
  db: Db,
  table: 'projects' | 'trials',
  records: readonly { readonly id: number }[],
): Promise<void> {
  const ids = records.map(({ id }) => id);
  if (!(await reads.areThere(db, table, ids))) throw new PurgedMeanwhileError();
}

/** Objectives of one trial with what was learned about them and all their inverses. */
async function* withInverses(db: Db, objectives: readonly Objective[]): AsyncGenerator<ExportPage, void> {
  const records: ExportRecord[] = [];
  for (const objective of objectives) {
    records.push({ type: 'objective', objective, endReason: await readEndReason(db, objective) });
  }
  yield records;
  const explainedIds = await reads.listExplained(
    db,
    objectives.map(({ id }) => id),
  );
  for (const id of explainedIds) {
    const explanation = await reads.readExplanation(db, id);
    if (explanation !== undefined) yield [{ type: 'explanation', explanation }];
  }
  const { objectives: targets, initialInput } = objectives[0]!;
  const perPage = Math.floor(NUMBERS_PER_PAGE / (targets.length + initialInput.length));
  const limit = Math.max(1, Math.min(INVERSES_PER_PAGE, perPage));
  for (const ids of groupByInverseCount(objectives, limit)) yield* readInverses(db, ids, limit);
}

async function readEndReason(db: Db, objective: Objective): Promise<string | null> {
  if (!isFinal(objective.stopReason)) return null;
  return endReasonOf(objective, shownRunOf(await readAnswer(db, objective)));
}

/** Neighbours whose inverses roughly fit on one page; a longer objective gets its own. */
function groupByInverseCount(objectives: readonly Objective[], limit: number): readonly (readonly number[])[] {
  const groups: number[][] = [];
  let room = 0;
  for (const { id, attemptCount } of objectives) {
    const count = attemptCount + 1;
    if (count > room) {
      groups.push([]);
      room = limit;
    }
    groups.at(-1)!.push(id);
    room -= count;
  }
  return groups;
}

async function* readInverses(db: Db, ids: readonly number[], limit: number): AsyncGenerator<ExportPage, void> {
  let last: reads.InversePosition = { objectiveId: ids[0]!, iteration: 0 };
  for (;;) {
    const inverses = await reads.listInversesAfter(db, ids, last, limit);
    for (const inverse of inverses) {
      refuseGap(last, inverse);
      last = inverse;
    }
    if (inverses.length > 0) yield inverses.map((inverse) => ({ type: 'inverse', inverse }));
    if (inverses.length < limit) break;
  }
  // The purge removes the last inverses of an objective together with the objective.
  if (!(await reads.areThere(db, 'objectives', ids))) throw new PurgedMeanwhileError();
}

/** Iterations are numbered from 1 without a gap; the purge removes the lowest first. */
function refuseGap(before: reads.InversePosition, { objectiveId, iteration }: reads.InversePosition): void {
  const expected = objectiveId === before.objectiveId ? before.iteration + 1 : 1;
  if (iteration !== expected) throw new PurgedMeanwhileError();
}

/** The pages of a list that are not empty. */
async function* pagesOf<T>(
  read: (request: PageRequest) => Promise<Page<T>>,
  limit: number,
): AsyncGenerator<readonly T[], void> {
  let after: number | null = null;
  do {
    const page: Page<T> = await read({ limit, after });
    if (page.items.length > 0) yield page.items;
    after = page.nextAfter;
  } while (after !== null);
}
