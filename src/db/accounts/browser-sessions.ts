/** Sessions of the page and sign-in links. Instants are compared by the database's clock. */
import { sql } from 'kysely';
import type { Scope } from '../../domain/accounts/api-key.ts';
import { IDLE_HOURS, LIFETIME_DAYS, MAXIMUM_SESSIONS } from '../../domain/accounts/browser-session.ts';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import type { Lender, Role, SessionRecord } from '../../domain/people/people.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { counts, isKeyUsable, isStillLent } from './grants.ts';

export interface StoredSession {
  readonly id: number;
  readonly accountId: number;
  readonly accountName: string;
  /** Id of the key that signed in; null: none did. */
  readonly keyId: string | null;
  readonly keyRecordId: number | null;
  readonly keyLabel: string | null;
  /** Those with which it began: its key, or the role of its person, may allow less. */
  readonly scopes: readonly Scope[];
  readonly personId: number | null;
  readonly personName: string | null;
  /** Role of the person in the account; null without a person. */
  readonly role: Role | null;
  /** Whether it counts in its account only, although the person may be a member of others. */
  readonly isBound: boolean;
  /** Whoever let the person in by a link; null: nobody else did. */
  readonly lender: Lender | null;
  /** Latest time at which it ends. */
  readonly expiresAt: Date;
}

/** SHA-256 of both secrets of a session. */
interface SecretHashes {
  readonly tokenHash: Buffer;
  readonly pageHash: Buffer;
}

/** Hashes and name of a browser that signs in. */
export interface NewBrowser extends SecretHashes {
  /** As it calls itself; null: it does not say. */
  readonly browser: string | null;
}

const IDLE = sql`make_interval(hours => ${sql.lit(IDLE_HOURS)})`;
const LIFETIME = sql`make_interval(days => ${sql.lit(LIFETIME_DAYS)})`;
const COLUMNS = sql`s.id, s.account_id as "accountId", a.name as "accountName", k.key_id as "keyId", k.label as "keyLabel", s.scopes,
  s.person_id as "personId", p.name as "personName", m.role, s.is_bound as "isBound", s.key_id as "keyRecordId",
  s.expires_at as "expiresAt", case when s.lent_by is null and s.lent_key is null then null else
    json_build_object('personId', s.lent_by, 'keyRecordId', s.lent_key, 'name', coalesce(
      (select lender.name from people lender where lender.id = s.lent_by),
      (select coalesce(lent.label, lent.key_id) from api_keys lent where lent.id = s.lent_key))) end as lender`;
/** Joins of everything that belongs to `s`, a session. */
const BESIDES = sql`join accounts a on a.id = s.account_id
  left join api_keys k on k.id = s.key_id
  left join people p on p.id = s.person_id
  left join memberships m on m.account_id = s.account_id and m.person_id = s.person_id and ${counts('m')}`;
/** Condition on the tables that BESIDES joins. */
const IS_USABLE = sql`s.expires_at > now() and s.last_used_at > now() - ${IDLE} and a.disabled_at is null
  and (s.key_id is null or ${isKeyUsable('k')}) and (s.person_id is null or m.role is not null) and ${isStillLent('s')}`;

const selectUsable = compileSqlOnce<{ tokenHashes: readonly Buffer[] }, StoredSession & SecretHashes>(
  (value) => sql`
    select ${COLUMNS}, s.token_hash as "tokenHash", s.page_hash as "pageHash"
    from browser_sessions s ${BESIDES}
    where s.token_hash = any(${value('tokenHashes')}::bytea[]) and s.page_hash is not null and ${IS_USABLE}`,
);

/** The sessions of tokens that may be used: neither they, their keys nor memberships have ended, and the accounts are active. Unique hashes. */
export async function findUsableSessions(
  db: Db,
  tokenHashes: readonly Buffer[],
): Promise<readonly (StoredSession & SecretHashes)[]> {
  return tokenHashes.length === 0 ? [] : selectUsable(db, { tokenHashes });
}

