import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { disableTree } from '../../db/deletion/disable.ts';
import { findExplanation } from '../../db/search/explanations.ts';
import * as inverses from '../../db/search/inverses.ts';
import * as objectives from '../../db/search/objectives.ts';
import { listOpenInverses, readOpenInverses } from '../../db/search/open-inverses.ts';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import { type Answer, answerOf } from '../../domain/search/answer.ts';
import type { StoredExplanation } from '../../domain/search/explanation.ts';
import { awaitsOutput, type Inverse, isBeingComputed } from '../../domain/search/inverse.ts';
import { findNearestRun } from '../../domain/search/nearest.ts';
import type { Objective } from '../../domain/search/objective.ts';
import { isFinal } from '../../domain/search/stop-reason.ts';
import { getTrial } from '../data/manage-trials.ts';
import { type InversePath, isUnder, missingInPath, type ObjectivePath, parentsOf, type TrialPath } from '../paths.ts';
import { type InverseView, viewOf } from '../views.ts';
import { judgeAll } from './judge-runs.ts';
import { readAnswer, readStandingsOf } from './read-answers.ts';

/** An objective whose inverses are read while they are written. */
export interface ReadObjective {
  readonly objective: Objective;
  readonly optimalInverse: Inverse | null;
  /** In lists null until a change of the trial's data has been judged. */
  readonly answer: Answer | null;
  /** Inverses that wait for their outputs or are being computed. */
  readonly openCount: number;
  /** In order of iteration. */
  readonly inverses: Iterable<readonly Inverse[]> | AsyncIterable<readonly Inverse[]>;
}

/** An objective as a request for this one shows it. */
export interface ExplainedObjective extends ReadObjective {
  /** null before the first suggestion. */
  readonly explanation: StoredExplanation | null;
}

export async function getObjective(db: Db, accountId: number, path: ObjectivePath): Promise<ExplainedObjective> {
  const objective = await withNearest(db, accountId, await getObjectiveWithParents(db, accountId, path));
  const explanation = (await findExplanation(db, accountId, objective.id)) ?? null;
  const [read] = await readGroup(db, accountId, [objective]);
  return { ...read!, explanation };
}

/** Judged for this reader while nothing is stored, as after a change of the trial's data. */
export async function withNearest(
  db: Db,
  accountId: number,
  objective: objectives.ObjectiveWithParents,
): Promise<objectives.ObjectiveWithParents> {
  if (objective.judgedThrough !== null) return objective;
  return { ...objective, ...(await judgeAll(db, accountId, objective)) };
}

/** The objectives are read while they are written; the page itself is known immediately. */
export async function listObjectives(
  db: Db,
  accountId: number,
  path: TrialPath,
  request: PageRequest,
): Promise<Pick<Page<never>, 'nextAfter'> & { readonly batches: AsyncIterable<readonly ReadObjective[]> }> {
  await getTrial(db, accountId, path);
  const page = await objectives.listObjectiveIds(db, accountId, path.trialId, request);
  return { nextAfter: page.nextAfter, batches: readByIds(db, accountId, page.items) };
}

/** The active objectives of a trial with their inverses, by id, as far as they exist when they are read. */
export async function* readObjectivesOf(
  db: Db,
  accountId: number,
  trialId: number,
): AsyncGenerator<readonly ReadObjective[], void> {
  let after: number | null = null;
  do {
    const page: Page<number> = await objectives.listObjectiveIds(db, accountId, trialId, {
      limit: IDS_PER_PAGE,
      after,
    });
    yield* readByIds(db, accountId, page.items);
    after = page.nextAfter;
  } while (after !== null);
}

const IDS_PER_PAGE = 1_000;
/** Objectives read first, before it is known how large they are. */
const FIRST_BATCH = 8;
/** Rows of one read, so that it neither fills memory nor blocks the event loop. */
const ROWS_PER_READ = 200;
const NUMBERS_PER_READ = 10_000;

async function* readByIds(
  db: Db,
  accountId: number,
  ids: readonly number[],
): AsyncGenerator<readonly ReadObjective[], void> {
  let size = FIRST_BATCH;
  for (let from = 0; from < ids.length; ) {
    const batch = await objectives.findObjectives(db, accountId, ids.slice(from, from + size));
    for (const group of groupByLength(batch)) yield await readGroup(db, accountId, group);
    from += size;
    const largest = Math.max(
      1,
      ...batch.map(({ objectives, initialInput }) => 5 * objectives.length + initialInput.length),
    );
    size = rowsPerRead(largest);
  }
}

/** Number of rows of one read. */
export function rowsPerRead(numbersPerRow: number): number {
  return Math.max(1, Math.min(ROWS_PER_READ, Math.floor(NUMBERS_PER_READ / numbersPerRow)));
}

/** Neighbours whose inverses are few enough to be read together; a long objective gets a group of its own. */
function groupByLength(batch: readonly Objective[]): readonly (readonly Objective[])[] {
  const groups: Objective[][] = [];
  let rowsLeft = 0;
  for (const objective of batch) {
    const rows = expectedRows(objective);
    if (rows > rowsLeft) {
      groups.push([]);
      rowsLeft = rowsPerRead(numbersOfInverse(objective));
    }
    groups.at(-1)!.push(objective);
    rowsLeft -= rows;
  }
  return groups;
}

