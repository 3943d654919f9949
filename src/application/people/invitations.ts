/** Inviting people by link. */
import { lockAccount } from '../../db/accounts/accounts.ts';
import { type Db, inTransaction } from '../../db/connection/transaction.ts';
import * as invitations from '../../db/people/invitations.ts';
import { hashSecret } from '../../domain/accounts/api-key.ts';
import { makeToken } from '../../domain/accounts/browser-session.ts';
import {
  DomainError,
  describeWrongType,
  makeViolation,
  notFound,
  refuseViolations,
  type Violation,
  validationFailed,
} from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import {
  type Invitation,
  MAXIMUM_INVITATIONS,
  MAXIMUM_USES,
  type Opening,
  type Role,
} from '../../domain/people/people.ts';
import type { Principal } from '../accounts/authenticate.ts';
import { refuseStrongerRole } from './members.ts';

export interface WantedInvitation {
  readonly opens: Opening;
  /** Role of whoever accepts it; an account of one's own has one role. */
  readonly role?: Role | undefined;
  readonly inviterRole: Role;
  readonly label: string | null;
  readonly maximumUses: number | null;
  readonly days: number;
}

export interface MadeInvitation {
  readonly invitation: Invitation;
  /** Returned here and never again. */
  readonly token: string;
}

/** Throws FORBIDDEN for a role with more rights than the asker has, VALIDATION_FAILED, LIMIT_REACHED. */
export async function createInvitation(
  db: Db,
  principal: Principal,
  wanted: WantedInvitation,
): Promise<MadeInvitation> {
  const { accountId, personId, actor, keyRecordId, lender } = principal;
  const terms = wanted.opens === 'this account' ? joining(principal, wanted) : openingForEach(principal, wanted);
  const token = makeToken();
  return inTransaction(db, async (trx) => {
    const now = await lockAccount(trx, accountId);
    if ((await invitations.countUsableInvitations(trx, accountId)) >= MAXIMUM_INVITATIONS) {
      const message = `The account already has ${MAXIMUM_INVITATIONS} invitations that may be used; revoke one first.`;
      throw new DomainError('LIMIT_REACHED', message);
    }
    const { opens, label, maximumUses, days } = wanted;
    const invitation = await invitations.insertInvitation(trx, {
      opens,
      label,
      maximumUses,
      ...terms,
      accountId,
      tokenHash: hashSecret(token),
      createdBy: personId,
      createdByName: actor,
      createdByKey: keyRecordId,
      lender,
      expiresAt: new Date(now.getTime() + days * 86_400_000),
    });
    return { invitation, token };
  });
}

interface Terms {
  readonly role: Role;
  readonly inviterRole: Role | null;
}

function joining(principal: Principal, { role }: WantedInvitation): Terms {
  if (role === undefined) throw validationFailed([makeViolation(['role'], describeWrongType('a role', undefined))]);
  refuseStrongerRole(principal, role);
  return { role, inviterRole: null };
}

function openingForEach({ personId }: Principal, { role, inviterRole, maximumUses }: WantedInvitation): Terms {
  const violations: Violation[] = [];
  if (personId === null) {
    const message =
      'needs a person who becomes a member of each account; on the page, give your name under People first.';
    violations.push(makeViolation(['opens'], message));
  }
  if (role !== undefined && role !== 'owner') {
    violations.push(makeViolation(['role'], 'must be owner, or left out, where each person gets an account.'));
  }
  if (maximumUses === null) {
    const message = `must be a number, at most ${MAXIMUM_USES}, where each person gets an account.`;
    violations.push(makeViolation(['maximumUses'], message));
  }
  refuseViolations(violations);
  return { role: 'owner', inviterRole };
}

/** Oldest first, also those that have ended. */
export function listInvitations(db: Db, accountId: number, page: PageRequest): Promise<Page<Invitation>> {
  return invitations.listInvitations(db, accountId, page);
}

/** Throws NOT_FOUND. */
export async function getInvitation(db: Db, accountId: number, id: number): Promise<Invitation> {
  const invitation = await invitations.findInvitation(db, accountId, id);
  if (invitation === undefined) throw notFound('invitation', id);
  return invitation;
}

/** Whoever has accepted it stays. Idempotent. Throws NOT_FOUND. */
export async function revokeInvitation(db: Db, accountId: number, id: number): Promise<void> {
  if (!(await invitations.revokeInvitation(db, accountId, id))) throw notFound('invitation', id);
}
