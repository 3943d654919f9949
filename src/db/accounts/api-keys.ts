import { sql } from 'kysely';
import type { KeyRecord, Scope } from '../../domain/accounts/api-key.ts';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import type { Role } from '../../domain/people/people.ts';
import { compileOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { counts } from './grants.ts';

/** A key as operators and authentication see it, with its account. */
export interface StoredKey extends KeyRecord {
  readonly accountId: number;
  readonly accountName: string;
  readonly secretHash: Buffer;
}

export interface NewKey {
  readonly accountId: number;
  readonly keyId: string;
  readonly secretHash: Buffer;
  readonly label: string | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** Person who owns it; absent: it is the account's. */
  readonly personId?: number | null;
  readonly isBound?: boolean;
  /** As records name whoever made it; absent: an operator. */
  readonly createdBy?: string | null;
}

const COLUMNS = [
  'k.id as id',
  'k.key_id as keyId',
  'k.label as label',
  'k.scopes as scopes',
  'k.created_at as createdAt',
  'k.expires_at as expiresAt',
  'k.revoked_at as revokedAt',
  'k.last_used_at as lastUsedAt',
  'k.successor_id as successorId',
  'k.person_id as personId',
  'p.name as personName',
  'k.is_bound as isBound',
  'k.created_by as createdBy',
] as const;

/** Scopes were checked before they were stored. */
function toRecord<Row extends { readonly scopes: readonly string[] }>(row: Row): Row & Pick<KeyRecord, 'scopes'> {
  return row as Row & Pick<KeyRecord, 'scopes'>;
}

const keys = (db: Db | Trx) =>
  db
    .selectFrom('api_keys as k')
    .innerJoin('accounts as a', 'a.id', 'k.account_id')
    .leftJoin('people as p', 'p.id', 'k.person_id')
    .select(COLUMNS)
    .select(['k.account_id as accountId', 'a.name as accountName', 'k.secret_hash as secretHash']);

/** A key as authentication sees it. */
export interface UsableKey
  extends Pick<
    StoredKey,
    'id' | 'accountId' | 'keyId' | 'label' | 'scopes' | 'secretHash' | 'personId' | 'personName' | 'isBound'
  > {
  /** Role of its person in the account; null: it is the account's. */
  readonly role: Role | null;
  /** Whether it gives no rights until its person has signed in by the OpenID provider again. */
  readonly isLapsed: boolean;
}

const selectUsable = compileOnce<{ keyId: string }, UsableKey>((db, value) =>
  db
    .selectFrom('api_keys as k')
    .innerJoin('accounts as a', 'a.id', 'k.account_id')
    .leftJoin('memberships as m', (join) =>
      join.onRef('m.account_id', '=', 'k.account_id').onRef('m.person_id', '=', 'k.person_id'),
    )
    .leftJoin('people as p', 'p.id', 'k.person_id')
    .select(['k.id as id', 'k.account_id as accountId', 'k.key_id as keyId', 'k.label as label', 'k.scopes as scopes'])
    .select(['k.secret_hash as secretHash', 'k.person_id as personId', 'k.is_bound as isBound', 'p.name as personName'])
    .select('m.role as role')
    .select(sql<boolean>`(k.person_id is not null and not ${counts('m')})`.as('isLapsed'))
    .where('k.key_id', '=', value('keyId'))
    .where('k.revoked_at', 'is', null)
    .where('a.disabled_at', 'is', null)
    .where((where) => where.or([where('k.person_id', 'is', null), where('m.role', 'is not', null)]))
    .where((where) => where.or([where('k.expires_at', 'is', null), where('k.expires_at', '>', sql<Date>`now()`)]))
    .$castTo<UsableKey>(),
);

/** The key of that id while it may be used: not revoked, not expired by the database's clock, account active, its person a member. */
export async function findUsableKey(db: Db, keyId: string): Promise<UsableKey | undefined> {
  const [key] = await selectUsable(db, { keyId });
  return key;
}

/** Lists the keys of all accounts. */
export async function listKeys(db: Db): Promise<readonly StoredKey[]> {
  return (await keys(db).orderBy('k.id').execute()).map(toRecord);
}

/** Finds a key of any account. Unique key id. */
export async function findKey(db: Db | Trx, keyId: string): Promise<StoredKey | undefined> {
  const row = await keys(db).where('k.key_id', '=', keyId).executeTakeFirst();
  return row && toRecord(row);
}

const keysOfAccount = (db: Db | Trx, accountId: number) =>
  db
    .selectFrom('api_keys as k')
    .leftJoin('people as p', 'p.id', 'k.person_id')
    .select(COLUMNS)
    .where('k.account_id', '=', accountId);

/** Primary key. */
export async function findAccountKey(db: Db | Trx, accountId: number, id: number): Promise<KeyRecord | undefined> {
  const row = await keysOfAccount(db, accountId).where('k.id', '=', id).executeTakeFirst();
  return row && toRecord(row);
}

/** @param personId  only the keys of this person */
export async function listAccountKeys(
  db: Db,
  accountId: number,
  page: PageRequest,
  personId: number | null = null,
): Promise<Page<KeyRecord>> {
  const rows = await keysOfAccount(db, accountId)
    .$if(personId !== null, (all) => all.where('k.person_id', '=', personId))
    .where('k.id', '>', page.after ?? 0)
    .orderBy('k.id')
    .limit(page.limit + 1)
    .execute();
  return toPage(rows.map(toRecord), page);
}

/** As what records name the keys of the account that have not been revoked; served by api_keys_account. */
export async function listLabels(db: Db | Trx, accountId: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select(sql<string>`coalesce(label, key_id)`.as('label'))
    .where('account_id', '=', accountId)
    .where('person_id', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
  return rows.map(({ label }) => label);
}

/** Keys of the account, or of one person in it, that may be used at `instant`; served by api_keys_account. */
export async function countUsableKeys(
  trx: Trx,
  accountId: number,
  instant: Date,
  personId: number | null = null,
): Promise<number> {
  const { count } = await keysOfAccount(trx, accountId)
    .clearSelect()
    .$if(personId !== null, (all) => all.where('k.person_id', '=', personId))
    .select(sql<number>`count(*)::int`.as('count'))
    .where('k.revoked_at', 'is', null)
    .where((where) => where.or([where('k.expires_at', 'is', null), where('k.expires_at', '>', instant)]))
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Whether the account has a key with the scope admin, other than `id`, that may still be used after `instant`. A
 * rotated key is being phased out and does not count, and that of a person ends with the membership.
 */
export async function hasOtherAdminKey(trx: Trx, accountId: number, id: number, instant: Date): Promise<boolean> {
  const row = await keysOfAccount(trx, accountId)
    .where('k.id', '<>', id)
    .where('k.person_id', 'is', null)
    .where(sql<boolean>`'admin' = any (k.scopes)`)
    .where('k.successor_id', 'is', null)
    .where('k.revoked_at', 'is', null)
    .where((where) => where.or([where('k.expires_at', 'is', null), where('k.expires_at', '>', instant)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores a key and returns its id; undefined when the key id exists already, which is left as it is. */
export async function insertKey(db: Db | Trx, key: NewKey): Promise<number | undefined> {
  const row = await db
    .insertInto('api_keys')
    .values({
      account_id: key.accountId,
      key_id: key.keyId,
      secret_hash: key.secretHash,
      label: key.label,
      scopes: key.scopes,
      expires_at: key.expiresAt,
      person_id: key.personId ?? null,
      is_bound: key.isBound ?? true,
      created_by: key.createdBy ?? null,
    })
    .onConflict((conflict) => conflict.column('key_id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Writes the columns of a key that may change; the account is locked. Primary key. */
export async function updateKey(trx: Trx, key: KeyRecord): Promise<void> {
  await trx
    .updateTable('api_keys')
    .set({ label: key.label, expires_at: key.expiresAt, successor_id: key.successorId })
    .where('id', '=', key.id)
    .execute();
}

/** Revokes a key; false when there is none of that id. Revoking twice keeps the first instant. */
export async function revokeKey(db: Db | Trx, keyId: string): Promise<boolean> {
  const rows = await db
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('key_id', '=', keyId)
    .returning('id')
    .execute();
  return rows.length === 1;
}

/** Records the last use of many keys in one statement; instants only move forward. */
export async function recordKeyUse(db: Db, uses: ReadonlyMap<string, Date>): Promise<void> {
  if (uses.size === 0) return;
  const keyIds = [...uses.keys()];
  const instants = [...uses.values()].map((at) => at.toISOString());
  await sql`
    update api_keys k set last_used_at = greatest(k.last_used_at, u.used_at)
    from unnest(${keyIds}::text[], ${instants}::timestamptz[]) as u (key_id, used_at)
    where k.key_id = u.key_id`.execute(db);
}
