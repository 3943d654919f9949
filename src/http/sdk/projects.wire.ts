import { z } from 'zod';
import type { NewProject } from '../../application/create-project.ts';
import type { ProjectTree } from '../../application/read-trees.ts';
import { makeViolation, type Violation } from '../../domain/errors.ts';
import {
  checkInputSpace,
  InputType,
  MAXIMUM_INPUT_COUNT,
  PROJECT_NAME_MINIMUM_LENGTH,
  toCategoryLists,
} from '../../domain/project.ts';
import type { BodySpec } from '../operation.ts';
import { textSchema, timestamp, toOptionalTimestamp } from '../wire/fields.ts';
import { MAXIMUM_CATEGORY_COUNT, MAXIMUM_NAME_LENGTH } from '../wire/limits.ts';
import { listSchema } from '../wire/vectors.ts';
import { inputTypeWord, looseVector } from './loose-fields.ts';
import { presentRecord, recordFields } from './record.wire.ts';
import { presentTrial, trialSchema } from './trials.wire.ts';

const INPUTS = { minimum: 1, maximum: MAXIMUM_INPUT_COUNT };

const categoryName = textSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH });
const categoryNames = listSchema(categoryName, { minimum: 0, maximum: MAXIMUM_CATEGORY_COUNT });

const spaceSchema = z.object({
  inputCount: z.int().min(1).max(MAXIMUM_INPUT_COUNT),
  minimums: looseVector(INPUTS),
  maximums: looseVector(INPUTS),
  inputTypes: listSchema(inputTypeWord, INPUTS),
  categories: listSchema(z.union([categoryName, categoryNames, z.null()], { error: 'must be a name.' }), {
    minimum: 0,
    maximum: MAXIMUM_CATEGORY_COUNT,
  })
    .nullish()
    .transform((entries) => entries ?? []),
});

type SentSpace = z.infer<typeof spaceSchema>;

const newProjectSchema = spaceSchema
  .extend({
    name: textSchema({ minimum: PROJECT_NAME_MINIMUM_LENGTH, maximum: MAXIMUM_NAME_LENGTH }),
  })
  .meta({
    id: 'NewProject',
    examples: [
      {
        name: 'Tube side',
        inputCount: 2,
        minimums: [0.5, 1],
        maximums: [2.5, 8],
        inputTypes: ['float', 'integer'],
        categories: [],
      },
    ],
  });

/**
 * One list of names per input. Clients send one flat list; with several category inputs their names follow one another, as
 * many for each as it has values. Undefined when the list cannot be divided like that.
 */
function divideCategories(space: SentSpace): readonly (readonly string[])[] | undefined {
  const { categories, inputTypes } = space;
  const lists = toCategoryLists(categories, inputTypes);
  if (lists !== undefined || !categories.every((entry) => typeof entry === 'string')) return lists;
  let used = 0;
  const divided = inputTypes.map((type, i) => {
    if (type !== InputType.category) return [];
    const count = Math.max(0, (space.maximums[i] ?? 0) - (space.minimums[i] ?? 0) + 1);
    const names = categories.slice(used, used + count);
    used += count;
    return names;
  });
  return used === categories.length ? divided : undefined;
}

function checkCategories(body: Readonly<Record<string, unknown>>): readonly Violation[] {
  const space = spaceSchema.safeParse(body);
  if (!space.success || divideCategories(space.data) !== undefined) return [];
  const message =
    'must be one flat list with the names of all category inputs, maximum - minimum + 1 names for each, in the order of the inputs.';
  return [makeViolation(['categories'], message)];
}

/** The rules of the space hold even where the name is wrong. */
function checkSpaceWhenRefused(body: Readonly<Record<string, unknown>>): readonly Violation[] {
  const space = spaceSchema.safeParse(body);
  const categories = space.success ? divideCategories(space.data) : undefined;
  return categories === undefined ? [] : checkInputSpace({ ...space.data!, categories });
}

export const newProject = {
  schema: newProjectSchema,
  alsoCheck: checkCategories,
  checkWhenRefused: checkSpaceWhenRefused,
} satisfies BodySpec<unknown>;

/** The body has passed `newProject`. */
export function toNewProject({ name, ...space }: z.infer<typeof newProjectSchema>): NewProject {
  return {
    name,
    space: { ...space, categories: divideCategories(space) ?? [] },
    inputCases: null,
    caseCount: null,
    outputCount: null,
  };
}

export const projectSchema = z
  .strictObject({
    ...recordFields,
    developedAt: timestamp.nullable(),
    name: z.string(),
    inputCount: z.int(),
    minimums: z.array(z.number()),
    maximums: z.array(z.number()),
    inputTypes: z.array(z.enum(Object.values(InputType))),
    categories: z.array(z.string()),
    inputCases: z.array(z.array(z.number())),
    caseCount: z.int(),
    trials: z.array(trialSchema),
  })
  .meta({ id: 'Project' });

export function presentProject({ project, trials }: ProjectTree): z.infer<typeof projectSchema> {
  return {
    ...presentRecord(project),
    developedAt: toOptionalTimestamp(project.developedAt),
    name: project.name,
    inputCount: project.inputCount,
    minimums: [...project.minimums],
    maximums: [...project.maximums],
    inputTypes: [...project.inputTypes],
    categories: project.categories.flat(),
    inputCases: project.inputCases.map((row) => [...row]),
    caseCount: project.inputCases.length,
    trials: trials.map(presentTrial),
  };
}
