/** Changes by people of their own: their name, their accounts, their keys and their ways to sign in. */
import { getAccountName, lockAccount } from '../../db/accounts/accounts.ts';
import { type Db, inTransaction } from '../../db/connection/transaction.ts';
import * as members from '../../db/people/members.ts';
import { LINK_MINUTES } from '../../domain/accounts/browser-session.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { AccountState, Membership, Person, Role } from '../../domain/people/people.ts';
import { type Principal, requirePerson, type Scope } from '../accounts/authenticate.ts';
import { type NewSession, type SignInLink, signInAs, storeLink } from '../accounts/browser-sessions.ts';
import { refuseNewMember, refuseStrongerRole, refuseTakenName, removeMember } from './members.ts';

export interface Oneself {
  /** null: the key or session is that of the account. */
  readonly person: Person | null;
  readonly actor: string;
  readonly account: { readonly id: number; readonly name: string };
  /** null without a person. */
  readonly role: Role | null;
  readonly scopes: readonly Scope[];
  /** Those that the person can switch to, with the present one. */
  readonly accounts: readonly Membership[];
}

export async function readOneself(db: Db, principal: Principal): Promise<Oneself> {
  const { accountId, personId, actor, scopes } = principal;
  const account = { id: accountId, name: await getAccountName(db, accountId) };
  if (personId === null) return { person: null, actor, account, role: null, scopes, accounts: [] };
  const all = await members.listMemberships(db, personId);
  const person = (await members.findPerson(db, personId)) ?? null;
  const role = all.find(({ id }) => id === accountId)?.role ?? null;
  const accounts = all.filter(({ id }) => id === accountId || maySwitch(principal));
  return { person, actor, account, role, scopes, accounts };
}

/** Keys, and sessions that somebody else may have begun, count in their account only. */
function maySwitch(principal: Principal): boolean {
  return principal.sessionId !== null && !principal.isBound;
}

/** Records keep the name under which something was done. Throws FORBIDDEN, and VALIDATION_FAILED for the name of another member. */
export async function renameOneself(
  db: Db,
  principal: Principal,
  { name, email }: { readonly name?: string; readonly email?: string | null },
): Promise<Oneself> {
  const personId = requirePerson(principal);
  await inTransaction(db, async (trx) => {
    const accounts = await members.listAllMemberships(trx, personId);
    for (const { accountId } of accounts) await lockAccount(trx, accountId);
    if (principal.isBound && accounts.length > 1) {
      const message =
        'You are a member of other accounts, too: sign in without a link of an owner to change your name.';
      throw new DomainError('FORBIDDEN', message);
    }
    const known = (await members.findPerson(trx, personId))!;
    if (name !== undefined) {
      for (const { accountId } of accounts) await refuseTakenName(trx, accountId, name, personId);
    }
    const changed = { ...known, name: name ?? known.name, email: email === undefined ? known.email : email };
    await members.updatePerson(trx, changed);
  });
  return readOneself(db, { ...principal, actor: name ?? principal.actor });
}

/**
 * Gives whoever uses a session of the account a name: makes a person with the role owner, and begins a session as that person. Throws
 * FORBIDDEN without the rights of an owner or for somebody who has a name, VALIDATION_FAILED, LIMIT_REACHED.
 */
export async function nameOneself(
  db: Db,
  principal: Principal,
  named: Pick<Person, 'name' | 'email'>,
  browser?: string,
): Promise<NewSession> {
  const { accountId, personId } = principal;
  if (personId !== null) throw new DomainError('FORBIDDEN', `You are signed in as ${principal.actor} already.`);
  refuseStrongerRole(principal, 'owner');
  return inTransaction(db, async (trx) => {
    await lockAccount(trx, accountId);
    await refuseNewMember(trx, accountId, named.name);
    const made = await members.insertPerson(trx, named);
    await members.insertMembership(trx, accountId, made, 'owner');
    return (await signInAs(trx, accountId, made, browser))!;
  });
}

/** Begins a session in another account of the person. Throws FORBIDDEN, and NOT_FOUND unless the person is a member of it. */
export async function switchAccount(
  db: Db,
  principal: Principal,
  accountId: number,
  browser?: string,
): Promise<NewSession> {
  const personId = requirePerson(principal);
  if (!maySwitch(principal)) {
    const message = 'This session counts in its account only, because a key or a link of an owner began it.';
    throw new DomainError('FORBIDDEN', message);
  }
  const session = await signInAs(db, accountId, personId, browser);
  if (session === undefined) throw notFound('account', accountId);
  return session;
}

/** The accounts of the person with what their objectives have reached, by id. */
export async function listOwnAccounts(db: Db, principal: Principal, page: PageRequest): Promise<Page<AccountState>> {
  const { personId, accountId } = principal;
  if (personId === null) return { items: [], nextAfter: null };
  if (maySwitch(principal)) return members.listAccountStates(db, personId, page);
  const only = await members.listAccountStates(db, personId, {
    limit: 1,
    after: Math.max(page.after ?? 0, accountId - 1),
  });
  return { items: only.items.filter(({ id }) => id === accountId), nextAfter: null };
}

/** Throws FORBIDDEN without a person, LAST_OWNER. */
export async function leaveAccount(db: Db, principal: Principal): Promise<void> {
  await removeMember(db, principal.accountId, requirePerson(principal));
}

/** A link that signs the person in on another device, with the same accounts. Throws FORBIDDEN. */
export async function createOwnLink(db: Db, principal: Principal): Promise<SignInLink> {
  const { accountId, lender } = principal;
  const personId = requirePerson(principal);
  return storeLink(db, { accountId, personId, isBound: !maySwitch(principal), lender, minutes: LINK_MINUTES });
}
