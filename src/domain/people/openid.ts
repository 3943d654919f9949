/** Signing in by an OpenID provider. */
import { ROLE_NAMES, type Role } from './people.ts';

/** Checked claims of a provider about a person who signed in there. */
export interface OpenIdClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  /** False unless the provider says that the address is the person's, or says nothing about it. */
  readonly isEmailVerified: boolean;
  readonly groups: readonly string[];
}

/** Values that the request to the provider and its answer share. */
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

/** Rules for who may sign in, and with which roles. */
export interface OpenIdRules {
  readonly groupRoles: readonly GroupRole[];
  /** Domains of e-mail addresses; empty: any. */
  readonly emailDomains: readonly string[];
  /** Days for which roles from groups count after a sign-in. */
  readonly groupDays: number;
}

/** Reason for a failed sign-in; the page puts it into words. */
export type OpenIdFailureReason =
  /** The sign-in took too long, was finished before, or was begun in another browser. */
  | 'over'
  /** The person, or the provider, said no. */
  | 'denied'
  | 'unavailable'
  /** An answer of the provider did not pass a check. */
  | 'refused'
  | 'domain'
  /** The provider sent groups in a form that could be misread, or left them out. */
  | 'groups'
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

/** Separators of groups in one text; ask: refuse a text that could be one group or several. */
export const GROUP_SEPARATORS = ['ask', 'none', 'comma', 'space'] as const;
export type GroupSeparator = (typeof GROUP_SEPARATORS)[number];

/**
 * The groups in a claim: a list of texts, also as the text of a JSON array, or one text. Nothing is taken for a group that may not be one:
 * `rig leads` is either the group of that name or two groups. Throws OpenIdFailure.
 */
export function readGroups(
  claim: unknown,
  { separator, known }: { readonly separator: GroupSeparator; readonly known: ReadonlySet<string> },
): readonly string[] {
  if (claim === undefined || claim === null) return [];
  if (Array.isArray(claim)) {
    if (claim.every((group) => typeof group === 'string')) return claim;
    throw new OpenIdFailure('groups', 'the groups are a list of something else than texts');
  }
  if (typeof claim !== 'string') {
    const kind = typeof claim === 'object' ? 'an object' : `a ${typeof claim}`;
    throw new OpenIdFailure('groups', `the groups are ${kind} and not a list of texts`);
  }
  const listed = parseJsonList(claim);
  if (listed !== undefined) return readGroups(listed, { separator, known });
  const whole = claim.trim();
  // Amazon Cognito puts brackets around the list of another provider.
  if (separator === 'comma') return partsOf(whole.replace(/^\[(.*)\]$/s, '$1'), ',');
  if (separator === 'space') return partsOf(whole, /\s/);
  const parts = [...partsOf(whole, /[,;\s]/), ...partsOf(whole, /[,;]/)].filter((part) => part !== whole);
  if (separator === 'ask' && parts.some((part) => known.has(part))) {
    const message =
      'the groups are one text, of one group or of several: set OPENID_GROUPS_SEPARATOR to comma, space or none';
    throw new OpenIdFailure('groups', message);
  }
  return whole === '' ? [] : [whole];
}

function partsOf(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function parseJsonList(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a provider vouches for the address: `email_verified` is true, also as text, or absent. */
export function isVerified(claim: unknown): boolean {
  return claim === undefined || claim === true || claim === 'true';
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

/** Time limit of a sign-in at the provider. */
export const OPENID_MINUTES = 10;
