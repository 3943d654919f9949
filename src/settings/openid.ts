/** The settings of signing in by an OpenID provider: a part of SETTINGS_TREE. */
import type { z } from 'zod';
import { GROUP_SEPARATORS, type GroupRole } from '../domain/people/openid.ts';
import { ROLE_NAMES, type Role } from '../domain/people/people.ts';
import { isHttpUrl, oneOf, optionalParsed, optionalText, setting, splitList, text, wholeNumber } from './rules.ts';

const GROUP = /^(.+)=([^=:]+):([a-z]+)$/;

function parseGroups(value: string, context: z.RefinementCtx): GroupRole[] {
  return splitList(value).flatMap((part) => {
    const [, group, account, role] = GROUP.exec(part) ?? [];
    if (role !== undefined && (ROLE_NAMES as readonly string[]).includes(role)) {
      return [{ group: group!.trim(), account: account!.trim(), role: role as Role }];
    }
    context.addIssue({ code: 'custom', message: `has ${JSON.stringify(part)}, which is not group=account:role` });
    return [];
  });
}

function parseDomains(value: string, context: z.RefinementCtx): string[] {
  const domains = splitList(value).map((domain) => domain.toLowerCase());
  if (domains.some((domain) => !/^[\w-]+(\.[\w-]+)+$/.test(domain))) {
    context.addIssue({ code: 'custom', message: 'has a part that is not a domain' });
  }
  return domains;
}

export const OPENID_SETTINGS = {
  issuer: setting(
    'OPENID_ISSUER',
    optionalText(isHttpUrl, 'the URL of an OpenID provider; https, except on loopback', 'https://login.example.com'),
    'The [OpenID provider](people.md#openid-connect) by which people sign in to the page. Its configuration is read from `/.well-known/openid-configuration` below this URL. Default: none.',
  ),
  clientId: setting(
    'OPENID_CLIENT_ID',
    text(/^\S+$/, 'the name of this service at the provider', 'rig-searches', 'backsolve'),
    'As what the service is registered at the provider. The redirect URI to register is `/session/openid/callback` on the address of the page.',
  ),
  clientSecret: setting(
    'OPENID_CLIENT_SECRET',
    optionalText((value) => /^\S+$/.test(value), 'the secret of this service at the provider', 'a-long-random-text'),
    'The secret of that registration; none for a public client, which PKCE alone protects.',
    { secret: true },
  ),
  scopes: setting(
    'OPENID_SCOPES',
    text(
      /^openid( \S+)*$/,
      'scopes separated by spaces, openid first',
      'openid profile email groups',
      'openid profile email',
    ),
    'What the provider is asked for.',
  ),
  groupsClaim: setting(
    'OPENID_GROUPS_CLAIM',
    text(/^\S+$/, 'the name of a claim', 'roles', 'groups'),
    'The claim with the groups of a person: a list of texts, or one text. Only `OPENID_GROUPS` asks for it.',
  ),
  groupsSeparator: setting(
    'OPENID_GROUPS_SEPARATOR',
    oneOf(GROUP_SEPARATORS, 'ask', 'comma'),
    'What stands between groups if the provider sends them as one text: `comma`, `space`, or `none` if such a text is the name of one group, as AD FS sends it. `ask`: one text is the name of one group, and where it could also be several of those in `OPENID_GROUPS`, the sign-in is refused and the log says so.',
  ),
  groupRoles: setting(
    'OPENID_GROUPS',
    optionalParsed(
      parseGroups,
      [],
      `entries group=account:role, separated by commas; roles are ${ROLE_NAMES.join(', ')}`,
      'rig-team=default:member,rig-leads=default:owner',
    ),
    'Which groups have which role in which account. Memberships that a group gives are added, changed and removed at each sign-in. Default: only invited people sign in.',
  ),
  groupDays: setting(
    'OPENID_GROUP_DAYS',
    wholeNumber(1, 365, '7'),
    'For how many days after a sign-in by the provider a membership counts that a group gave, with the sessions and keys of its person. Whoever has left the group is out after that time at the latest; the others sign in again.',
  ),
  emailDomains: setting(
    'OPENID_EMAIL_DOMAINS',
    optionalParsed(parseDomains, [], 'domains separated by commas', 'example.com,example.org'),
    'Only people with an e-mail address of one of these domains sign in. `email_verified`, if the provider sends it, must be true. Default: any.',
  ),
} as const;