/** Begins a session of a key, which it does not outlive; undefined when the key may not be used. */
export async function insertSessionOfKey(
  db: Db,
  { tokenHash, pageHash, browser }: NewBrowser,
  keyId: string,
): Promise<StoredSession | undefined> {
  const { rows } = await sql<StoredSession>`
    with s as (
      insert into browser_sessions (token_hash, page_hash, browser, account_id, key_id, scopes, person_id, is_bound, expires_at)
      select ${tokenHash}::bytea, ${pageHash}::bytea, ${browser}, k.account_id, k.id, k.scopes, k.person_id, k.is_bound,
        least(now() + ${LIFETIME}, k.expires_at)
      from api_keys k join accounts a on a.id = k.account_id
      where k.key_id = ${keyId} and a.disabled_at is null and ${isKeyUsable('k')} and (k.person_id is null or exists (
        select from memberships m where m.account_id = k.account_id and m.person_id = k.person_id and ${counts('m')}))
      returning *)
    select ${COLUMNS} from s ${BESIDES}`.execute(db);
  return rows[0];
}

/** Begins a session of a person in an account; undefined unless the person is a member of it. */
export async function insertSessionOfPerson(
  db: Db | Trx,
  { tokenHash, pageHash, browser }: NewBrowser,
  {
    accountId,
    personId,
    scopes,
  }: { readonly accountId: number; readonly personId: number; readonly scopes: readonly Scope[] },
): Promise<StoredSession | undefined> {
  const { rows } = await sql<StoredSession>`
    with s as (
      insert into browser_sessions (token_hash, page_hash, browser, account_id, scopes, person_id, is_bound, expires_at)
      select ${tokenHash}::bytea, ${pageHash}::bytea, ${browser}, m.account_id, ${scopes}::text[], m.person_id, false, now() + ${LIFETIME}
      from memberships m join accounts a on a.id = m.account_id
      where m.account_id = ${accountId} and m.person_id = ${personId} and a.disabled_at is null and ${counts('m')}
      returning *)
    select ${COLUMNS} from s ${BESIDES}`.execute(db);
  return rows[0];
}

/**
 * Uses a link up and begins its session, in one statement; undefined when the link is unknown, used or expired, its person is no member, or
 * whoever made it may let nobody in any more.
 */
export async function redeemLink(
  db: Db,
  linkHash: Buffer,
  { tokenHash, pageHash, browser }: NewBrowser,
): Promise<StoredSession | undefined> {
  const { rows } = await sql<StoredSession>`
    with link as (
      update sign_in_links l set used_at = now() from accounts a
      where l.token_hash = ${linkHash} and l.used_at is null and l.expires_at > now()
        and a.id = l.account_id and a.disabled_at is null and (l.person_id is null or exists (
          select from memberships m where m.account_id = l.account_id and m.person_id = l.person_id and ${counts('m')}))
        and ${isStillLent('l')}
      returning l.account_id, l.scopes, l.person_id, l.is_bound, l.lent_by, l.lent_key),
    s as (
      insert into browser_sessions (token_hash, page_hash, browser, account_id, scopes, person_id, is_bound, lent_by, lent_key, expires_at)
      select ${tokenHash}::bytea, ${pageHash}::bytea, ${browser}, account_id, scopes, person_id, is_bound, lent_by, lent_key, now() + ${LIFETIME}
      from link
      returning *)
    select ${COLUMNS} from s ${BESIDES}`.execute(db);
  return rows[0];
}

