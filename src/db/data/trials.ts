import { sql } from 'kysely';
import type { Trial, TrialStatus } from '../../domain/data/trial.ts';
import { type Extent, type Page, type PageRequest, toPage } from '../../domain/page.ts';
import { anyOf } from '../connection/prepared-statements.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { isWithinExtent } from '../extent.ts';

const COLUMNS = [
  'id',
  'model_id as modelId',
  'project_id as projectId',
  'output_case_set_id as outputCaseSetId',
  'number',
  'status',
  'revision',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'disabled_at as disabledAt',
] as const;

interface TrialRow extends Omit<Trial, 'status'> {
  readonly status: string;
}

/** A check constraint allows only the known statuses. */
function toTrial(row: TrialRow): Trial {
  return { ...row, status: row.status as TrialStatus };
}

function trials(db: Db | Trx, accountId: number) {
  return db.selectFrom('trials').select(COLUMNS).where('account_id', '=', accountId);
}

/** Disabled ones included. Primary key. */
export async function findTrial(db: Db | Trx, accountId: number, id: number): Promise<Trial | undefined> {
  const row = await trials(db, accountId).where('id', '=', id).executeTakeFirst();
  return row && toTrial(row);
}

/** Locks the row: objectives of one trial are numbered behind this lock, and a status change waits for them. */
export async function lockTrial(trx: Trx, accountId: number, id: number): Promise<Trial | undefined> {
  const row = await trials(trx, accountId).where('id', '=', id).forUpdate().executeTakeFirst();
  return row && toTrial(row);
}

export async function listTrials(
  db: Db,
  accountId: number,
  projectId: number,
  page: PageRequest,
  extent: Extent = 'active',
): Promise<Page<Trial>> {
  const rows = await trials(db, accountId)
    .where('project_id', '=', projectId)
    .where(isWithinExtent(extent))
    .where('id', '>', page.after ?? 0)
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return toPage(rows.map(toTrial), page);
}

/** The active trials of several projects, by id. */
export async function listTrialsOf(
  db: Db,
  accountId: number,
  projectIds: readonly number[],
): Promise<readonly Trial[]> {
  if (projectIds.length === 0) return [];
  const rows = await trials(db, accountId)
    .where('project_id', '=', anyOf(projectIds))
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(toTrial);
}

/** The oldest trial on each of the sets: the one that its load created. */
export async function findTrialsOfSets(
  db: Db,
  accountId: number,
  setIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (setIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('trials')
    .select(['output_case_set_id as setId', sql<number>`min(id)`.as('trialId')])
    .where('account_id', '=', accountId)
    .where('output_case_set_id', '=', anyOf(setIds))
    .groupBy('output_case_set_id')
    .execute();
  return new Map(rows.map((row) => [row.setId, row.trialId]));
}

export type NewTrial = Pick<Trial, 'modelId' | 'projectId' | 'outputCaseSetId'>;

/** Gives the trial the next number of its project. The caller holds the lock of the project. */
export async function insertTrial(trx: Trx, accountId: number, trial: NewTrial): Promise<Trial> {
  const row = await trx
    .insertInto('trials')
    .values({
      account_id: accountId,
      model_id: trial.modelId,
      project_id: trial.projectId,
      output_case_set_id: trial.outputCaseSetId,
      number: sql<number>`(select coalesce(max(number), 0) + 1 from trials where project_id = ${trial.projectId})`,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toTrial(row);
}

/** The caller holds the lock of the row. */
export async function setTrialStatus(trx: Trx, id: number, status: TrialStatus): Promise<Trial> {
  const row = await trx
    .updateTable('trials')
    .set({ status, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toTrial(row);
}

/**
 * Gives the data of a trial its next revision, behind the lock of the trial, which the caller holds, and passes it on to the
 * objectives: what is judged by older data counts no longer and is not stored. Locks the objectives. Returns the revision; of
 * `count` changes at once, that of the last one.
 */
export async function raiseRevision(trx: Trx, accountId: number, trialId: number, count = 1): Promise<number> {
  const { revision } = await trx
    .updateTable('trials')
    .set({ revision: sql<number>`revision + ${count}::integer`, updated_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('id', '=', trialId)
    .returning('revision')
    .executeTakeFirstOrThrow();
  // In order of id, as everything that locks several objectives of a project: two of these never wait for each other.
  await sql`
    with locked as materialized (
      select id from objectives where account_id = ${accountId} and trial_id = ${trialId} and disabled_at is null
      order by id for update)
    update objectives o set data_revision = ${revision}, version = o.version + 1, judged_through = null, nothing_new_at = null,
      nearest_iteration = null, nearest_case = null,
      nearest_case_input = null, nearest_case_output = null
    from locked l where o.id = l.id`.execute(trx);
  return revision;
}
