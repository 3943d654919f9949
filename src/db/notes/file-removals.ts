/** Keys of the store of objects under which a file may be that no note needs. */
import { sql } from 'kysely';
import type { Db, Trx } from '../connection/transaction.ts';

/** Longer than any upload takes. */
const UPLOAD_HOURS = 2;

/** Before the file is stored. */
export async function expectFile(db: Db, storageKey: string): Promise<void> {
  await sql`
    insert into file_removals (storage_key, due_at)
    values (${storageKey}, now() + make_interval(hours => ${sql.lit(UPLOAD_HOURS)}))`.execute(db);
}

/** In the transaction that stores its note; false: it is gone. */
export async function keepFile(trx: Trx, storageKey: string): Promise<boolean> {
  const { rows } = await sql`
    delete from file_removals where storage_key = ${storageKey} returning storage_key`.execute(trx);
  return rows.length === 1;
}

/** Some that are due, those first that have been for longest. */
export async function listDueFiles(db: Db, limit: number): Promise<readonly string[]> {
  const { rows } = await sql<{ storageKey: string }>`
    select storage_key as "storageKey" from file_removals where due_at <= now() order by due_at limit ${limit}`.execute(
    db,
  );
  return rows.map(({ storageKey }) => storageKey);
}

export async function forgetFile(db: Db, storageKey: string): Promise<void> {
  await sql`delete from file_removals where storage_key = ${storageKey}`.execute(db);
}

const RETRY_MINUTES = 10;

/** So that one that cannot be removed does not hold up the others. */
export async function postponeFile(db: Db, storageKey: string): Promise<void> {
  await sql`
    update file_removals set due_at = now() + make_interval(mins => ${sql.lit(RETRY_MINUTES)})
    where storage_key = ${storageKey}`.execute(db);
}
