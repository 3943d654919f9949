/**
 * Deleting disables a record and everything below it, in one transaction and at one instant. Rows that were disabled
 * before keep their instant. Running objectives stop, as if stopped by hand: no deleted objective stays RUNNING or keeps an
 * open inverse. Batches on the record are cancelled. Their jobs are dropped, so that no worker computes them for nothing, and waiting requests are woken.
 */
import { type RawBuilder, sql } from 'kysely';
import { StopReason, TRANSITIONS } from '../../domain/search/stop-reason.ts';
import { cancelDeleted, lockOpenBatchesOf } from '../batches/batches.ts';
import type { Trx } from '../connection/transaction.ts';
import { FINISHED_CHANNEL } from '../search/suggestion-jobs.ts';

type Root = 'models' | 'projects' | 'trials' | 'objectives';

/** Column that names the root in each table below it, top down. */
const BELOW = {
  models: { column: 'model_id', tables: ['projects', 'output_case_sets', 'trials', 'objectives'] },
  projects: { column: 'project_id', tables: ['output_case_sets', 'trials', 'objectives'] },
  trials: { column: 'trial_id', tables: ['objectives'] },
  objectives: { column: 'id', tables: [] },
} as const satisfies Record<Root, { column: string; tables: readonly string[] }>;

/** Returns false when the account has no such record; a record that is disabled already is fine. */
export async function disableTree(trx: Trx, accountId: number, root: Root, id: number): Promise<boolean> {
  if (root !== 'objectives') await cancelBatches(trx, accountId, root, id);
  const found = await sql<{ id: number }>`
    update ${sql.table(root)} set disabled_at = coalesce(disabled_at, now()), updated_at = now()
    where account_id = ${accountId} and id = ${id} returning id`.execute(trx);
  if (found.rows.length === 0) return false;
  const { column, tables } = BELOW[root];
  for (const table of tables) {
    await sql`
      update ${sql.table(table)} set disabled_at = now(), updated_at = now()
      where account_id = ${accountId} and ${sql.ref(column)} = ${id} and disabled_at is null`.execute(trx);
  }
  await stopBelow(trx, sql`account_id = ${accountId} and ${sql.ref(column)} = ${id}`);
  return true;
}

/** Batches come first in the lock order. An objective that is deleted alone leaves its batch going on without it. */
async function cancelBatches(
  trx: Trx,
  accountId: number,
  root: Exclude<Root, 'objectives'>,
  id: number,
): Promise<void> {
  const ids = await lockOpenBatchesOf(trx, accountId, BELOW[root].column, id);
  await cancelDeleted(trx, ids, `The ${root.slice(0, -1)} was deleted.`);
}

/** Stops the objectives that meet the condition, all of them disabled and locked by now, and disables their inverses. */
async function stopBelow(trx: Trx, isBelow: RawBuilder<unknown>): Promise<void> {
  const { stopReason, inverseStatus } = TRANSITIONS['stopped-by-hand'];
  await sql`
    update objectives set stop_reason = ${stopReason}, version = version + 1, updated_at = now()
    where ${isBelow} and stop_reason = ${StopReason.running}`.execute(trx);
  const objectives = sql`select id from objectives where ${isBelow}`;
  await sql`delete from suggestion_jobs where objective_id in (${objectives})`.execute(trx);
  await sql`
    with stopped as (
      update inverses set status = ${inverseStatus}, stopped_at = now()
      where objective_id in (${objectives}) and status = 'active' and output is null
      returning id, input)
    select pg_notify(${FINISHED_CHANNEL}, id::text) from stopped where input is null`.execute(trx);
  await sql`
    update inverses set disabled_at = now(), updated_at = now()
    where objective_id in (${objectives}) and disabled_at is null`.execute(trx);
}
