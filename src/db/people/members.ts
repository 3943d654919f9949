/** People and their memberships. */
import { type RawBuilder, sql } from 'kysely';
import { looksLike } from '../../domain/look-alikes.ts';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import type { AccountState, Member, Membership, Person, Role } from '../../domain/people/people.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import { counts } from '../accounts/grants.ts';
import type { Db, Trx } from '../connection/transaction.ts';

/** As whom the OpenID provider knows a person. */
export interface OpenIdSubject {
  readonly issuer: string;
  readonly subject: string;
}

export async function insertPerson(
  trx: Trx,
  { name, email }: Pick<Person, 'name' | 'email'>,
  known: OpenIdSubject | null = null,
): Promise<number> {
  const { id } = await trx
    .insertInto('people')
    .values({ name, email, issuer: known?.issuer ?? null, subject: known?.subject ?? null })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The person whom the provider knows, made or brought up to date. Unique subject. */
export async function upsertSubject(
  trx: Trx,
  known: OpenIdSubject,
  { name, email }: Pick<Person, 'name' | 'email'>,
): Promise<Person> {
  return trx
    .insertInto('people')
    .values({ name, email, ...known })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ email }))
    .returning(['id', 'name', 'email'])
    .executeTakeFirstOrThrow();
}

/** Unique subject. */
export async function isSubjectKnown(trx: Trx, { issuer, subject }: OpenIdSubject): Promise<boolean> {
  const row = await trx
    .selectFrom('people')
    .select('id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row !== undefined;
}

/** Removes somebody who is no longer a member of any account. */
export async function removePerson(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('people').where('id', '=', id).execute();
}

/** Primary key. */
export async function findPerson(db: Db | Trx, id: number): Promise<Person | undefined> {
  return db.selectFrom('people').select(['id', 'name', 'email']).where('id', '=', id).executeTakeFirst();
}

/** Primary key. */
export async function updatePerson(db: Db | Trx, { id, name, email }: Person): Promise<void> {
  await db.updateTable('people').set({ name, email }).where('id', '=', id).execute();
}

/** Makes the person a member; one who is already keeps the role. */
export async function insertMembership(trx: Trx, accountId: number, personId: number, role: Role): Promise<void> {
  await trx
    .insertInto('memberships')
    .values({ account_id: accountId, person_id: personId, role })
    .onConflict((conflict) => conflict.columns(['account_id', 'person_id']).doNothing())
    .execute();
}

/** Membership that groups of the OpenID provider give a person in an account. */
export interface GroupMembership {
  readonly accountId: number;
  readonly personId: number;
  /** Unless an owner has changed it. */
  readonly role: Role;
  /** null: the groups give nothing any more, and the role stays all the same. */
  readonly groupRole: Role | null;
  readonly days: number;
}

/** Makes or renews a membership that groups give: it counts for some days from now. */
export async function upsertGroupMembership(trx: Trx, membership: GroupMembership): Promise<void> {
  const { accountId, personId, role, groupRole, days } = membership;
  await sql`
    insert into memberships as m (account_id, person_id, role, is_by_group, group_role, counts_until)
    values (${accountId}, ${personId}, ${role}, true, ${groupRole}, now() + make_interval(days => ${days}))
    on conflict (account_id, person_id) do update set role = case when m.is_edited then m.role else excluded.role end,
      group_role = excluded.group_role, counts_until = excluded.counts_until
    where m.is_by_group`.execute(trx);
}

const MEMBER = sql`p.id, p.name, p.email, m.role, m.is_by_group as "isByGroup", m.group_role as "groupRole", m.is_edited as "isEdited",
  m.counts_until as "countsUntil", m.created_at as "joinedAt", (
  select max(s.last_used_at) from browser_sessions s where s.account_id = m.account_id and s.person_id = p.id) as "lastUsedAt"`;

const members = (accountId: number, condition: RawBuilder<boolean>) => sql<Member>`
  select ${MEMBER} from memberships m join people p on p.id = m.person_id
  where m.account_id = ${accountId} and ${condition}`;

/** Primary key. */
export async function findMember(db: Db | Trx, accountId: number, personId: number): Promise<Member | undefined> {
  const { rows } = await members(accountId, sql`m.person_id = ${personId}`).execute(db);
  return rows[0];
}

/** Primary key. */
export async function listMembers(db: Db, accountId: number, page: PageRequest): Promise<Page<Member>> {
  const { rows } = await sql<Member>`
    ${members(accountId, sql`m.person_id > ${page.after ?? 0}`)} order by p.id limit ${page.limit + 1}`.execute(db);
  return toPage(rows, page);
}

/** The id of a member whose name looks like that. Primary key; an account has few members. */
export async function findMemberCalled(
  db: Db | Trx,
  accountId: number,
  name: string,
  otherThan: number | null = null,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number; name: string }>`
    select p.id, p.name from memberships m join people p on p.id = m.person_id
    where m.account_id = ${accountId} and p.id is distinct from ${otherThan}::bigint order by p.id`.execute(db);
  const isSame = looksLike(name);
  return rows.find((member) => isSame(member.name))?.id;
}

