/** Members, invitations, sessions, and what people do with what is theirs. */
import { z } from 'zod';
import type { SignInLink } from '../../../application/accounts/browser-sessions.ts';
import type { MadeInvitation } from '../../../application/people/invitations.ts';
import type { Oneself } from '../../../application/people/oneself.ts';
import { SCOPES } from '../../../domain/accounts/api-key.ts';
import {
  type AccountState,
  INVITATION_DAYS,
  type Invitation,
  LONGEST_INVITATION_DAYS,
  MAXIMUM_USES,
  type Member,
  OPENINGS,
  ROLE_NAMES,
  type SessionRecord,
} from '../../../domain/people/people.ts';
import { bodyOf } from '../../body/spec.ts';
import { nameSchema, timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH } from '../../wire/limits.ts';
import { personEmail, personName } from '../../wire/person.ts';

const role = z
  .enum(ROLE_NAMES)
  .describe(
    'owner: everything; member: reads and writes; evaluator: only runs evaluations; reader: only reads. Each is a set of scopes.',
  );
const personFields = { id: z.int(), name: z.string(), email: z.string().nullable() };

export const memberSchema = z
  .object({
    ...personFields,
    role,
    byGroup: z.boolean().describe('Whether groups of the OpenID provider made the person a member; they also end it.'),
    groupRole: role
      .nullable()
      .describe(
        'What the groups gave at the last sign-in; null: nothing. The role differs if an owner has changed it, or because the account keeps its last owner.',
      ),
    edited: z.boolean().describe('Whether an owner has changed the role that groups gave; groups then leave the role.'),
    countsUntil: timestamp
      .nullable()
      .describe(
        'When the membership, with the keys of the person, stops counting unless the person signs in by the provider again; null: it does not depend on that.',
      ),
    joinedAt: timestamp,
    lastUsedAt: timestamp.nullable().describe('The last use of a session that has not ended; null: there is none.'),
  })
  .meta({ id: 'Member' });

export const memberPatch = bodyOf(
  z.strictObject({ role }).meta({ id: 'MemberPatch', examples: [{ role: 'owner' }, { role: 'reader' }] }),
);

export const signInLinkSchema = z
  .object({
    link: z.string().describe('Path on this service, with the secret behind the #; never shown again.'),
    expiresAt: timestamp,
  })
  .meta({ id: 'SignInLink' });

const opens = z
  .enum(OPENINGS)
  .describe('What accepting it opens: this account, or an account for each person, for a course.');
const label = nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH }).describe(
  'What it is for. Accounts that it opens are named after it.',
);
const maximumUses = z.int().min(1).max(MAXIMUM_USES).nullable();

export const newInvitation = bodyOf(
  z
    .strictObject({
      opens: opens.optional().transform((what) => what ?? 'this account'),
      role: role
        .optional()
        .describe('The role of whoever accepts it. With an account for each it is owner, otherwise it is required.'),
      inviterRole: role
        .optional()
        .transform((text) => text ?? 'owner')
        .describe('With an account for each: the role of whoever invites, in each of them; default: owner.'),
      label: label.nullish().transform((text) => text ?? null),
      maximumUses: maximumUses
        .optional()
        .transform((uses) => (uses === undefined ? 1 : uses))
        .describe('How many people may accept it; default: 1; null: any number, only for this account.'),
      days: z
        .int()
        .min(1)
        .max(LONGEST_INVITATION_DAYS)
        .optional()
        .transform((days) => days ?? INVITATION_DAYS)
        .describe(`How many days it works; default: ${INVITATION_DAYS}.`),
    })
    .meta({
      id: 'NewInvitation',
      examples: [
        { role: 'member', label: 'Ada' },
        { opens: 'an account for each', label: 'Course 2027', maximumUses: 30, days: 14 },
      ],
    }),
);

const invitationFields = {
  id: z.int(),
  opens,
  role,
  inviterRole: role.nullable(),
  label: z.string().nullable(),
  createdBy: z.string(),
  maximumUses: z.int().nullable(),
  uses: z.int(),
  createdAt: timestamp,
  expiresAt: timestamp,
  revokedAt: timestamp.nullable(),
  isOpen: z
    .boolean()
    .describe(
      'Whether it may be accepted: not used up, revoked or expired, and whoever made it may still give what it gives.',
    ),
};

export const invitationSchema = z.object(invitationFields).meta({ id: 'Invitation' });

