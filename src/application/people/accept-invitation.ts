/**
 * Accepting an invitation, in one transaction: it makes a person, or takes the one who is signed in, makes that person a member, of the
 * account that invites or of one of their own, and begins a session there. A person who accepts it again only gets another session.
 */
import { lockAccount } from '../../db/accounts/accounts.ts';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import * as invitations from '../../db/people/invitations.ts';
import * as members from '../../db/people/members.ts';
import { hashSecret } from '../../domain/accounts/api-key.ts';
import { parseToken } from '../../domain/accounts/browser-session.ts';
import { DomainError, makeViolation } from '../../domain/errors.ts';
import { looksLike } from '../../domain/look-alikes.ts';
import type { Invitation, Person } from '../../domain/people/people.ts';
import { type NewSession, signInAs } from '../accounts/browser-sessions.ts';
import { refuseNewMember, refuseTakenNameOf, refuseTooManyMembers, takenName } from './members.ts';

/** Whoever accepts: somebody new, or a person who is known. */
export type Accepting =
  | { readonly kind: 'new'; readonly name: string; readonly email: string | null }
  | { readonly kind: 'known'; readonly personId: number };

export interface OfferedInvitation extends Pick<Invitation, 'opens' | 'role' | 'label' | 'createdBy' | 'expiresAt'> {
  readonly accountName: string;
}

/** Reads the offer of an invitation, before it is accepted. Throws LINK_ENDED. */
export async function readInvitation(db: Db, token: string): Promise<OfferedInvitation> {
  return (await find(db, hashOf(token))) ?? refuse();
}

/** Throws LINK_ENDED, LIMIT_REACHED, and VALIDATION_FAILED for the name of another member. */
export async function acceptInvitation(db: Db, token: string, who: Accepting, browser?: string): Promise<NewSession> {
  return inTransaction(db, async (trx) => {
    const { accountId, personId } = await join(trx, hashOf(token), who);
    return (await signInAs(trx, accountId, personId, browser)) ?? refuse();
  });
}

/** The account that an invitation opens, if it may be used; of an account for each, the one that invites. */
export async function findInvitationAccount(trx: Trx, tokenHash: Buffer): Promise<number | undefined> {
  return (await find(trx, tokenHash))?.accountId;
}

/** The same as acceptInvitation for a person whom another road signs in. Undefined for an invitation that may not be used. */
export async function joinByInvitation(trx: Trx, tokenHash: Buffer, personId: number): Promise<number | undefined> {
  const found = await find(trx, tokenHash, true);
  return found && (await join(trx, tokenHash, { kind: 'known', personId })).accountId;
}

function hashOf(token: string): Buffer {
  return parseToken(token) === undefined ? refuse() : hashSecret(token);
}

function find(db: Db | Trx, tokenHash: Buffer, locks = false) {
  return invitations.findUsableInvitation(db, tokenHash, { locks });
}

function refuse(): never {
  const message =
    'This invitation has been used, was revoked or has expired, or whoever made it may not invite any more. Ask whoever invited you for another one.';
  throw new DomainError('LINK_ENDED', message, { violations: [makeViolation(['invitation'], message)] });
}

async function join(trx: Trx, tokenHash: Buffer, who: Accepting) {
  const { accountId } = (await find(trx, tokenHash)) ?? refuse();
  // Reads again what the inviter may give, now that no other transaction can change it.
  await lockAccount(trx, accountId);
  const invitation = (await find(trx, tokenHash, true)) ?? refuse();
  return invitation.opens === 'this account' ? joinAccount(trx, invitation, who) : openOwn(trx, invitation, who);
}

async function joinAccount(trx: Trx, { id, accountId, role }: invitations.UsableInvitation, who: Accepting) {
  if (who.kind === 'new') await refuseNewMember(trx, accountId, who.name);
  else if ((await members.findMember(trx, accountId, who.personId)) !== undefined)
    return { accountId, personId: who.personId };
  else {
    await refuseTakenNameOf(trx, accountId, who.personId);
    await refuseTooManyMembers(trx, accountId);
  }
  const personId = who.kind === 'new' ? await members.insertPerson(trx, who) : who.personId;
  await members.insertMembership(trx, accountId, personId, role);
  await invitations.noteInvitationUse(trx, id);
  return { accountId, personId };
}

async function openOwn(trx: Trx, invitation: invitations.UsableInvitation, who: Accepting) {
  const { id, createdById, inviterRole, label, accountName } = invitation;
  const known = who.kind === 'known' ? await invitations.findOpenedAccount(trx, id, who.personId) : undefined;
  if (who.kind === 'known' && known !== undefined) return { accountId: known, personId: who.personId };
  const person: Pick<Person, 'name'> = who.kind === 'new' ? who : (await members.findPerson(trx, who.personId))!;
  const inviter = (await members.findPerson(trx, createdById!))!;
  if ((who.kind === 'new' || who.personId !== inviter.id) && looksLike(inviter.name)(person.name)) throw takenName();
  const personId = who.kind === 'new' ? await members.insertPerson(trx, who) : who.personId;
  const accountId = await invitations.openAccount(trx, `${label ?? accountName} – ${person.name}`, id);
  await members.insertMembership(trx, accountId, personId, 'owner');
  await members.insertMembership(trx, accountId, createdById!, inviterRole!);
  await invitations.noteInvitationUse(trx, id);
  return { accountId, personId };
}
