/** What accounts store. Triggers count it with every write (migration 0015); here it is only read. */
import { type RawBuilder, sql } from 'kysely';
import type { StorageQuota, StorageUsage } from '../../domain/storage.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';

const selectUsage = compileSqlOnce<{ readonly accountId: number }, StorageUsage>(
  (value) => sql`
    select coalesce(sum(stored_bytes), 0)::bigint as bytes, coalesce(sum(stored_rows), 0)::bigint as rows
    from account_usage where account_id = ${value('accountId')}`,
);

/** Includes what the caller's transaction has written, and not what others have not committed. Primary key. */
export async function readUsage(db: Db | Trx, accountId: number): Promise<StorageUsage> {
  const [usage] = await selectUsage(db, { accountId });
  return usage!;
}

/** A condition whose values may be placeholders: whether the account may keep as much more as is added. Primary key. */
export function isWithinQuota(
  accountId: number,
  { storedBytes, storedRows }: StorageQuota,
  added: { readonly bytes: RawBuilder<unknown>; readonly rows: RawBuilder<unknown> },
): RawBuilder<boolean> {
  const bytes = sql`${storedBytes}::bigint`;
  const rows = sql`${storedRows}::bigint`;
  return sql<boolean>`(${bytes} = 0 and ${rows} = 0 or (
    select (${bytes} = 0 or coalesce(sum(stored_bytes), 0) + ${added.bytes} <= ${bytes})
      and (${rows} = 0 or coalesce(sum(stored_rows), 0) + ${added.rows} <= ${rows})
    from account_usage where account_id = ${accountId}))`;
}
