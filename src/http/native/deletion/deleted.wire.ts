import { z } from 'zod';
import { DELETED_KINDS, type Deletion } from '../../../domain/accounts/storage.ts';
import { timestamp, toTimestamp } from '../../wire/fields.ts';

export const deletionSchema = z
  .object({
    id: z.int(),
    kind: z.enum(DELETED_KINDS),
    recordId: z.int().describe('Id of the deleted record; everything below it is deleted with it.'),
    modelId: z.int(),
    name: z.string().nullable().describe('For models and projects.'),
    deletedAt: timestamp,
    purgeAt: timestamp.describe('When it is purged, within about a minute.'),
    isBeingPurged: z.boolean().describe('Whether part of it is already gone.'),
  })
  .meta({ id: 'Deletion' });

export function presentDeletion(deletion: Deletion): z.infer<typeof deletionSchema> {
  return {
    id: deletion.id,
    kind: deletion.kind,
    recordId: deletion.recordId,
    modelId: deletion.modelId,
    name: deletion.name,
    deletedAt: toTimestamp(deletion.deletedAt),
    purgeAt: toTimestamp(deletion.purgeAt),
    isBeingPurged: deletion.isBeingPurged,
  };
}
