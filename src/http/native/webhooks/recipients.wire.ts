import { z } from 'zod';
import { type Recipient, TOLD_KINDS, UNCONFIRMED_DAYS } from '../../../domain/webhooks/recipient.ts';
import { bodyOf } from '../../body/spec.ts';
import { positiveInteger, timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';

const LONGEST_ADDRESS = 254;
const kinds = TOLD_KINDS as readonly ['ended', 'waiting'];
const tells = z
  .array(z.enum(kinds))
  .min(1, 'must name ended, waiting or both.')
  .max(kinds.length, 'must not name one twice.')
  .describe('ended: a search or a batch has ended. waiting: an input has waited for its output for two minutes.');

export const newRecipient = bodyOf(
  z
    .strictObject({
      email: z
        .email('must be an e-mail address, such as name@example.com.')
        .max(LONGEST_ADDRESS, `must have at most ${LONGEST_ADDRESS} characters.`),
      objectiveId: positiveInteger
        .nullish()
        .transform((id) => id ?? null)
        .describe('Only of this objective; default: of all objectives and batches of the account.'),
      tells: tells.optional().transform((sent) => sent ?? kinds),
    })
    .meta({
      id: 'NewRecipient',
      examples: [{ email: 'rig@example.com' }, { email: 'rig@example.com', objectiveId: 7, tells: ['waiting'] }],
    }),
);

export const recipientSchema = z
  .object({
    id: z.int(),
    email: z.string(),
    objectiveId: z.int().nullable().describe('null: of the whole account.'),
    tells: z.array(z.enum(kinds)),
    createdAt: timestamp,
    confirmedAt: timestamp
      .nullable()
      .describe(
        `When the person agreed, by the link in the first e-mail; null: not yet. Nothing else is sent before, and without it the recipient goes after ${UNCONFIRMED_DAYS} days.`,
      ),
    enabled: z
      .boolean()
      .describe('false: the mail server says that there is no such mailbox. Add the recipient again to try once more.'),
    failingSince: timestamp.nullable().describe('Since when e-mails have failed; null if the last one was accepted.'),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'Recipient' });

export function presentRecipient(recipient: Recipient): z.infer<typeof recipientSchema> {
  const { id, email, objectiveId, createdAt, confirmedAt, failingSince, lastError, isEnabled } = recipient;
  return {
    ...{ id, email, objectiveId, lastError },
    tells: [...recipient.tells],
    createdAt: toTimestamp(createdAt),
    confirmedAt: toOptionalTimestamp(confirmedAt),
    enabled: isEnabled,
    failingSince: toOptionalTimestamp(failingSince),
  };
}
