/** Invitations. Instants are compared by the database's clock. */
import { sql } from 'kysely';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import {
  type Invitation,
  type InvitationMaker,
  type Lender,
  mayStillInvite,
  type Opening,
  type Role,
} from '../../domain/people/people.ts';
import { counts, isItsKeyUsable, isStillLent } from '../accounts/grants.ts';
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
  /** The id of the record of the key with which it was made. */
  readonly createdByKey: number | null;
  readonly lender: Lender | null;
  readonly maximumUses: number | null;
  readonly expiresAt: Date;
}

/** Condition on `invitations i`. */
const IS_USABLE = sql`i.revoked_at is null and i.expires_at > now() and (i.maximum_uses is null or i.uses < i.maximum_uses)`;
/** Columns of `i` and MAKER. */
const COLUMNS = sql`i.id, i.opens, i.role, i.inviter_role as "inviterRole", i.label, i.created_by_name as "createdBy",
  i.maximum_uses as "maximumUses", i.uses, i.created_at as "createdAt", i.expires_at as "expiresAt", i.revoked_at as "revokedAt",
  (${IS_USABLE}) as "isUsable", maker.role as "makerRole", i.created_by is not null as "isByPerson", maker_key.scopes as "makerKeyScopes",
  (${isItsKeyUsable('i', 'created_by_key')} and ${isStillLent('i')}) as "isStillLent"`;
/** Whoever made `i`, as long as they are a member. */
const MAKER = sql`left join memberships maker on maker.account_id = i.account_id and maker.person_id = i.created_by and ${counts('maker')}
  left join api_keys maker_key on maker_key.id = i.created_by_key`;

type Row<Found extends Invitation = Invitation> = Omit<Found, 'isOpen'> &
  InvitationMaker & { readonly isUsable: boolean };

function toInvitation<Found extends Invitation>(row: Row<Found>): Found {
  const { isUsable, makerRole, isByPerson, makerKeyScopes, isStillLent: isLent, ...invitation } = row;
  const isOpen = isUsable && mayStillInvite({ makerRole, isByPerson, makerKeyScopes, isStillLent: isLent }, row);
  return { ...invitation, isOpen } as unknown as Found;
}

export async function insertInvitation(trx: Trx, invitation: NewInvitation): Promise<Invitation> {
  const { accountId, tokenHash, opens, role, inviterRole, label, createdBy, createdByName, maximumUses, expiresAt } =
    invitation;
  const { createdByKey, lender } = invitation;
  const { rows } = await sql<Row>`
    with i as (
      insert into invitations (account_id, token_hash, opens, role, inviter_role, label, created_by, created_by_name, maximum_uses, expires_at,
        created_by_key, lent_by, lent_key)
      values (${accountId}, ${tokenHash}, ${opens}, ${role}, ${inviterRole}, ${label}, ${createdBy}, ${createdByName}, ${maximumUses}, ${expiresAt},
        ${createdByKey}, ${lender?.personId ?? null}, ${lender?.keyRecordId ?? null})
      returning *)
    select ${COLUMNS} from i ${MAKER}`.execute(trx);
  return toInvitation(rows[0]!);
}

export async function countUsableInvitations(trx: Trx, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from invitations i where i.account_id = ${accountId} and ${IS_USABLE}`.execute(trx);
  return rows[0]!.count;
}

/** Also those that have ended. Served by invitations_account. */
export async function listInvitations(db: Db, accountId: number, page: PageRequest): Promise<Page<Invitation>> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from invitations i ${MAKER} where i.account_id = ${accountId} and i.id > ${page.after ?? 0}
    order by i.id limit ${page.limit + 1}`.execute(db);
  return toPage(rows.map(toInvitation<Invitation>), page);
}

/** Primary key. */
export async function findInvitation(db: Db | Trx, accountId: number, id: number): Promise<Invitation | undefined> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from invitations i ${MAKER} where i.id = ${id} and i.account_id = ${accountId}`.execute(db);
  return rows[0] && toInvitation(rows[0]);
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
 * Undefined for one that is unknown, used up, revoked or expired, or that gives more than whoever made it may give now. With `locks`, those
 * who accept it at the same time wait for each other.
 * Unique hash.
 */
export async function findUsableInvitation(
  db: Db | Trx,
  tokenHash: Buffer,
  { locks = false } = {},
): Promise<UsableInvitation | undefined> {
  const { rows } = await sql<Row<UsableInvitation>>`
    select ${COLUMNS}, i.account_id as "accountId", a.name as "accountName", i.created_by as "createdById"
    from invitations i join accounts a on a.id = i.account_id and a.disabled_at is null ${MAKER}
    where i.token_hash = ${tokenHash} and ${IS_USABLE} ${locks ? sql`for update of i` : sql``}`.execute(db);
  const invitation = rows[0] && toInvitation(rows[0]);
  return invitation?.isOpen === true ? invitation : undefined;
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