export async function countMembers(trx: Trx, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from memberships where account_id = ${accountId}`.execute(trx);
  return rows[0]!.count;
}

/** Whether another person is an owner now. */
export async function hasOtherOwner(trx: Trx, accountId: number, personId: number): Promise<boolean> {
  const row = await trx
    .selectFrom('memberships as m')
    .select('m.person_id')
    .where('m.account_id', '=', accountId)
    .where('m.role', '=', 'owner')
    .where('m.person_id', '<>', personId)
    .where(counts('m'))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The role that an owner gives: groups leave it from then on. Primary key. */
export async function setRole(trx: Trx, accountId: number, personId: number, role: Role): Promise<void> {
  await sql`
    update memberships set role = ${role}, is_edited = is_by_group
    where account_id = ${accountId} and person_id = ${personId}`.execute(trx);
}

/** Ends the membership with its sessions, links, keys and invitations. The person and what it did stay. */
export async function removeMembership(trx: Trx, accountId: number, personId: number): Promise<void> {
  const own = sql`account_id = ${accountId} and person_id = ${personId}`;
  await sql`delete from browser_sessions where ${own}`.execute(trx);
  await sql`delete from sign_in_links where ${own}`.execute(trx);
  await sql`update api_keys set revoked_at = now() where ${own} and revoked_at is null`.execute(trx);
  await sql`
    update invitations set revoked_at = now()
    where account_id = ${accountId} and created_by = ${personId} and revoked_at is null`.execute(trx);
  await sql`delete from memberships where ${own}`.execute(trx);
}

/** The active accounts in which a person has rights now, by name. Served by memberships_person. */
export async function listMemberships(db: Db | Trx, personId: number): Promise<readonly Membership[]> {
  const { rows } = await sql<Membership>`
    select a.id, a.name, m.role from memberships m join accounts a on a.id = m.account_id
    where m.person_id = ${personId} and a.disabled_at is null and ${counts('m')} order by a.name`.execute(db);
  return rows;
}

/** The accounts of a person by id, also those that are disabled and those in which the membership does not count now. Served by memberships_person. */
export async function listAllMemberships(
  trx: Trx,
  personId: number,
): Promise<readonly { readonly accountId: number; readonly isByGroup: boolean }[]> {
  return trx
    .selectFrom('memberships')
    .select(['account_id as accountId', 'is_by_group as isByGroup'])
    .where('person_id', '=', personId)
    .orderBy('account_id')
    .execute();
}

/** The active accounts of a person, by id. Served by memberships_person. */
export async function listAccountStates(db: Db, personId: number, page: PageRequest): Promise<Page<AccountState>> {
  const { rows } = await sql<AccountState>`
    select a.id, a.name, m.role, array(
        select p.name from memberships o join people p on p.id = o.person_id
        where o.account_id = a.id and o.role = 'owner' and o.person_id <> m.person_id order by p.id limit 10) as owners,
      coalesce(q.running, 0)::int as running, coalesce(q.satisfied, 0)::int as satisfied, coalesce(q.ended, 0)::int as ended,
      coalesce(q.runs, 0)::int as runs, q.changed_at as "changedAt"
    from memberships m join accounts a on a.id = m.account_id and a.disabled_at is null
    left join lateral (
      select count(*) filter (where o.stop_reason = ${sql.lit(StopReason.running)}) as running,
        count(*) filter (where o.stop_reason = ${sql.lit(StopReason.satisfied)}) as satisfied,
        count(*) filter (where o.stop_reason not in (${sql.lit(StopReason.running)}, ${sql.lit(StopReason.satisfied)})) as ended,
        sum(o.completed_count) as runs, max(o.updated_at) as changed_at
      from objectives o where o.account_id = a.id and o.disabled_at is null) q on true
    where m.person_id = ${personId} and a.id > ${page.after ?? 0} and ${counts('m')}
    order by a.id limit ${page.limit + 1}`.execute(db);
  return toPage(rows, page);
}