/** Ends the oldest sessions of whoever began one, if they have too many: a person, a key, or links without a name. Served by browser_sessions_account. */
export async function removeSurplusSessions(
  db: Db | Trx,
  { id, accountId }: Pick<StoredSession, 'id' | 'accountId'>,
): Promise<void> {
  await sql`
    delete from browser_sessions where account_id = ${accountId} and id in (
      select s.id from browser_sessions s join browser_sessions newest on newest.id = ${id}
      where s.account_id = ${accountId} and s.person_id is not distinct from newest.person_id
        and (s.person_id is not null or s.key_id is not distinct from newest.key_id)
      order by s.id desc offset ${MAXIMUM_SESSIONS})`.execute(db);
}

export async function removeSession(db: Db, id: number): Promise<void> {
  await db.deleteFrom('browser_sessions').where('id', '=', id).execute();
}

export interface NewLink {
  readonly tokenHash: Buffer;
  readonly accountId: number;
  readonly scopes: readonly Scope[];
  /** null: of no person. */
  readonly personId: number | null;
  readonly isBound: boolean;
  readonly lender: Lender | null;
  readonly minutes: number;
}

/** Returns when it ends. */
export async function insertLink(db: Db | Trx, link: NewLink): Promise<Date> {
  const { rows } = await sql<{ expiresAt: Date }>`
    insert into sign_in_links (token_hash, account_id, scopes, person_id, is_bound, lent_by, lent_key, expires_at)
    values (${link.tokenHash}, ${link.accountId}, ${link.scopes}::text[], ${link.personId}, ${link.isBound},
      ${link.lender?.personId ?? null}, ${link.lender?.keyRecordId ?? null},
      now() + make_interval(mins => ${link.minutes}))
    returning expires_at as "expiresAt"`.execute(db);
  return rows[0]!.expiresAt;
}

/** Sessions that somebody may see: all of the account, those of a person, or those of a key. */
export type SessionsOf =
  | { readonly kind: 'account' }
  | { readonly kind: 'person'; readonly personId: number }
  | { readonly kind: 'key'; readonly keyId: string | null };

function belongsTo(whose: SessionsOf) {
  if (whose.kind === 'account') return sql`true`;
  return whose.kind === 'person'
    ? sql`s.person_id = ${whose.personId}`
    : sql`s.person_id is null and k.key_id = ${whose.keyId}`;
}

/** Those that have not ended. Served by browser_sessions_account. */
export async function listSessions(
  db: Db,
  accountId: number,
  whose: SessionsOf,
  page: PageRequest,
): Promise<Page<SessionRecord>> {
  const { rows } = await sql<SessionRecord>`
    select s.id, s.person_id as "personId", p.name as "personName", k.key_id as "keyId", k.label as "keyLabel", s.browser,
      s.created_at as "createdAt", s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt"
    from browser_sessions s ${BESIDES}
    where s.account_id = ${accountId} and s.id > ${page.after ?? 0} and ${belongsTo(whose)} and ${IS_USABLE}
    order by s.id limit ${page.limit + 1}`.execute(db);
  return toPage(rows, page);
}

/** Whether there was one. Primary key. */
export async function removeSessionOf(db: Db, accountId: number, whose: SessionsOf, id: number): Promise<boolean> {
  const { rows } = await sql`
    delete from browser_sessions where id in (
      select s.id from browser_sessions s left join api_keys k on k.id = s.key_id
      where s.id = ${id} and s.account_id = ${accountId} and ${belongsTo(whose)})
    returning 1`.execute(db);
  return rows.length > 0;
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

/** Removes sessions, links and sign-ins under way that have ended; returns how many. The tables are small, they are read as a whole. */
export async function purgeEndedSessions(db: Db): Promise<number> {
  const { rows } = await sql<{ purged: number }>`
    with sessions as (
      delete from browser_sessions where expires_at <= now() or last_used_at <= now() - ${IDLE} returning 1),
    links as (delete from sign_in_links where expires_at <= now() returning 1),
    openid as (delete from openid_sign_ins where expires_at <= now() returning 1)
    select (select count(*) from sessions)::int + (select count(*) from links)::int + (select count(*) from openid)::int as purged`.execute(
    db,
  );
  return rows[0]!.purged;
}
