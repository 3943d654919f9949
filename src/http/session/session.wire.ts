import { z } from 'zod';
import type { NewSession, Session } from '../../application/accounts/browser-sessions.ts';
import type { OfferedInvitation } from '../../application/people/accept-invitation.ts';
import { makeViolation } from '../../domain/errors.ts';
import { type BodySpec, bodyOf } from '../body/spec.ts';
import { textSchema, toTimestamp } from '../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH } from '../wire/limits.ts';
import { personEmail, personName } from '../wire/person.ts';
import { readFields } from '../wire/violations.ts';

/** Means of signing in: credentials, an invitation with the name of who accepts it, or the present session. */
export type SignIn =
  | { readonly by: 'key' | 'link'; readonly text: string }
  /** Without a name, the person of the present session accepts it. */
  | { readonly by: 'invitation'; readonly text: string; readonly named: Named | undefined }
  /** The person of the present session goes to another account. */
  | { readonly by: 'account'; readonly accountId: number }
  /** Whoever uses the present session of the account becomes a person. */
  | { readonly by: 'name'; readonly named: Named };

interface Named {
  readonly name: string;
  readonly email: string | null;
}

const text = textSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH });
const schema = z.strictObject({
  key: text.transform((key) => key.trim()).optional(),
  token: text.optional(),
  invitation: text.optional(),
  account: z.int().positive().optional(),
  name: personName.optional(),
  email: personEmail.nullish(),
});
type Fields = z.output<typeof schema>;

function signInOf({ key, token, invitation, account, name, email }: Fields): SignIn | undefined {
  const named = name === undefined ? undefined : { name, email: email ?? null };
  const isNamed = named !== undefined || email !== undefined;
  const given = [key, token, invitation, account].filter((each) => each !== undefined).length;
  if (invitation !== undefined && given === 1) return { by: 'invitation', text: invitation, named };
  if (given === 0) return named && { by: 'name', named };
  if (given > 1 || isNamed) return undefined;
  if (key !== undefined) return { by: 'key', text: key };
  return token === undefined ? { by: 'account', accountId: account! } : { by: 'link', text: token };
}

export const newSession: BodySpec<SignIn> = {
  schema,
  read: (body) => {
    const { fields, violations } = readFields(schema, body);
    if (violations.length > 0) return { kind: 'violations', violations };
    const value = signInOf(fields as Fields);
    if (value !== undefined) return { kind: 'value', value };
    const message =
      'send either an API key in "key", the token of a sign-in link in "token", or that of an invitation in "invitation" with your "name".';
    return { kind: 'violations', violations: [makeViolation([], message)] };
  },
};

const offered = z.strictObject({ invitation: text });

export const invitationToRead: BodySpec<{ readonly invitation: string }> = bodyOf(offered);

const openIdFields = z.strictObject({ invitation: text.optional(), returnTo: text.optional() });

export const newOpenIdSignIn = bodyOf(openIdFields, { isOptional: true });

export function presentOffer({ expiresAt, ...invitation }: OfferedInvitation) {
  return { ...invitation, expiresAt: toTimestamp(expiresAt) };
}

export function presentSession({ accountName, scopes, keyId, personName, role, expiresAt }: Session) {
  return { account: accountName, scopes, keyId, person: personName, role, expiresAt: toTimestamp(expiresAt) };
}

/** With the secret that the page sends from then on. */
export function presentNewSession(session: NewSession) {
  return { ...presentSession(session), pageSecret: session.pageSecret };
}
