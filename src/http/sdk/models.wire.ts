import { z } from 'zod';
import type { ModelTree } from '../../application/read-trees.ts';
import { MODEL_DESCRIPTION_MINIMUM_LENGTH, MODEL_NAME_LENGTH } from '../../domain/model.ts';
import type { BodySpec } from '../operation.ts';
import { textSchema } from '../wire/fields.ts';
import { MAXIMUM_TEXT_LENGTH } from '../wire/limits.ts';
import { presentProject, projectSchema } from './projects.wire.ts';
import { presentRecord, recordFields } from './record.wire.ts';

export const newModel = {
  schema: z.object({
    name: textSchema(MODEL_NAME_LENGTH),
    // An empty form field arrives as an empty text.
    description: z.preprocess(
      (text) => (text === '' ? null : (text ?? null)),
      textSchema({ minimum: MODEL_DESCRIPTION_MINIMUM_LENGTH, maximum: MAXIMUM_TEXT_LENGTH }).nullable(),
    ),
  }),
} satisfies BodySpec<unknown>;

export const modelSchema = z.strictObject({
  ...recordFields,
  name: z.string(),
  description: z.string().nullable(),
  projects: z.array(projectSchema),
});

export function presentModel({ model, projects }: ModelTree): z.infer<typeof modelSchema> {
  return {
    ...presentRecord(model),
    name: model.name,
    description: model.description,
    projects: projects.map(presentProject),
  };
}
