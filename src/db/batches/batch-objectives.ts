/** The objectives of batches: what was stated, and what became of it. */
import { sql } from 'kysely';
import type { PageRequest } from '../../domain/page.ts';
import type { NewObjective } from '../../domain/search/objective.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { rowsOfPage } from '../pages.ts';

/** Number of objectives of a batch. */
export async function countBatchObjectives(trx: Trx, batchId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(max(position), 0)::int as count from batch_objectives where batch_id = ${batchId}`.execute(trx);
  return rows[0]!.count;
}

/** Adds them after position `last`. The caller holds the lock of the batch, or has just made it. */
export async function insertBatchObjectives(
  trx: Trx,
  accountId: number,
  batchId: number,
  last: number,
  definitions: readonly NewObjective[],
): Promise<void> {
  const texts = definitions.map((definition) => JSON.stringify(definition));
  await sql`
    insert into batch_objectives (batch_id, account_id, position, definition)
    select ${batchId}, ${accountId}, ${last}::int + d.position, d.text::jsonb
    from unnest(${texts}::text[]) with ordinality d (text, position)`.execute(trx);
}

/** Lowers the attempts of the objectives that wait: further cases count for them. The caller holds the lock of the batch. */
export async function lowerAttempts(trx: Trx, batchId: number, by: number): Promise<void> {
  await sql`
    update batch_objectives
    set definition = jsonb_set(definition, '{maximumAttempts}', to_jsonb((definition->>'maximumAttempts')::int - ${by}::int))
    where batch_id = ${batchId} and objective_id is null and failure_reason is null`.execute(trx);
}

export interface WaitingObjective {
  readonly position: number;
  readonly definition: NewObjective;
}

/** The first objectives of a batch whose time has not come. Served by batch_objectives_waiting. */
export async function listWaitingObjectives(
  db: Db | Trx,
  batchId: number,
  limit: number,
): Promise<readonly WaitingObjective[]> {
  const { rows } = await sql<WaitingObjective>`
    select position, definition from batch_objectives
    where batch_id = ${batchId} and objective_id is null and failure_reason is null
    order by position limit ${limit}`.execute(db);
  return rows;
}

/** Stores the outcome of an objective that waited; false if it is known already. The caller holds the lock of the batch. */
export async function decideObjective(
  trx: Trx,
  batchId: number,
  position: number,
  outcome: { readonly objectiveId: number } | { readonly failureReason: string },
): Promise<boolean> {
  const { objectiveId, failureReason } = { objectiveId: null, failureReason: null, ...outcome };
  const { numAffectedRows } = await sql`
    update batch_objectives set objective_id = ${objectiveId}, failure_reason = ${failureReason}
    where batch_id = ${batchId} and position = ${position} and objective_id is null and failure_reason is null`.execute(
    trx,
  );
  return numAffectedRows === 1n;
}

/** States why an objective that has been created was given up: `reason`, with why its last suggestion failed. */
export async function noteGivenUp(trx: Trx, batchId: number, objectiveId: number, reason: string): Promise<void> {
  await sql`
    update batch_objectives set failure_reason = ${reason}::text || coalesce((
      select '; the last one: ' || failure_reason from inverses
      where objective_id = ${objectiveId} and failure_reason is not null order by iteration desc limit 1), '')
    where batch_id = ${batchId} and objective_id = ${objectiveId}`.execute(trx);
}

/** Ids of the running objectives of a batch, in order. */
export async function listRunningIds(trx: Trx, batchId: number): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from objectives
    where batch_id = ${batchId} and stop_reason = ${sql.lit(StopReason.running)} and disabled_at is null
    order by id`.execute(trx);
  return rows.map(({ id }) => id);
}

export interface BatchObjectiveRow {
  readonly position: number;
  readonly objectiveId: number | null;
  readonly failureReason: string | null;
  /** Its inverses that were completed or given up. */
  readonly completedCount: number;
}

/** In the order of the batch, after a position. Primary key. */
export async function listBatchObjectives(
  db: Db,
  accountId: number,
  batchId: number,
  page: PageRequest,
): Promise<readonly BatchObjectiveRow[]> {
  const { condition, order } = rowsOfPage('q.position', page);
  const { rows } = await sql<BatchObjectiveRow>`
    select q.position, q.objective_id as "objectiveId", q.failure_reason as "failureReason",
      coalesce(o.completed_count, 0) as "completedCount"
    from batch_objectives q left join objectives o on o.id = q.objective_id
    where q.batch_id = ${batchId} and q.account_id = ${accountId} and ${condition}
    order by ${order} limit ${page.limit}`.execute(db);
  return rows;
}
