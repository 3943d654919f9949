/** Signing in by an OpenID provider. */
import { ROLE_NAMES, type Role } from './people.ts';

/** What a provider says about a person who signed in there, checked. */
export interface OpenIdClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  /** False if the provider says that the address is not the person's. */
  readonly isEmailVerified: boolean;
  readonly groups: readonly string[];
}

/** What the request to the provider and its answer have in common. */
export interface OpenIdChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Members of the group have the role in the account of that name. */
export interface GroupRole {
  readonly group: string;
  readonly account: string;
  readonly role: Role;
}

/** Who may sign in, and as what. */
export interface OpenIdRules {
  readonly groupRoles: readonly GroupRole[];
  /** Domains of e-mail addresses; empty: any. */
  readonly emailDomains: readonly string[];
}

/** Why nobody was signed in; the page says it in words. */
export type OpenIdFailureReason =
  /** The sign-in took too long, was finished before, or was begun in another browser. */
  | 'over'
  /** The person, or the provider, said no. */
  | 'denied'
  | 'unavailable'
  /** An answer of the provider did not pass a check. */
  | 'refused'
  | 'domain'
  /** Neither a group nor an invitation makes the person a member of an account. */
  | 'no-account'
  | 'invitation';

export class OpenIdFailure extends Error {
  readonly reason: OpenIdFailureReason;

  constructor(reason: OpenIdFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OpenIdFailure';
    this.reason = reason;
  }
}

/** By account, the strongest role that the groups give. */
export function rolesOf(groupRoles: readonly GroupRole[], groups: readonly string[]): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  for (const { group, account, role } of groupRoles) {
    const known = roles.get(account);
    if (!groups.includes(group)) continue;
    if (known === undefined || ROLE_NAMES.indexOf(role) < ROLE_NAMES.indexOf(known)) roles.set(account, role);
  }
  return roles;
}

/** Whether an address is of one of the domains, and not denied by the provider. */
export function isOfDomain(
  { email, isEmailVerified }: Pick<OpenIdClaims, 'email' | 'isEmailVerified'>,
  domains: readonly string[],
): boolean {
  if (domains.length === 0) return true;
  const domain = email?.toLowerCase().split('@').at(-1);
  return isEmailVerified && domain !== undefined && domains.includes(domain);
}

/** How long somebody may take at the provider. */
export const OPENID_MINUTES = 10;
