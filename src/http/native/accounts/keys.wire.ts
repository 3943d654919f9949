import { z } from 'zod';
import type { MadeKey } from '../../../application/accounts/manage-account-keys.ts';
import { MAXIMUM_OVERLAP_SECONDS, type RotatedKey } from '../../../application/accounts/rotate-key.ts';
import { inCell, type KeyRecord, SCOPES } from '../../../domain/accounts/api-key.ts';
import { bodyOf } from '../../body/spec.ts';
import { instant, nameSchema, timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH } from '../../wire/limits.ts';

const scope = z.enum(SCOPES);
const label = nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH }).describe('A label of your choice.');
const expiresAt = instant.describe('When the key expires, in the future; null: never.');

export const newKey = bodyOf(
  z
    .strictObject({
      scopes: z
        .array(scope)
        .min(1, 'must name a scope.')
        .max(SCOPES.length, 'must not name a scope twice.')
        .transform((scopes) => [...new Set(scopes)])
        .describe('What the key may do; the requesting key must have all of these scopes.'),
      label: label.nullish().transform((text) => text ?? null),
      expiresAt: expiresAt.nullish().transform((end) => end ?? null),
    })
    .meta({
      id: 'NewKey',
      examples: [
        { scopes: ['read', 'write'], label: 'the test rig' },
        { scopes: ['read'], label: 'auditors', expiresAt: '2099-12-31T12:00:00Z' },
      ],
    }),
);

export const keyPatch = bodyOf(
  z
    .strictObject({ label: label.nullable().optional(), expiresAt: expiresAt.nullable().optional() })
    .meta({ id: 'KeyPatch', examples: [{ label: 'the old test rig' }, { expiresAt: '2099-12-31T12:00:00Z' }] }),
);

export const newRotation = bodyOf(
  z
    .strictObject({
      overlapSeconds: z
        .int()
        .min(0)
        .max(MAXIMUM_OVERLAP_SECONDS)
        .describe(
          'How long the old key keeps working, so that you can distribute the new one. 0: it stops immediately.',
        ),
    })
    .meta({ id: 'NewRotation', examples: [{ overlapSeconds: 86_400 }, { overlapSeconds: 0 }] }),
);

const keyFields = {
  id: z.int(),
  keyId: z.string().describe('The 8 characters after bks_ in the text of the key; paths take the id.'),
  label: z.string().nullable(),
  scopes: z.array(scope),
  createdAt: timestamp,
  expiresAt: timestamp.nullable().describe('When the key expires; null: never.'),
  lastUsedAt: timestamp.nullable().describe('Up to 20 seconds late; null: never used.'),
  revokedAt: timestamp.nullable(),
  successorId: z.int().nullable().describe('Id of the key that replaced it in a rotation.'),
  personId: z.int().nullable().describe('The member whose key it is; null: the key of the account.'),
  personName: z.string().nullable(),
  createdBy: z.string().nullable().describe('Who made it; null: an operator, or an earlier release.'),
};

export const keySchema = z.object(keyFields).meta({ id: 'Key' });

const text = z.string().describe('The full text of the key, for Authorization: Bearer; never shown again.');

export const createdKeySchema = z.object({ ...keyFields, key: text }).meta({ id: 'CreatedKey' });

export const rotatedKeySchema = z
  .object({
    ...keyFields,
    key: text,
    predecessor: keySchema.describe('The old key; its expiresAt is the end of the overlap.'),
  })
  .meta({ id: 'RotatedKey' });

export function presentKey(key: KeyRecord): z.infer<typeof keySchema> {
  return {
    id: key.id,
    keyId: key.keyId,
    label: key.label,
    scopes: [...key.scopes],
    createdAt: toTimestamp(key.createdAt),
    expiresAt: toOptionalTimestamp(key.expiresAt),
    lastUsedAt: toOptionalTimestamp(key.lastUsedAt),
    revokedAt: toOptionalTimestamp(key.revokedAt),
    successorId: key.successorId,
    personId: key.personId,
    personName: key.personName,
    createdBy: key.createdBy,
  };
}

export function presentCreatedKey({ key, text }: MadeKey, cell?: string): z.infer<typeof createdKeySchema> {
  return { ...presentKey(key), key: inCell(text, cell) };
}

export function presentRotatedKey(
  { successor, text, predecessor }: RotatedKey,
  cell?: string,
): z.infer<typeof rotatedKeySchema> {
  return { ...presentKey(successor), key: inCell(text, cell), predecessor: presentKey(predecessor) };
}
