import { z } from 'zod';
import { MODEL_DESCRIPTION_MINIMUM_LENGTH, MODEL_NAME_LENGTH, type Model } from '../../domain/problem/model.ts';
import type { JsonArray } from '../answer/json-array.ts';
import { bodyOf } from '../body/spec.ts';
import { textSchema } from '../wire/fields.ts';
import { MAXIMUM_TEXT_LENGTH } from '../wire/limits.ts';
import { documentAs } from '../wire/vectors.ts';
import { projectSchema } from './projects.wire.ts';
import { presentRecord, recordFields } from './record.wire.ts';

const description = textSchema({ minimum: MODEL_DESCRIPTION_MINIMUM_LENGTH, maximum: MAXIMUM_TEXT_LENGTH });

export const newModel = bodyOf(
  z
    .object({
      name: textSchema(MODEL_NAME_LENGTH),
      // An empty form field arrives as an empty string.
      description: z
        .preprocess((text) => (text === '' ? null : text), description.nullable())
        .meta(documentAs(z.union([description, z.literal(''), z.null()])))
        .prefault(null),
    })
    .meta({ id: 'NewModel', examples: [{ name: 'Heat exchanger', description: 'Shell-and-tube, 2 passes' }] }),
);

export const modelSchema = z
  .strictObject({
    ...recordFields,
    name: z.string(),
    description: z.string().nullable(),
    projects: z.array(projectSchema),
  })
  .meta({ id: 'Model' });

export function presentModel(model: Model, projects: readonly [] | JsonArray) {
  return { ...presentRecord(model), name: model.name, description: model.description, projects };
}
