/** Counts what accounts store by the last count, and in truth. */
import { sql } from 'kysely';
import { countStorage } from '../../src/application/accounts/count-storage.ts';
import type { Db } from '../../src/db/connection/transaction.ts';

interface Stored {
  readonly accountId: number;
  readonly bytes: number;
  readonly rows: number;
}

/** Accounts that store something, by id. */
export async function listCounted(db: Db): Promise<readonly Stored[]> {
  const { rows } = await sql<Stored>`
    select account_id as "accountId", stored_bytes as bytes, stored_rows as rows from account_usage
    where stored_bytes > 0 or stored_rows > 0 order by 1`.execute(db);
  return rows;
}

/** The same, added up over all records. */
export async function listStored(db: Db): Promise<readonly Stored[]> {
  const { rows } = await sql<Stored>`
    select account_id as "accountId", sum(bytes)::bigint as bytes, sum(rows)::bigint as rows from stored_records
    group by 1 having sum(bytes) > 0 or sum(rows) > 0 order by 1`.execute(db);
  return rows;
}

/** A pass that counts every slice, however lately it was counted. */
export async function countAll(db: Db): Promise<void> {
  await sql`update storage_slices set counted_at = '2000-01-01', grown_at = '2000-01-01'`.execute(db);
  await countStorage(db);
}
