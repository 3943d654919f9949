/** Keys by which clients name a request, with what came of it. A key counts for 24 hours by the database's clock. */
import { sql } from 'kysely';
import { compileSqlOnce } from './compiled.ts';
import { BEGINS_TRANSACTION, ENDS_TRANSACTION } from './send-ahead.ts';
import { ConflictError, type Db, sqlState, type Trx } from './transaction.ts';

/** What a client's key is scoped to, and the digest of the body that was sent under it. */
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

/** What a transaction that took a key has seen of it. */
export interface TakenKey {
  /** Undefined when the key is new or has expired. */
  readonly known: StoredOutcome | undefined;
  /** Which row it was, to be handed to storeOutcome; null: there was none. */
  readonly version: string | null;
}

const LIFETIME = sql`interval '24 hours'`;
/** Rows of one purging statement, so that none of them runs into its time limit. */
const PURGE_LIMIT = 5_000;

type Named = IdempotentRequest & { readonly name: string };

function named(request: IdempotentRequest): Named {
  const { accountId, method, path, key } = request;
  return { ...request, name: [accountId, method, path, key].join(' ') };
}

const takeNewKey = compileSqlOnce<Named, never>(
  (value) => sql`${sql.raw(BEGINS_TRANSACTION)} select take_new_idempotency_key(
    ${value('accountId')}, ${value('key')}, ${value('method')}, ${value('path')}, ${value('name')})`,
);

/**
 * Takes the key, of which no row is known, for the rest of the transaction; comes first in it. When there is a row, or another
 * transaction runs under the key, the next statement rejects, see isKeyNotNew. Primary key.
 */
export async function takeKeyAhead(trx: Trx, request: IdempotentRequest): Promise<TakenKey> {
  await takeNewKey(trx, named(request));
  return { known: undefined, version: null };
}

/** Of migration 0011. */
const NOT_NEW = 'BSKEY';

/** Whether takeKeyAhead failed: tryTakeKey tells why. */
export function isKeyNotNew(error: unknown): boolean {
  return sqlState(error) === NOT_NEW;
}

const takeKey = compileSqlOnce<
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
 * Takes the key for the rest of the transaction and looks at its row. Undefined: another transaction runs under it. What was
 * committed between the beginning of this statement and the lock is not seen; storeOutcome finds out. Primary key.
 */
export async function tryTakeKey(trx: Trx, request: IdempotentRequest): Promise<TakenKey | undefined> {
  const rows = await takeKey(trx, named(request));
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
  (value) => sql`${sql.raw(ENDS_TRANSACTION)}
    insert into idempotency_keys (account_id, key, method, path, fingerprint, outcome)
    values (${value('accountId')}, ${value('key')}, ${value('method')}, ${value('path')}, ${value('fingerprint')},
      ${value('stored')})`,
);

/**
 * Stores what came of the request, replacing the row that was seen when the key was taken and no other; the last statement
 * of its transaction. When there is another row by now it, or the commit, rejects with what makes the transaction run again.
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

/** Removes some expired keys; returns how many. Served by idempotency_keys_created. */
export async function purgeExpiredKeys(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid = any (array(
      select ctid from idempotency_keys where created_at <= now() - ${LIFETIME} limit ${PURGE_LIMIT}))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
