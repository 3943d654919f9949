import { sql } from 'kysely';
import { compileOnce } from './compiled.ts';
import type { Db, Trx } from './transaction.ts';

export interface StoredKey {
  readonly keyId: string;
  readonly accountId: number;
  readonly accountName: string;
  readonly secretHash: Buffer;
  readonly label: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export interface NewKey {
  readonly accountId: number;
  readonly keyId: string;
  readonly secretHash: Buffer;
  readonly label: string | null;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
}

const keys = (db: Db | Trx) =>
  db
    .selectFrom('api_keys as k')
    .innerJoin('accounts as a', 'a.id', 'k.account_id')
    .select([
      'k.key_id as keyId',
      'k.account_id as accountId',
      'a.name as accountName',
      'k.secret_hash as secretHash',
      'k.label as label',
      'k.scopes as scopes',
      'k.created_at as createdAt',
      'k.expires_at as expiresAt',
      'k.revoked_at as revokedAt',
      'k.last_used_at as lastUsedAt',
    ]);

const selectUsable = compileOnce<{ keyId: string }, StoredKey>((db, value) =>
  keys(db)
    .where('k.key_id', '=', value('keyId'))
    .where('k.revoked_at', 'is', null)
    .where('a.disabled_at', 'is', null)
    .where((where) => where.or([where('k.expires_at', 'is', null), where('k.expires_at', '>', sql<Date>`now()`)])),
);

/** The key of that id while it may be used: not revoked, not expired by the database's clock, account active. */
export async function findUsableKey(db: Db, keyId: string): Promise<StoredKey | undefined> {
  const [key] = await selectUsable(db, { keyId });
  return key;
}

export function listKeys(db: Db): Promise<StoredKey[]> {
  return keys(db).orderBy('k.id').execute();
}

/** Stores a key; a key id that exists already is left as it is. Returns whether it was new. */
export async function insertKey(db: Db | Trx, key: NewKey): Promise<boolean> {
  const rows = await db
    .insertInto('api_keys')
    .values({
      account_id: key.accountId,
      key_id: key.keyId,
      secret_hash: key.secretHash,
      label: key.label,
      scopes: key.scopes,
      expires_at: key.expiresAt,
    })
    .onConflict((conflict) => conflict.column('key_id').doNothing())
    .returning('id')
    .execute();
  return rows.length === 1;
}

/** Revokes a key; false when there is none of that id. Revoking twice keeps the first instant. */
export async function revokeKey(db: Db, keyId: string): Promise<boolean> {
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
