/** The iterations of an objective as rows, for charts and exports: however many there are, some are read at a time. */

import type { Db } from '../../db/connection/transaction.ts';
import { readNotesChange } from '../../db/notes/notes.ts';
import { findExplanation } from '../../db/search/explanations.ts';
import {
  type HistoryRow,
  listCorrectedIterations,
  listHistory,
  listLateIterations,
  listThinnedHistory,
  type ObjectiveStamp,
  type ProjectColumns,
  readObjectiveStamps,
  readProjectColumns,
} from '../../db/search/history.ts';
import { findInverse, findNextPage } from '../../db/search/inverses.ts';
import { findObjective } from '../../db/search/objectives.ts';
import { listOpenInverses } from '../../db/search/open-inverses.ts';
import { type ObjectiveSurroundings, readSurroundings } from '../../db/search/overview.ts';
import { listContinuing } from '../../db/search/trial-runs.ts';
import { type Answer, ownIterationOf } from '../../domain/search/answer.ts';
import { endReasonOf, shownRunOf } from '../../domain/search/end-reason.ts';
import type { StoredExplanation } from '../../domain/search/explanation.ts';
import type { Objective } from '../../domain/search/objective.ts';
import { isAdmissible } from '../../domain/search/objective-limits.ts';
import { isFinal } from '../../domain/search/stop-reason.ts';
import { isUnder, missingInPath, type ObjectivePath } from '../paths.ts';
import { readAnswer } from './read-answers.ts';

export type { HistoryRow, ObjectiveStamp } from '../../db/search/history.ts';

/** Numbers of one answer; a longer history is thinned. */
const MAXIMUM_HISTORY_NUMBERS = 500_000;
/** Numbers of one read: some 400 kB of text, a few milliseconds of the event loop. */
const NUMBERS_PER_READ = 20_000;
const ROWS_PER_READ = 1_000;

type Batches = AsyncIterable<readonly HistoryRow[]>;

export interface History {
  readonly objective: Objective;
  readonly surroundings: ObjectiveSurroundings;
  readonly columns: ProjectColumns;
  /** undefined: not asked for. */
  readonly explanation: StoredExplanation | null | undefined;
  readonly endReason: string | null;
  readonly optimalIteration: number | null;
  /** Ids, ascending. */
  readonly continuedBy: readonly number[];
  /** null while nothing has been judged. */
  readonly answer: Answer | null;
  /** Whether the initial point may not be the answer, since it breaks a limit. */
  readonly startBreaksLimit: boolean;
  /** Ascending: those that wait for their outputs or are being computed. */
  readonly openIterations: readonly number[];
  /** Ascending. */
  readonly correctedIterations: readonly number[];
  /** Ascending; up to the one after which the history begins. */
  readonly lateIterations: readonly number[];
  /** Time of the last change of its notes; null: there are none. */
  readonly notesChangedAt: Date | null;
  /** 1: no iteration is left out. */
  readonly every: number;
  readonly batches: Batches;
}

/** Cheap: reads no numbers. Throws NOT_FOUND. */
export async function getObjectiveStamp(db: Db, accountId: number, path: ObjectivePath): Promise<ObjectiveStamp> {
  const { objectiveId } = path;
  const stamp = (await readObjectiveStamps(db, [{ accountId, id: objectiveId }])).get(objectiveId);
  if (stamp !== undefined && isUnder(path, stamp)) return stamp;
  throw await missingInPath(db, accountId, path, { resource: 'objective', id: objectiveId });
}

export interface HistoryRequest {
  readonly after: number;
  readonly every: number;
  /** The completions that are known; null: none. */
  readonly completed: number | null;
  readonly wantsExplanation: boolean;
}

/**
 * The history after an iteration, every nth iteration of it and in any case the first, the last, the optimal one and the answer.
 * `every` is raised until at most MAXIMUM_HISTORY_NUMBERS numbers are left. Throws NOT_FOUND.
 *
 * @param stamp  read before; what comes later than it may be in the history or not
 */
export async function getHistory(
  db: Db,
  accountId: number,
  stamp: ObjectiveStamp,
  request: HistoryRequest,
): Promise<History> {
  const { objective, columns } = await readSubject(db, accountId, stamp);
  const { optimalInverseId } = objective;
  const optimal = optimalInverseId === null ? undefined : await findInverse(db, accountId, optimalInverseId);
  const answer = await readAnswer(db, objective);
  const width = numbersPerRow(objective);
  const rowCount = Math.max(0, stamp.iteration - request.after);
  const every = Math.max(request.every, Math.ceil((rowCount * width) / MAXIMUM_HISTORY_NUMBERS));
  const optimalIteration = optimal?.iteration ?? null;
  const answerIteration = ownIterationOf(answer, objective.id);
  const surroundings = (await readSurroundings(db, [objective.id])).get(objective.id);
  if (surroundings === undefined) throw new GapError();
  const open = isFinal(objective.stopReason) ? [] : await listOpenInverses(db, objective.id);
  const ends = [request.after + 1, stamp.iteration];
  const named = [...ends, optimalIteration, answerIteration].filter((iteration) => iteration !== null);
  return {
    objective,
    surroundings,
    columns,
    explanation: request.wantsExplanation ? ((await findExplanation(db, accountId, objective.id)) ?? null) : undefined,
    endReason: endReasonOf(objective, shownRunOf(answer)),
    optimalIteration,
    continuedBy: await listContinuing(db, accountId, objective),
    answer,
    startBreaksLimit: !isAdmissible(columns, objective, objective.initialInput),
    openIterations: open.map(({ iteration }) => iteration),
    // Only a change of the trial's data raises its revision.
    lateIterations: await findLate(db, objective, request),
    correctedIterations: stamp.dataRevision === 0 ? [] : await listCorrectedIterations(db, stamp.id, request.after),
    notesChangedAt: await readNotesChange(db, stamp.id),
    every,
    batches:
      every === 1
        ? readAll(db, stamp, width, { iteration: request.after, inverseId: 0 })
        : readThinned(db, stamp, width, request.after, { every, named }),
  };
}

