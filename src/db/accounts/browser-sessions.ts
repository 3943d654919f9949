/** Sessions of the page and sign-in links. Instants are compared by the database's clock. */
import { sql } from 'kysely';
import type { Scope } from '../../domain/api-key.ts';
import { IDLE_HOURS, LIFETIME_DAYS, LINK_MINUTES, MAXIMUM_SESSIONS } from '../../domain/browser-session.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db } from '../connection/transaction.ts';

export interface StoredSession {
  readonly id: number;
  readonly accountId: number;
  readonly accountName: string;
  /** Of the key that signed in; null: a link did. */
  readonly keyId: string | null;
  readonly scopes: readonly Scope[];
  /** When it ends at the latest. */
  readonly expiresAt: Date;
}

const IDLE = sql`make_interval(hours => ${sql.lit(IDLE_HOURS)})`;
const LIFETIME = sql`make_interval(days => ${sql.lit(LIFETIME_DAYS)})`;
/** Of `api_keys k` and `accounts a`. */
const IS_KEY_USABLE = sql`k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;
/** SHA-256 of both secrets of a session. */
interface SecretHashes {
  readonly tokenHash: Buffer;
  readonly pageHash: Buffer;
}

const COLUMNS = sql`s.id, s.account_id as "accountId", a.name as "accountName", s.scopes, s.expires_at as "expiresAt"`;

const selectUsable = compileSqlOnce<{ tokenHashes: readonly Buffer[] }, StoredSession & SecretHashes>(
  (value) => sql`
    select ${COLUMNS}, k.key_id as "keyId", s.token_hash as "tokenHash", s.page_hash as "pageHash"
    from browser_sessions s
    join accounts a on a.id = s.account_id
    left join api_keys k on k.id = s.key_id
    where s.token_hash = any(${value('tokenHashes')}::bytea[]) and s.page_hash is not null
      and s.expires_at > now() and s.last_used_at > now() - ${IDLE}
      and a.disabled_at is null and (s.key_id is null or (${IS_KEY_USABLE}))`,
);

/** The sessions of tokens that may be used: neither they nor their keys have ended, and the accounts are active. Unique hashes. */
export async function findUsableSessions(
  db: Db,
  tokenHashes: readonly Buffer[],
): Promise<readonly (StoredSession & SecretHashes)[]> {
  return tokenHashes.length === 0 ? [] : selectUsable(db, { tokenHashes });
}

/** Begins a session of a key, which it does not outlive; undefined when the key may not be used. */
export async function insertSessionOfKey(
  db: Db,
  { tokenHash, pageHash }: SecretHashes,
  keyId: string,
): Promise<StoredSession | undefined> {
  const { rows } = await sql<StoredSession>`
    with s as (
      insert into browser_sessions (token_hash, page_hash, account_id, key_id, scopes, expires_at)
      select ${tokenHash}::bytea, ${pageHash}::bytea, k.account_id, k.id, k.scopes, least(now() + ${LIFETIME}, k.expires_at)
      from api_keys k join accounts a on a.id = k.account_id
      where k.key_id = ${keyId} and a.disabled_at is null and ${IS_KEY_USABLE}
      returning *)
    select ${COLUMNS}, ${keyId}::text as "keyId" from s join accounts a on a.id = s.account_id`.execute(db);
  return rows[0];
}

/** Uses a link up and begins its session, in one statement; undefined when the link is unknown, used or expired. */
export async function redeemLink(
  db: Db,
  linkHash: Buffer,
  { tokenHash, pageHash }: SecretHashes,
): Promise<StoredSession | undefined> {
  const { rows } = await sql<StoredSession>`
    with link as (
      update sign_in_links l set used_at = now() from accounts a
      where l.token_hash = ${linkHash} and l.used_at is null and l.expires_at > now()
        and a.id = l.account_id and a.disabled_at is null
      returning l.account_id, l.scopes),
    s as (
      insert into browser_sessions (token_hash, page_hash, account_id, scopes, expires_at)
      select ${tokenHash}::bytea, ${pageHash}::bytea, account_id, scopes, now() + ${LIFETIME} from link
      returning *)
    select ${COLUMNS}, null as "keyId" from s join accounts a on a.id = s.account_id`.execute(db);
  return rows[0];
}

/** Ends the oldest sessions of an account that has too many. Served by browser_sessions_account. */
export async function removeSurplusSessions(db: Db, accountId: number): Promise<void> {
  await sql`
    delete from browser_sessions where account_id = ${accountId} and id <= (
      select id from browser_sessions where account_id = ${accountId}
      order by id desc offset ${MAXIMUM_SESSIONS} limit 1)`.execute(db);
}

export async function removeSession(db: Db, id: number): Promise<void> {
  await db.deleteFrom('browser_sessions').where('id', '=', id).execute();
}

export async function insertLink(
  db: Db,
  link: { readonly tokenHash: Buffer; readonly accountId: number; readonly scopes: readonly Scope[] },
): Promise<void> {
  await sql`
    insert into sign_in_links (token_hash, account_id, scopes, expires_at)
    values (${link.tokenHash}, ${link.accountId}, ${link.scopes}::text[],
      now() + make_interval(mins => ${sql.lit(LINK_MINUTES)}))`.execute(db);
}

/** Records the last use of many sessions in one statement; instants only move forward. */
export async function recordSessionUse(db: Db, uses: ReadonlyMap<number, Date>): Promise<void> {
  if (uses.size === 0) return;
  const ids = [...uses.keys()];
  const instants = [...uses.values()].map((at) => at.toISOString());
  await sql`
    update browser_sessions s set last_used_at = greatest(s.last_used_at, u.used_at)
    from unnest(${ids}::bigint[], ${instants}::timestamptz[]) as u (id, used_at)
    where s.id = u.id`.execute(db);
}

/** Removes sessions and links that have ended; returns how many. The tables are small, they are read as a whole. */
export async function purgeEndedSessions(db: Db): Promise<number> {
  const { rows } = await sql<{ purged: number }>`
    with sessions as (
      delete from browser_sessions where expires_at <= now() or last_used_at <= now() - ${IDLE} returning 1),
    links as (delete from sign_in_links where expires_at <= now() returning 1)
    select (select count(*) from sessions)::int + (select count(*) from links)::int as purged`.execute(db);
  return rows[0]!.purged;
}
