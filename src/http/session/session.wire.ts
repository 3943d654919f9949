import { z } from 'zod';
import type { NewSession, Session } from '../../application/accounts/browser-sessions.ts';
import { makeViolation } from '../../domain/errors.ts';
import type { BodySpec } from '../body/spec.ts';
import { textSchema, toTimestamp } from '../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH } from '../wire/limits.ts';
import { readFields } from '../wire/violations.ts';

/** Credentials: an API key, or the token of a link. */
export interface SignIn {
  readonly by: 'key' | 'link';
  readonly text: string;
}

const text = textSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH });
const schema = z.strictObject({
  key: text.transform((key) => key.trim()).optional(),
  token: text.optional(),
});

export const newSession: BodySpec<SignIn> = {
  schema,
  read: (body) => {
    const { fields, violations } = readFields(schema, body);
    if (violations.length > 0) return { kind: 'violations', violations };
    const { key, token } = fields as z.output<typeof schema>;
    if (key !== undefined && token === undefined) return { kind: 'value', value: { by: 'key', text: key } };
    if (token !== undefined && key === undefined) return { kind: 'value', value: { by: 'link', text: token } };
    const message = 'send either an API key in "key" or the token of a sign-in link in "token".';
    return { kind: 'violations', violations: [makeViolation([], message)] };
  },
};

export function presentSession({ accountName, scopes, keyId, expiresAt }: Session) {
  return { account: accountName, scopes, keyId, expiresAt: toTimestamp(expiresAt) };
}

/** With the secret that the page sends from then on. */
export function presentNewSession(session: NewSession) {
  return { ...presentSession(session), pageSecret: session.pageSecret };
}
