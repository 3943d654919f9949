/** People, their roles in accounts, and invitations. A role is a set of scopes: nothing else asks for roles. */
import { allows, SCOPES, type Scope } from '../accounts/api-key.ts';

/** Scopes of a member, by role. */
export const ROLES = {
  owner: SCOPES,
  member: ['read', 'write', 'evaluate'],
  evaluator: ['evaluate'],
  reader: ['read'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as [Role, ...Role[]];

/** The scopes that a member of the role keeps; null: a key or session of the account. */
export function scopesWithin(role: Role | null, scopes: readonly Scope[]): readonly Scope[] {
  return role === null ? scopes : scopes.filter((scope) => allows(ROLES[role], scope));
}

/** Roles whose members have the scope. */
export function rolesWith(scope: Scope): readonly Role[] {
  return ROLE_NAMES.filter((role) => allows(ROLES[role], scope));
}

/** Scopes of the role that are missing from others. */
export function missingOf(role: Role, scopes: readonly Scope[]): readonly Scope[] {
  return ROLES[role].filter((scope) => !allows(scopes, scope));
}

/** Whoever uses a key or a session, as far as it is known. */
export interface Actor {
  readonly personName: string | null;
  readonly keyLabel: string | null;
  readonly keyId: string | null;
}

/** The owner who let somebody in by a sign-in link, and the key that the owner used. What is done with it ends with their rights. */
export interface Lender {
  readonly personId: number | null;
  /** The id of its record. */
  readonly keyRecordId: number | null;
  /** As records name the owner. */
  readonly name: string;
}

/** As whom records name somebody without a key and a name. */
export const NOBODY = 'sign-in link';

/** As whom records name an actor. */
export function nameOfActor({ personName, keyLabel, keyId }: Actor): string {
  return personName ?? keyLabel ?? keyId ?? NOBODY;
}

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly email: string | null;
}

export interface Member extends Person {
  readonly role: Role;
  /** Whether groups of the OpenID provider made the person a member; they also end it. */
  readonly isByGroup: boolean;
  /** Role that the groups gave at the last sign-in there; null: none. */
  readonly groupRole: Role | null;
  /** Whether an owner has changed the role that groups gave. */
  readonly isEdited: boolean;
  /** Time at which it stops counting unless the person signs in by the provider before; null: it does not depend on that. */
  readonly countsUntil: Date | null;
  readonly joinedAt: Date;
  /** Last use of their newest session; null: none is left. */
  readonly lastUsedAt: Date | null;
}

/** An account that a person is a member of. */
export interface Membership {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
}

/** An account with what its objectives have reached, for somebody who looks after several. */
export interface AccountState extends Membership {
  /** The other owners, by name. */
  readonly owners: readonly string[];
  readonly running: number;
  readonly satisfied: number;
  readonly ended: number;
  readonly runs: number;
  /** The last change of an objective. */
  readonly changedAt: Date | null;
}

/** Accounts that an invitation opens: the account that invites, or a new one for each person, for a course. */
export const OPENINGS = ['this account', 'an account for each'] as const;
export type Opening = (typeof OPENINGS)[number];

export interface Invitation {
  readonly id: number;
  readonly opens: Opening;
  readonly role: Role;
  /** Role of the inviter in each account that is opened for one person. */
  readonly inviterRole: Role | null;
  readonly label: string | null;
  readonly createdBy: string;
  /** null: any number. */
  readonly maximumUses: number | null;
  readonly uses: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** Whether it may be accepted: it has not ended, and whoever made it may still give what it gives. */
  readonly isOpen: boolean;
}

/** Current rights of whoever made an invitation. */
export interface InvitationMaker {
  /** null: nobody by name, or no member any more. */
  readonly makerRole: Role | null;
  readonly isByPerson: boolean;
  /** Scopes of the key with which it was made; null: made without a key. */
  readonly makerKeyScopes: readonly Scope[] | null;
  /** Whether that key, and whoever let its maker in by a link, may still do so. */
  readonly isStillLent: boolean;
}

/** Whether an invitation still gives no more than its maker may: nobody keeps a right by having put it into a link. */
export function mayStillInvite(
  { makerRole, isByPerson, makerKeyScopes, isStillLent }: InvitationMaker,
  { opens, role }: Pick<Invitation, 'opens' | 'role'>,
): boolean {
  if (!isStillLent || (isByPerson && makerRole === null)) return false;
  const scopes = scopesWithin(makerRole, makerKeyScopes ?? SCOPES);
  // An account of one's own takes nothing from the account that invites.
  return allows(scopes, 'admin') && (opens === 'an account for each' || missingOf(role, scopes).length === 0);
}

/** A session of the page as its person, or an owner, sees it. */
export interface SessionRecord {
  readonly id: number;
  readonly personId: number | null;
  readonly personName: string | null;
  readonly keyId: string | null;
  readonly keyLabel: string | null;
  /** As the browser calls itself; null: it did not say. */
  readonly browser: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** Usable keys of one person in an account, so that nobody takes those of all. */
export const MAXIMUM_OWN_KEYS = 50;
/** Members of an account, and invitations that may be used, at a time. */
export const MAXIMUM_MEMBERS = 1_000;
export const MAXIMUM_INVITATIONS = 100;
/** People who may accept one invitation. */
export const MAXIMUM_USES = 1_000;
export const INVITATION_DAYS = 7;
export const LONGEST_INVITATION_DAYS = 365;
/** Lifetime of a sign-in link that an owner makes for a member; it works once. */
export const MEMBER_LINK_HOURS = 24;
/** More of what a browser calls itself is not kept. */
export const LONGEST_BROWSER = 200;