/** The initial point and every suggestion. Failed computations, which are rare, are not counted. */
function expectedRows({ attemptCount }: Objective): number {
  return attemptCount + 2;
}

function numbersOfInverse({ objectives, initialInput }: Objective): number {
  return objectives.length + initialInput.length;
}

async function readGroup(db: Db, accountId: number, group: readonly Objective[]): Promise<readonly ReadObjective[]> {
  const [first] = group;
  if (group.length === 1 && expectedRows(first!) > rowsPerRead(numbersOfInverse(first!))) {
    const { optimalInverseId } = first!;
    const optimal = optimalInverseId === null ? undefined : await inverses.findInverse(db, accountId, optimalInverseId);
    const answer = await readAnswer(db, first!);
    const openCount = (await listOpenInverses(db, first!.id)).length;
    return [
      {
        objective: first!,
        openCount,
        optimalInverse: optimal ?? null,
        answer,
        inverses: readInverses(db, accountId, first!),
      },
    ];
  }
  const ids = group.map((objective) => objective.id);
  const found = Map.groupBy(await inverses.listAllInverses(db, accountId, ids), (inverse) => inverse.objectiveId);
  const standings = await readStandingsOf(db, group);
  return group.map((objective) => {
    const own = found.get(objective.id) ?? [];
    const optimalInverse = own.find((inverse) => inverse.id === objective.optimalInverseId) ?? null;
    const nearest = findNearestRun(objective, own);
    const standing = standings.get(objective.id) ?? null;
    const answer = answerOf(objective, { nearest, optimal: optimalInverse, standing });
    return { objective, optimalInverse, answer, openCount: countOpen(own), inverses: [own] };
  });
}

/** Number of these inverses of an objective that wait for their outputs or are being computed. */
export function countOpen(inverses: readonly Inverse[]): number {
  return inverses.filter((inverse) => isBeingComputed(inverse) || awaitsOutput(inverse)).length;
}

async function* readInverses(
  db: Db,
  accountId: number,
  objective: Objective,
  { limit, after }: PageRequest = { limit: Number.POSITIVE_INFINITY, after: null },
): AsyncGenerator<readonly Inverse[], void> {
  const size = rowsPerRead(numbersOfInverse(objective));
  let next = after;
  for (let left = limit; left > 0; left -= size) {
    const page = await inverses.listInverses(db, accountId, objective.id, { limit: Math.min(size, left), after: next });
    yield page.items;
    next = page.nextAfter;
    if (next === null) return;
  }
}

/** Disables the objective and its inverses. Idempotent. */
export async function deleteObjective(db: Db, accountId: number, path: ObjectivePath): Promise<void> {
  await getObjectiveWithParents(db, accountId, path);
  await inTransaction(db, (trx) => disableTree(trx, accountId, 'objectives', path.objectiveId));
}

export async function getInverse(db: Db, accountId: number, path: InversePath): Promise<InverseView> {
  const inverse = await inverses.findInverse(db, accountId, path.inverseId);
  const objective = inverse && (await objectives.findObjective(db, accountId, inverse.objectiveId));
  if (inverse === undefined || objective === undefined || !isInverseAt(path, objective)) {
    throw await missingInPath(db, accountId, path, { resource: 'inverse', id: path.inverseId });
  }
  return viewOf(objective, inverse);
}

/** The inverse with the highest iteration. */
export async function getNewestInverse(db: Db, accountId: number, path: ObjectivePath): Promise<InverseView> {
  const objective = await getObjectiveWithParents(db, accountId, path);
  return viewOf(objective, await inverses.getLastInverse(db, accountId, objective.id));
}

/** The inverses are read while they are written; the page itself is known immediately. */
export async function listInverses(
  db: Db,
  accountId: number,
  path: ObjectivePath,
  request: PageRequest,
): Promise<
  Pick<Page<never>, 'nextAfter'> & {
    readonly objective: Objective;
    readonly batches: AsyncIterable<readonly Inverse[]>;
  }
> {
  const objective = await getObjectiveWithParents(db, accountId, path);
  const nextAfter = await inverses.findNextPage(db, accountId, objective.id, request);
  return { objective, nextAfter, batches: readInverses(db, accountId, objective, request) };
}

/** A page of those that wait for their outputs or are being computed. */
export async function listOpen(db: Db, accountId: number, path: ObjectivePath, { limit, after }: PageRequest) {
  const objective = await getObjectiveWithParents(db, accountId, path);
  const open = isFinal(objective.stopReason) ? [] : await readOpenInverses(db, objective.id);
  const rest = open.filter(({ id }) => id > (after ?? 0));
  return { objective, ...toPage(rest.slice(0, limit + 1), { limit, after }) };
}

function isInverseAt(path: InversePath, objective: objectives.ObjectiveWithParents): boolean {
  return isUnder(path, { ...parentsOf(objective), objectiveId: objective.id });
}

export async function getObjectiveWithParents(
  db: Db,
  accountId: number,
  path: ObjectivePath,
): Promise<objectives.ObjectiveWithParents> {
  const objective = await objectives.findObjective(db, accountId, path.objectiveId);
  if (objective === undefined || !isUnder(path, parentsOf(objective)))
    throw await missingObjective(db, accountId, path);
  return objective;
}

function missingObjective(db: Db | Trx, accountId: number, path: ObjectivePath) {
  return missingInPath(db, accountId, path, { resource: 'objective', id: path.objectiveId });
}
