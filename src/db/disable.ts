/**
 * Deleting disables a record and everything below it, in one transaction and at one instant. Rows that were disabled
 * before keep their instant. Inverses follow their objective without a mark of their own: there may be a million of them.
 * Open jobs of what is disabled are dropped, so that no worker computes for nobody.
 */
import { sql } from 'kysely';
import type { Trx } from './transaction.ts';

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
  const objectives = sql`select id from objectives where account_id = ${accountId} and ${sql.ref(column)} = ${id}`;
  await sql`delete from suggestion_jobs where objective_id in (${objectives})`.execute(trx);
  return true;
}
