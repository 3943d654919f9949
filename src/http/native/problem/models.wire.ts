import { z } from 'zod';
import { MODEL_DESCRIPTION_MINIMUM_LENGTH, MODEL_NAME_LENGTH, type Model } from '../../../domain/problem/model.ts';
import { bodyOf } from '../../body/spec.ts';
import { nameSchema, textSchema, timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { MAXIMUM_TEXT_LENGTH } from '../../wire/limits.ts';

const name = nameSchema(MODEL_NAME_LENGTH).describe('Unique within the account.');
const description = textSchema({ minimum: MODEL_DESCRIPTION_MINIMUM_LENGTH, maximum: MAXIMUM_TEXT_LENGTH });

export const newModel = bodyOf(
  z
    .strictObject({ name, description: description.nullish().transform((text) => text ?? null) })
    .meta({ id: 'NewModel', examples: [{ name: 'Heat exchanger', description: 'Shell-and-tube, 2 passes' }] }),
);

export const modelPatch = bodyOf(
  z
    .strictObject({ name: name.optional(), description: description.nullable().optional() })
    .meta({ id: 'ModelPatch', examples: [{ description: 'Shell-and-tube, 4 passes' }] }),
);

export const modelSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    disabled_at: timestamp.nullable(),
  })
  .meta({ id: 'Model' });

export function presentModel(model: Model): z.infer<typeof modelSchema> {
  return {
    id: model.id,
    name: model.name,
    description: model.description,
    created_at: toTimestamp(model.createdAt),
    updated_at: toTimestamp(model.updatedAt),
    disabled_at: toOptionalTimestamp(model.disabledAt),
  };
}
