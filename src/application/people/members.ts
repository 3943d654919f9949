/** The members of an account. Each change locks the account, so that no two can together remove its last owner. */
import { lockAccount } from '../../db/accounts/accounts.ts';
import { listLabels } from '../../db/accounts/api-keys.ts';
import type { Db, Trx } from '../../db/connection/transaction.ts';
import { inTransaction } from '../../db/connection/transaction.ts';
import * as members from '../../db/people/members.ts';
import { DomainError, makeViolation, notFound, validationFailed } from '../../domain/errors.ts';
import { looksLike } from '../../domain/look-alikes.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import {
  MAXIMUM_MEMBERS,
  MEMBER_LINK_HOURS,
  type Member,
  missingOf,
  NOBODY,
  type Role,
} from '../../domain/people/people.ts';
import type { Principal } from '../accounts/authenticate.ts';
import { type SignInLink, storeLink } from '../accounts/browser-sessions.ts';

export function listMembers(db: Db, accountId: number, page: PageRequest): Promise<Page<Member>> {
  return members.listMembers(db, accountId, page);
}

export async function getMember(db: Db | Trx, accountId: number, personId: number): Promise<Member> {
  const member = await members.findMember(db, accountId, personId);
  if (member === undefined) throw notFound('member', personId);
  return member;
}

/** Throws NOT_FOUND, FORBIDDEN for a role with more rights than the asker has, LAST_OWNER. */
export async function changeRole(db: Db, principal: Principal, personId: number, role: Role): Promise<Member> {
  const { accountId } = principal;
  return inTransaction(db, async (trx) => {
    await lockAccount(trx, accountId);
    const member = await getMember(trx, accountId, personId);
    refuseStrongerRole(principal, role);
    refuseStrongerRole(principal, member.role);
    if (role === member.role) return member;
    if (role !== 'owner') await refuseLastOwner(trx, accountId, member);
    await members.setRole(trx, accountId, personId, role);
    return getMember(trx, accountId, personId);
  });
}

/** Ends a membership with its sessions, links, keys and invitations. Throws NOT_FOUND, LAST_OWNER. */
export async function removeMember(db: Db, accountId: number, personId: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockAccount(trx, accountId);
    await refuseLastOwner(trx, accountId, await getMember(trx, accountId, personId));
    await members.removeMembership(trx, accountId, personId);
  });
}

/**
 * A link that signs a member in, in this account only: an owner who makes one for a member of other accounts must not get into those.
 * Throws NOT_FOUND, FORBIDDEN as changeRole does.
 */
export async function createMemberLink(db: Db, principal: Principal, personId: number): Promise<SignInLink> {
  const { accountId, actor, keyRecordId } = principal;
  if (principal.lender !== null) {
    const message = `A sign-in link of ${principal.lender.name} began this session: sign in with a key of your own to let others in.`;
    throw new DomainError('FORBIDDEN', message);
  }
  const lender = { personId: principal.personId, keyRecordId, name: actor };
  return inTransaction(db, async (trx) => {
    const { role } = await getMember(trx, accountId, personId);
    refuseStrongerRole(principal, role);
    return storeLink(trx, { accountId, personId, isBound: true, lender, minutes: 60 * MEMBER_LINK_HOURS });
  });
}

/** Nobody gives, or signs in with, rights that they lack. */
export function refuseStrongerRole({ scopes }: Principal, role: Role): void {
  const missing = missingOf(role, scopes);
  if (missing.length === 0) return;
  const message = `The role ${role} has rights that you lack (${missing.join(' and ')}). Ask an owner of the account.`;
  throw new DomainError('FORBIDDEN', message);
}

/** The account is locked. Throws LIMIT_REACHED, and VALIDATION_FAILED for the name of another member. */
export async function refuseNewMember(trx: Trx, accountId: number, name: string): Promise<void> {
  await refuseTakenName(trx, accountId, name, null);
  await refuseTooManyMembers(trx, accountId);
}

export async function refuseTooManyMembers(trx: Trx, accountId: number): Promise<void> {
  if ((await members.countMembers(trx, accountId)) < MAXIMUM_MEMBERS) return;
  throw new DomainError('LIMIT_REACHED', `The account already has ${MAXIMUM_MEMBERS} members; remove one first.`);
}

/**
 * Whether records could not tell somebody of that name from another member, or from a key of the account, which they name by its label. The
 * account is locked.
 */
export async function isNameTaken(
  trx: Trx,
  accountId: number,
  name: string,
  otherThan: number | null,
): Promise<boolean> {
  if ((await members.findMemberCalled(trx, accountId, name, otherThan)) !== undefined) return true;
  return [NOBODY, ...(await listLabels(trx, accountId))].some(looksLike(name));
}

/** Throws VALIDATION_FAILED. */
export async function refuseTakenName(
  trx: Trx,
  accountId: number,
  name: string,
  otherThan: number | null,
): Promise<void> {
  if (await isNameTaken(trx, accountId, name, otherThan)) throw takenName();
}

export function takenName(): DomainError {
  const message =
    'is the name of another member of the account or of one of its keys, or looks like it; add an initial, for example.';
  return validationFailed([makeViolation(['name'], message)]);
}

/** For a person who joins with the name they have. The account is locked. */
export async function refuseTakenNameOf(trx: Trx, accountId: number, personId: number): Promise<void> {
  const { name } = (await members.findPerson(trx, personId))!;
  if (!(await isNameTaken(trx, accountId, name, personId))) return;
  const message = `Another member of the account, or one of its keys, is called ${name}, or a name that looks like it: change yours under People, You, and open the invitation again.`;
  throw validationFailed([makeViolation(['name'], message)]);
}

async function refuseLastOwner(trx: Trx, accountId: number, member: Member): Promise<void> {
  if (!(await isLastOwner(trx, accountId, member))) return;
  throw new DomainError('LAST_OWNER', 'This is the last owner of the account. Make another member an owner first.');
}

/** The account is locked. An owner whose membership does not count now is none who could let anybody in. */
export async function isLastOwner(
  trx: Trx,
  accountId: number,
  { id, role }: Pick<Member, 'id' | 'role'>,
): Promise<boolean> {
  return role === 'owner' && !(await members.hasOtherOwner(trx, accountId, id));
}
