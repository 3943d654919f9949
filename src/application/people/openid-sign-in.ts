/**
 * Signing in by an OpenID provider. What the browser brings back is exchanged for a sign-in link, which the page uses like every other:
 * sessions have one beginning. Groups give and take memberships; whoever is in no group needs an invitation.
 */
import { ensureAccount, lockAccount } from '../../db/accounts/accounts.ts';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import * as members from '../../db/people/members.ts';
import { insertOpenIdSignIn, type OpenIdSignIn, takeOpenIdSignIn } from '../../db/people/openid-sign-ins.ts';
import { hashSecret } from '../../domain/accounts/api-key.ts';
import { makeToken, parseToken } from '../../domain/accounts/browser-session.ts';
import {
  isOfDomain,
  type OpenIdChecks,
  type OpenIdClaims,
  OpenIdFailure,
  type OpenIdRules,
  rolesOf,
} from '../../domain/people/openid.ts';
import type { Role } from '../../domain/people/people.ts';
import { storeLink } from '../accounts/browser-sessions.ts';
import { findInvitationAccount, joinByInvitation } from './accept-invitation.ts';
import { isLastOwner, isNameTaken } from './members.ts';

/** The provider, and the rules for the people it signs in. */
export interface OpenId {
  readonly provider: {
    begin(redirectUri: string): Promise<OpenIdChecks & { readonly url: string }>;
    finish(url: URL, checks: OpenIdChecks): Promise<OpenIdClaims>;
  };
  readonly rules: OpenIdRules;
}

export interface BegunSignIn {
  /** At the provider. */
  readonly url: string;
  /** For a cookie of the browser; returned here and never again. */
  readonly token: string;
}

/** Throws OpenIdFailure. */
export async function beginOpenId(
  db: Db,
  { provider }: OpenId,
  wanted: { readonly redirectUri: string; readonly invitation: string | undefined; readonly returnTo: string },
): Promise<BegunSignIn> {
  const { url, ...checks } = await provider.begin(wanted.redirectUri);
  const { invitation, returnTo } = wanted;
  const isToken = invitation !== undefined && parseToken(invitation) !== undefined;
  const token = makeToken();
  const invitationHash = isToken ? hashSecret(invitation) : null;
  await insertOpenIdSignIn(db, hashSecret(token), { ...checks, invitationHash, returnTo });
  return { url, token };
}

export interface FinishedSignIn {
  /** Token of a sign-in link for the page, which works for a minute. */
  readonly linkToken: string;
  readonly returnTo: string;
  readonly accountId: number;
  /** Accounts that no group gives any more, of which the person stays the only owner. */
  readonly keptAsLastOwner: readonly number[];
}

/** `url`: to which the provider sent the browser. Throws OpenIdFailure. */
export async function finishOpenId(
  db: Db,
  { provider, rules }: OpenId,
  { token, url }: { readonly token: string | undefined; readonly url: URL },
): Promise<FinishedSignIn> {
  const begun =
    token === undefined || parseToken(token) === undefined ? undefined : await takeOpenIdSignIn(db, hashSecret(token));
  if (begun === undefined) throw new OpenIdFailure('over', 'no such sign-in is under way');
  const claims = await provider.finish(url, begun);
  if (!isOfDomain(claims, rules.emailDomains)) throw new OpenIdFailure('domain', 'the address is of another domain');
  const linkToken = await inTransaction(db, (trx) => admit(trx, rules, claims, begun));
  // Changes by the groups are committed even if the sign-in fails.
  if (linkToken === undefined) throw new OpenIdFailure(reasonOf(begun), 'the person is a member of no account');
  return { ...linkToken, returnTo: begun.returnTo };
}

function reasonOf({ invitationHash }: OpenIdSignIn) {
  return invitationHash === null ? 'no-account' : 'invitation';
}