export const createdInvitationSchema = z
  .object({
    ...invitationFields,
    link: z.string().describe('Path on this service, with the secret behind the #; never shown again.'),
  })
  .meta({ id: 'CreatedInvitation' });

export const sessionSchema = z
  .object({
    id: z.int(),
    isOwn: z.boolean().describe('Whether this request came from it.'),
    personId: z.int().nullable(),
    personName: z.string().nullable(),
    keyId: z.string().nullable().describe('The key that signed in.'),
    keyLabel: z.string().nullable(),
    browser: z.string().nullable().describe('The name by which the browser calls itself.'),
    createdAt: timestamp,
    lastUsedAt: timestamp.describe('Up to 20 seconds late.'),
    expiresAt: timestamp,
  })
  .meta({ id: 'PageSession' });

const membershipFields = { id: z.int(), name: z.string(), role };

export const oneselfSchema = z
  .object({
    person: z.object(personFields).nullable().describe('null: the key or session is that of the account.'),
    actor: z.string().describe('As whom records name whoever asks: the person, else the label of the key.'),
    account: z.object({ id: z.int(), name: z.string() }),
    role: role.nullable(),
    scopes: z.array(z.enum(SCOPES)),
    accounts: z
      .array(z.object(membershipFields))
      .describe('Accounts that the session can switch to, with the present one.'),
  })
  .meta({ id: 'Oneself' });

export const oneselfPatch = bodyOf(
  z
    .strictObject({ name: personName.optional(), email: personEmail.nullable().optional() })
    .meta({ id: 'OneselfPatch', examples: [{ name: 'Ada Lovelace' }, { email: 'ada@example.com' }] }),
);

export const accountStateSchema = z
  .object({
    ...membershipFields,
    owners: z.array(z.string()).describe('The other owners.'),
    objectives: z.object({ running: z.int(), satisfied: z.int(), ended: z.int().describe('Without satisfying.') }),
    runs: z.int(),
    changedAt: timestamp.nullable().describe('The last change of an objective.'),
  })
  .meta({ id: 'AccountState' });

export function presentMember(stored: Member): z.infer<typeof memberSchema> {
  const { isByGroup, isEdited, countsUntil, joinedAt, lastUsedAt, ...member } = stored;
  return {
    ...member,
    byGroup: isByGroup,
    edited: isEdited,
    countsUntil: toOptionalTimestamp(countsUntil),
    joinedAt: toTimestamp(joinedAt),
    lastUsedAt: toOptionalTimestamp(lastUsedAt),
  };
}

export function presentLink({ token, expiresAt }: SignInLink): z.infer<typeof signInLinkSchema> {
  return { link: `/page#token=${token}`, expiresAt: toTimestamp(expiresAt) };
}

export function presentInvitation(invitation: Invitation): z.infer<typeof invitationSchema> {
  const { createdAt, expiresAt, revokedAt, ...others } = invitation;
  return {
    ...others,
    createdAt: toTimestamp(createdAt),
    expiresAt: toTimestamp(expiresAt),
    revokedAt: toOptionalTimestamp(revokedAt),
  };
}

export function presentCreatedInvitation({
  invitation,
  token,
}: MadeInvitation): z.infer<typeof createdInvitationSchema> {
  return { ...presentInvitation(invitation), link: `/page#invitation=${token}` };
}

export function presentSessionRecord(session: SessionRecord, ownId: number | null): z.infer<typeof sessionSchema> {
  const { id, createdAt, lastUsedAt, expiresAt, ...others } = session;
  return {
    id,
    isOwn: id === ownId,
    ...others,
    createdAt: toTimestamp(createdAt),
    lastUsedAt: toTimestamp(lastUsedAt),
    expiresAt: toTimestamp(expiresAt),
  };
}

export function presentOneself(oneself: Oneself): z.infer<typeof oneselfSchema> {
  const { person, actor, account, role: own, scopes, accounts } = oneself;
  return {
    person,
    actor,
    account,
    role: own,
    scopes: [...scopes],
    accounts: accounts.map(({ id, name, role: there }) => ({ id, name, role: there })),
  };
}

export function presentAccountState(state: AccountState): z.infer<typeof accountStateSchema> {
  const { id, name, role: own, owners, running, satisfied, ended, runs, changedAt } = state;
  return {
    id,
    name,
    role: own,
    owners: [...owners],
    objectives: { running, satisfied, ended },
    runs,
    changedAt: toOptionalTimestamp(changedAt),
  };
}
