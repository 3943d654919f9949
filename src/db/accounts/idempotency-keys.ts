/** Idempotency keys with the outcomes of their requests. A key is valid for 24 hours by the database's clock. */
import { sql } from 'kysely';
import { compileSqlOnce } from '../connection/compiled.ts';
import { ConflictError, type Db, type Trx } from '../connection/transaction.ts';
import { deleteStored, positionOf } from './account-usage.ts';

/** The scope of a client's key, and the digest of the body that was sent with it. */
export interface IdempotentRequest {
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

/** State in which a transaction found the key that it took. */
export interface TakenKey {
  /** Undefined when the key is new or has expired. */
  readonly known: StoredOutcome | undefined;
  /** Identifies the row for storeOutcome; null: there was none. */
  readonly version: string | null;
}

const LIFETIME = sql`interval '24 hours'`;
/** Rows of one purging statement, so that it stays within its time limit. */
const PURGE_LIMIT = 5_000;

type Named = IdempotentRequest & { readonly name: string };

const takeKeyOnce = compileSqlOnce<
  Named,
  { readonly isLocked: boolean; readonly counts: boolean; readonly version: string | null } & StoredOutcome
>(
  (value) => sql`
    select pg_try_advisory_xact_lock(hashtextextended(${value('name')}, 0)) as "isLocked",
      k.xmin::text as version, k.created_at > now() - ${LIFETIME} as counts, k.fingerprint, k.outcome
    from (select) as one left join idempotency_keys k on k.account_id = ${value('accountId')}
      and k.key = ${value('key')} and k.method = ${value('method')} and k.path = ${value('path')}`,
);

/**
 * Takes the key for the rest of the transaction and reads its row. Undefined: another transaction holds the key. A row that was
 * committed between the start of this statement and the lock is not seen; storeOutcome notices it. Primary key.
 */
export async function takeKey(trx: Trx, request: IdempotentRequest): Promise<TakenKey | undefined> {
  const { accountId, method, path, key } = request;
  const rows = await takeKeyOnce(trx, { ...request, name: [accountId, method, path, key].join(' ') });
  const { isLocked, version, counts, ...stored } = rows[0]!;
  if (!isLocked) return undefined;
  return { known: counts ? stored : undefined, version };
}

/** Undefined when the key is new or has expired. Primary key. */
export function findOutcome(db: Db | Trx, request: IdempotentRequest): Promise<StoredOutcome | undefined> {
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

const insertOutcome = compileSqlOnce<IdempotentRequest & { readonly stored: string }, never>(
  (value) => sql`
    insert into idempotency_keys (account_id, key, method, path, fingerprint, outcome)
    values (${value('accountId')}, ${value('key')}, ${value('method')}, ${value('path')}, ${value('fingerprint')},
      ${value('stored')})`,
);

/**
 * Stores the outcome of the request over the row that was seen when the key was taken. If another row is there by now, it
 * rejects with an error that makes inTransaction run again.
 */
export async function storeOutcome(
  trx: Trx,
  request: IdempotentRequest,
  { version }: Pick<TakenKey, 'version'>,
  outcome: object,
): Promise<void> {
  const { accountId, key, method, path, fingerprint } = request;
  const stored = JSON.stringify(outcome);
  if (version === null) {
    await insertOutcome(trx, { ...request, stored });
    return;
  }
  const { numAffectedRows } = await sql`
    update idempotency_keys set fingerprint = ${fingerprint}, outcome = ${stored}, created_at = default
    where account_id = ${accountId} and key = ${key} and method = ${method} and path = ${path}
      and xmin = ${version}::xid`.execute(trx);
  if (numAffectedRows !== 1n) throw new ConflictError('the key was used meanwhile');
}

/** Removes some expired keys; returns how many. Served by idempotency_keys_position. */
export async function purgeExpiredKeys(db: Db): Promise<number> {
  const deletion = sql`
    delete from idempotency_keys where ctid = any (array(
      select ctid from idempotency_keys
      where ${positionOf(sql.ref('created_at'))} <= ${positionOf(sql`(now() - ${LIFETIME})`)} limit ${PURGE_LIMIT}))`;
  return (await deleteStored(db, 'idempotency_keys', deletion)).length;
}