/** Iterations that the reader has, and that were completed since. */
async function findLate(db: Db, { id, completedCount }: Objective, { after, completed }: HistoryRequest) {
  if (completed === null || completed >= completedCount) return [];
  return listLateIterations(db, id, { last: after, completedCount: completed });
}

/** An objective with rows of its iterations, in order, none left out. */
export interface RunTable {
  readonly objective: Objective;
  readonly columns: ProjectColumns;
  /** Id of the last inverse, if more follow. */
  readonly nextAfter: number | null;
  readonly batches: Batches;
}

/** Up to `limit` iterations after an iteration, and after an inverse. Throws NOT_FOUND. */
export async function getRunTable(
  db: Db,
  accountId: number,
  stamp: ObjectiveStamp,
  { limit, withDerivatives, ...after }: After & { readonly limit: number; readonly withDerivatives: boolean },
): Promise<RunTable> {
  const { objective, columns } = await readSubject(db, accountId, stamp);
  const isCut = limit < Number.POSITIVE_INFINITY;
  const nextAfter = isCut ? await findNextPage(db, accountId, stamp.id, { limit, after: after.inverseId }) : null;
  const width = numbersPerRow(objective, withDerivatives);
  return { objective, columns, nextAfter, batches: readAll(db, stamp, width, after, { limit, withDerivatives }) };
}

interface After {
  readonly iteration: number;
  readonly inverseId: number;
}

async function readSubject(db: Db, accountId: number, stamp: ObjectiveStamp) {
  const objective = await findObjective(db, accountId, stamp.id);
  if (objective === undefined) {
    throw await missingInPath(db, accountId, {}, { resource: 'objective', id: stamp.id });
  }
  return { objective, columns: await readProjectColumns(db, stamp.projectId, objective.objectives.length) };
}

function numbersPerRow({ initialInput, objectives }: Objective, withDerivatives = false): number {
  const [n, m] = [initialInput.length, objectives.length];
  return withDerivatives ? n + m + n * m : n + m;
}

function rowsPerRead(width: number): number {
  return Math.max(1, Math.min(ROWS_PER_READ, Math.floor(NUMBERS_PER_READ / width)));
}

async function* readAll(
  db: Db,
  stamp: ObjectiveStamp,
  width: number,
  after: After,
  { limit = Number.POSITIVE_INFINITY, withDerivatives = false } = {},
): AsyncGenerator<readonly HistoryRow[], void> {
  const size = rowsPerRead(width);
  let last = after.iteration;
  for (let left = limit; left > 0; left -= size) {
    const rows = await listHistory(db, stamp.id, { ...after, iteration: last }, Math.min(size, left), withDerivatives);
    // The first iteration is not known if an inverse tells where to begin.
    const isFirst = after.inverseId > 0 && last === after.iteration;
    refuseGaps(isFirst ? rows[0]?.iteration : last + 1, rows);
    if (rows.length > 0) yield rows;
    last = rows.at(-1)?.iteration ?? last;
    if (rows.length < size) break;
  }
  // One that was being computed is removed when nothing new is found beside others.
  const end = stamp.hasInput ? stamp.iteration : stamp.iteration - 1;
  if (limit === Number.POSITIVE_INFINITY && after.inverseId === 0 && last < end) throw new GapError();
}

async function* readThinned(
  db: Db,
  stamp: ObjectiveStamp,
  width: number,
  after: number,
  choice: { readonly every: number; readonly named: readonly number[] },
): AsyncGenerator<readonly HistoryRow[], void> {
  const size = rowsPerRead(width);
  for (let last = after; ; ) {
    const rows = await listThinnedHistory(db, stamp.id, last, choice, size);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    last = rows.at(-1)!.iteration;
  }
}

/** Iterations are numbered without a gap; only the purge of a deleted objective removes some. */
function refuseGaps(first: number | undefined, rows: readonly HistoryRow[]): void {
  if (first === undefined) return;
  rows.forEach(({ iteration }, i) => {
    if (iteration !== first + i) throw new GapError();
  });
}

/** The objective was purged while it was being read. */
class GapError extends Error {
  constructor() {
    super('iterations were purged while they were being read');
    this.name = 'GapError';
  }
}