/** Undefined for a person who is a member of no account. */
async function admit(
  trx: Trx,
  rules: OpenIdRules,
  claims: OpenIdClaims,
  { invitationHash }: OpenIdSignIn,
): Promise<Omit<FinishedSignIn, 'returnTo'> | undefined> {
  const roles = rolesOf(rules.groupRoles, claims.groups);
  const { issuer, subject } = claims;
  const isKnown = await members.isSubjectKnown(trx, { issuer, subject });
  // Nobody is kept who only tried.
  if (!isKnown && roles.size === 0 && invitationHash === null) return undefined;
  const person = await members.upsertSubject(trx, { issuer, subject }, claims);
  const { given, keptAsLastOwner } = await followGroups(trx, person.id, roles, rules.groupDays);
  const invited = invitationHash === null ? undefined : await acceptAsKnown(trx, invitationHash, person.id);
  const accounts = await members.listMemberships(trx, person.id);
  const accountId = invited ?? accounts.find(({ id }) => given.has(id))?.id ?? accounts[0]?.id;
  if (accountId === undefined) {
    if (!isKnown) await members.removePerson(trx, person.id);
    return undefined;
  }
  const link = { accountId, personId: person.id, isBound: false, lender: null, minutes: 1 };
  const { token } = await storeLink(trx, link);
  return { linkToken: token, accountId, keptAsLastOwner };
}

async function acceptAsKnown(trx: Trx, invitationHash: Buffer, personId: number): Promise<number | undefined> {
  const found = await findInvitationAccount(trx, invitationHash);
  if (found === undefined) return undefined;
  await lockAccount(trx, found);
  await distinguish(trx, found, personId);
  return joinByInvitation(trx, invitationHash, personId);
}

interface Followed {
  /** The accounts in which a group gives a role. */
  readonly given: ReadonlySet<number>;
  /** Those whose only owner the person stays, although no group says so any more. */
  readonly keptAsLastOwner: readonly number[];
}

/** Gives and withdraws the roles of groups. A role from somebody else stays, and so does the last owner of an account. */
async function followGroups(
  trx: Trx,
  personId: number,
  roles: ReadonlyMap<string, Role>,
  days: number,
): Promise<Followed> {
  const given = new Map<number, Role>();
  for (const [account, role] of roles) given.set(await ensureAccount(trx, account), role);
  const known = await members.listAllMemberships(trx, personId);
  // In one order, so that two people who sign in never wait for each other.
  const changed = new Set([...given.keys(), ...known.flatMap((one) => (one.isByGroup ? [one.accountId] : []))]);
  const keptAsLastOwner: number[] = [];
  for (const accountId of [...changed].toSorted((a, b) => a - b)) {
    await lockAccount(trx, accountId);
    const groupRole = given.get(accountId) ?? null;
    const member = await members.findMember(trx, accountId, personId);
    if (member === undefined) await distinguish(trx, accountId, personId);
    else if (!member.isByGroup) continue;
    const isKept = member !== undefined && groupRole !== 'owner' && (await isLastOwner(trx, accountId, member));
    const role = isKept ? 'owner' : groupRole;
    if (role === null) await members.removeMembership(trx, accountId, personId);
    else await members.upsertGroupMembership(trx, { accountId, personId, role, groupRole, days });
    if (isKept && (groupRole === null || !member.isEdited)) keptAsLastOwner.push(accountId);
  }
  return { given: new Set(given.keys()), keptAsLastOwner };
}

/**
 * Puts a number behind the name of a person who joins an account where another member is called so: nobody is there who could choose another
 * one, and the person may do so later. The account is locked.
 */
async function distinguish(trx: Trx, accountId: number, personId: number): Promise<void> {
  const { email, name } = (await members.findPerson(trx, personId))!;
  const accounts = [accountId, ...(await members.listAllMemberships(trx, personId)).map((one) => one.accountId)];
  // Ends: an account has a limited number of members.
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name : `${name} ${number}`;
    const isTaken: boolean[] = [];
    for (const one of accounts) isTaken.push(await isNameTaken(trx, one, tried, personId));
    if (number === 1 && isTaken[0] === false) return;
    if (isTaken.includes(true)) continue;
    return members.updatePerson(trx, { id: personId, name: tried, email });
  }
}
