import { z } from 'zod';
import type { Account } from '../../domain/accounts/account.ts';
import { makeViolation } from '../../domain/errors.ts';
import type { BodySpec, SentFields } from '../body/spec.ts';
import { textSchema } from '../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH } from '../wire/limits.ts';
import { type Parsed, readFields, withoutRepeats } from '../wire/violations.ts';
import { presentRecord, recordFields } from './record.wire.ts';

const text = textSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH });
/** Longer addresses cannot receive mail (RFC 5321, 4.5.3.1.3). */
const MAXIMUM_ADDRESS_LENGTH = 254;
const DEFAULT_TIME_ZONE = 'UTC';

const email = z.preprocess(
  (address) => (typeof address === 'string' ? address.trim().toLowerCase() : address),
  textSchema({ minimum: 3, maximum: MAXIMUM_ADDRESS_LENGTH }).regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address.'),
);

/** Required because clients send it, and never stored or repeated: the API key is the only credential. */
const password = z
  .unknown()
  .transform((value, issues): undefined => {
    if (typeof value === 'string' && value !== '') return undefined;
    issues.addIssue({ code: 'custom', message: 'is required: send a string that is not empty.', input: undefined });
    return z.NEVER;
  })
  .meta({ type: 'string', minLength: 1, format: 'password' });

const agreement = z
  .boolean()
  .nullish()
  .refine((agrees) => agrees !== false, 'must be true.');

const newAccountSchema = z
  .object({
    company: text,
    firstName: text.nullish(),
    lastName: textSchema({ minimum: 0, maximum: MAXIMUM_NAME_LENGTH }).nullish(),
    // Clients before 1.1 send the full name in one field.
    name: text.nullish(),
    email,
    password,
    timeZone: text.nullish().transform((zone) => zone ?? DEFAULT_TIME_ZONE),
    agreement,
  })
  .meta({
    id: 'NewAccount',
    examples: [
      {
        company: 'Acme',
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: 'ada@example.com',
        password: 'correct horse battery',
        timeZone: 'Europe/London',
        agreement: true,
      },
    ],
  });

type AccountOwner = Pick<Account, 'company' | 'fullName' | 'firstName' | 'lastName' | 'email' | 'timeZone'>;

/** The name may come in one field or in two. */
function readNewAccount(body: SentFields): Parsed<AccountOwner> {
  const { fields, violations: invalid } = readFields(newAccountSchema, body);
  const hasName = body.firstName != null || body.name != null;
  const others = hasName ? [] : [makeViolation(['firstName'], 'is required: send a string.')];
  const violations = withoutRepeats(invalid, others);
  if (violations.length > 0) return { kind: 'violations', violations };
  return { kind: 'value', value: toAccountOwner(fields as z.output<typeof newAccountSchema>) };
}

export const newAccount: BodySpec<AccountOwner> = { schema: newAccountSchema, read: readNewAccount };

function toAccountOwner(body: z.output<typeof newAccountSchema>): AccountOwner {
  const [first = '', ...rest] = (body.name ?? '').trim().split(/\s+/);
  const firstName = body.firstName ?? first;
  const lastName = body.lastName ?? (body.firstName == null ? rest.join(' ') : '');
  return {
    company: body.company,
    fullName: body.name ?? `${firstName} ${lastName}`.trim(),
    firstName,
    lastName,
    email: body.email,
    timeZone: body.timeZone,
  };
}

export const accountSchema = z
  .strictObject({
    ...recordFields,
    company: z.string(),
    name: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    email: z.string(),
    apiKey: z.string(),
    timeZone: z.string(),
    customerId: z.string(),
  })
  .meta({ id: 'Account' });

export function presentAccount(account: Account, keyText: string): z.infer<typeof accountSchema> {
  return {
    ...presentRecord(account),
    company: account.company,
    name: account.fullName,
    firstName: account.firstName,
    lastName: account.lastName,
    email: account.email,
    apiKey: keyText,
    timeZone: account.timeZone,
    // Clients require one that is not null; this service does no billing.
    customerId: `customer-${account.id}`,
  };
}
