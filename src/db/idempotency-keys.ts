/** Keys by which clients name a request, with what came of it. A key counts for 24 hours by the database's clock. */
import { sql } from 'kysely';
import type { Db, Trx } from './transaction.ts';

/** What a client's key is scoped to, and the digest of the body that was sent under it. */
export interface KeyedRequest {
  readonly accountId: number;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly fingerprint: Buffer;
}

export interface StoredOutcome {
  readonly fingerprint: Buffer;
  readonly outcome: unknown;
}

const LIFETIME = sql`interval '24 hours'`;
/** Rows of one purging statement, so that none of them runs into its time limit. */
const PURGE_LIMIT = 5_000;

/**
 * Takes the key for the rest of the transaction. False: another transaction runs under it. To be a statement of its own
 * before the look at the row, because a statement sees only what was committed before it began.
 */
export async function tryLockKey(trx: Trx, request: KeyedRequest): Promise<boolean> {
  const name = [request.accountId, request.method, request.path, request.key].join(' ');
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as "isLocked"`.execute(trx);
  return rows[0]!.isLocked;
}

/** Undefined when the key is new or has expired. Primary key. */
export function findOutcome(db: Db | Trx, request: KeyedRequest): Promise<StoredOutcome | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'outcome'])
    .where('account_id', '=', request.accountId)
    .where('key', '=', request.key)
    .where('method', '=', request.method)
    .where('path', '=', request.path)
    .where('created_at', '>', sql<Date>`now() - ${LIFETIME}`)
    .executeTakeFirst();
}

/** Replaces what an expired key held. The caller holds the lock of the key. */
export async function storeOutcome(trx: Trx, request: KeyedRequest, outcome: object): Promise<void> {
  const stored = { fingerprint: request.fingerprint, outcome: JSON.stringify(outcome), created_at: sql<Date>`now()` };
  await trx
    .insertInto('idempotency_keys')
    .values({
      account_id: request.accountId,
      key: request.key,
      method: request.method,
      path: request.path,
      ...stored,
    })
    .onConflict((conflict) => conflict.constraint('idempotency_keys_primary').doUpdateSet(stored))
    .execute();
}

/** Removes some expired keys; returns how many. Served by idempotency_keys_created. */
export async function purgeExpiredKeys(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid = any (array(
      select ctid from idempotency_keys where created_at <= now() - ${LIFETIME} limit ${PURGE_LIMIT}))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
