import { z } from 'zod';
import { DELETED_KINDS, type Deletion } from '../../domain/storage.ts';
import { timestamp, toTimestamp } from '../wire/fields.ts';

export const deletionSchema = z
  .object({
    id: z.int(),
    kind: z.enum(DELETED_KINDS),
    recordId: z.int().describe('Id of the deleted record; whatever it held is deleted with it.'),
    modelId: z.int(),
    name: z.string().nullable().describe('Of models and projects.'),
    deletedAt: timestamp,
    purgeAt: timestamp.describe('From then on it is purged, within a minute or so.'),
    isBeingPurged: z.boolean().describe('Whether the first of it is gone already.'),
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
