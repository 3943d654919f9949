/** Invitations. Instants are compared by the database's clock. */
import { sql } from 'kysely';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import type { Invitation, Opening, Role } from '../../domain/people.ts';
import type { Db, Trx } from '../connection/transaction.ts';

export interface NewInvitation {
  readonly accountId: number;
  readonly tokenHash: Buffer;
  readonly opens: Opening;
  readonly role: Role;
  readonly inviterRole: Role | null;
  readonly label: string | null;
  readonly createdBy: number | null;
  readonly createdByName: string;
  readonly maximumUses: number | null;
  readonly expiresAt: Date;
}

const COLUMNS = sql`i.id, i.opens, i.role, i.inviter_role as "inviterRole", i.label, i.created_by_name as "createdBy",
  i.maximum_uses as "maximumUses", i.uses, i.created_at as "createdAt", i.expires_at as "expiresAt", i.revoked_at as "revokedAt"`;
/** Of `invitations i`. */
const IS_USABLE = sql`i.revoked_at is null and i.expires_at > now() and (i.maximum_uses is null or i.uses < i.maximum_uses)`;

export async function insertInvitation(trx: Trx, invitation: NewInvitation): Promise<Invitation> {
  const { accountId, tokenHash, opens, role, inviterRole, label, createdBy, createdByName, maximumUses, expiresAt } =
    invitation;
  const { rows } = await sql<Invitation>`
    insert into invitations as i (account_id, token_hash, opens, role, inviter_role, label, created_by, created_by_name, maximum_uses, expires_at)
    values (${accountId}, ${tokenHash}, ${opens}, ${role}, ${inviterRole}, ${label}, ${createdBy}, ${createdByName}, ${maximumUses}, ${expiresAt})
    returning ${COLUMNS}`.execute(trx);
  return rows[0]!;
}

export async function countUsableInvitations(trx: Trx, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from invitations i where i.account_id = ${accountId} and ${IS_USABLE}`.execute(trx);
  return rows[0]!.count;
}

/** Also those that have ended. Served by invitations_account. */
export async function listInvitations(db: Db, accountId: number, page: PageRequest): Promise<Page<Invitation>> {
  const { rows } = await sql<Invitation>`
    select ${COLUMNS} from invitations i where i.account_id = ${accountId} and i.id > ${page.after ?? 0}
    order by i.id limit ${page.limit + 1}`.execute(db);
  return toPage(rows, page);
}

/** Primary key. */
export async function findInvitation(db: Db | Trx, accountId: number, id: number): Promise<Invitation | undefined> {
  const { rows } = await sql<Invitation>`
    select ${COLUMNS} from invitations i where i.id = ${id} and i.account_id = ${accountId}`.execute(db);
  return rows[0];
}

/** Revoking twice keeps the first instant; false when there is none. Primary key. */
export async function revokeInvitation(db: Db | Trx, accountId: number, id: number): Promise<boolean> {
  const { rows } = await sql`
    update invitations i set revoked_at = coalesce(i.revoked_at, now()) where i.id = ${id} and i.account_id = ${accountId}
    returning 1`.execute(db);
  return rows.length > 0;
}

/** An invitation that may be accepted, with the account that invites. */
export interface UsableInvitation extends Invitation {
  readonly accountId: number;
  readonly accountName: string;
  readonly createdById: number | null;
}

/**
 * Undefined for one that is unknown, used up, revoked or expired. With `locks`, those who accept it at the same time wait for each other.
 * Unique hash.
 */
export async function findUsableInvitation(
  db: Db | Trx,
  tokenHash: Buffer,
  { locks = false } = {},
): Promise<UsableInvitation | undefined> {
  const { rows } = await sql<UsableInvitation>`
    select ${COLUMNS}, i.account_id as "accountId", a.name as "accountName", i.created_by as "createdById"
    from invitations i join accounts a on a.id = i.account_id and a.disabled_at is null
    where i.token_hash = ${tokenHash} and ${IS_USABLE} ${locks ? sql`for update of i` : sql``}`.execute(db);
  return rows[0];
}

/** Primary key; the invitation is locked. */
export async function noteInvitationUse(trx: Trx, id: number): Promise<void> {
  await sql`update invitations set uses = uses + 1 where id = ${id}`.execute(trx);
}

/** The account that an invitation opened for a person. Served by accounts_invitation. */
export async function findOpenedAccount(trx: Trx, invitationId: number, personId: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select a.id from accounts a join memberships m on m.account_id = a.id and m.person_id = ${personId} and m.role = 'owner'
    where a.invitation_id = ${invitationId} limit 1`.execute(trx);
  return rows[0]?.id;
}

/** A new account, named like this or, where that name is taken, with a number behind it. */
export async function openAccount(trx: Trx, name: string, invitationId: number): Promise<number> {
  // Ends: an invitation is accepted a limited number of times.
  for (let number = 1; ; number++) {
    const row = await trx
      .insertInto('accounts')
      .values({ name: number === 1 ? name : `${name} ${number}`, invitation_id: invitationId })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (row !== undefined) return row.id;
  }
}
