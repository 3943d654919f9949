import { z } from 'zod';
import { makeViolation } from '../../domain/errors.ts';
import type { Matrix } from '../../domain/matrix.ts';
import { InputType } from '../../domain/problem/input-space.ts';
import {
  countCaseNumbers,
  MAXIMUM_INPUT_COUNT,
  type NewProject,
  PROJECT_NAME_MINIMUM_LENGTH,
  type Project,
  toCategoryLists,
  toNewProject,
} from '../../domain/problem/project.ts';
import type { JsonArray } from '../answer/json-array.ts';
import type { BodySpec, SentFields } from '../body/spec.ts';
import { textSchema, timestamp, toOptionalTimestamp } from '../wire/fields.ts';
import { MAXIMUM_CATEGORY_COUNT, MAXIMUM_NAME_LENGTH } from '../wire/limits.ts';
import { listSchema } from '../wire/vectors.ts';
import { type Parsed, readFields } from '../wire/violations.ts';
import { inputTypeWord, looseVector } from './loose-fields.ts';
import { presentRecord, recordFields } from './record.wire.ts';
import { trialSchema } from './trials.wire.ts';

const INPUTS = { minimum: 1, maximum: MAXIMUM_INPUT_COUNT };

const categoryName = textSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH });
const categoryNames = listSchema(categoryName, { minimum: 0, maximum: MAXIMUM_CATEGORY_COUNT }, 'names');

const spaceSchema = z.object({
  inputCount: z.int().min(1).max(MAXIMUM_INPUT_COUNT),
  minimums: looseVector(INPUTS),
  maximums: looseVector(INPUTS),
  inputTypes: listSchema(inputTypeWord, INPUTS, 'input types'),
  categories: listSchema(
    z.union([categoryName, categoryNames, z.null()], { error: 'must be a name.' }),
    { minimum: 0, maximum: MAXIMUM_CATEGORY_COUNT },
    'entries',
  )
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
 * One list of names per input. Clients send one flat list; with several category inputs, their names follow one another, as
 * many for each as it has values. Undefined if the list cannot be divided like that.
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

function readNewProject(body: SentFields): Parsed<NewProject> {
  const { fields, violations: shapeViolations } = readFields(newProjectSchema, body);
  const violations = [...shapeViolations];
  const { name, inputCount, minimums, maximums, inputTypes, categories: entries } = fields;
  if (inputCount === undefined || !minimums || !maximums || !inputTypes || !entries) {
    return { kind: 'violations', violations };
  }
  const sent = { inputCount, minimums, maximums, inputTypes, categories: entries };
  const categories = divideCategories(sent);
  if (categories === undefined) {
    const message =
      'must be one flat list with the names of all category inputs, maximum - minimum + 1 names for each, in the order of the inputs.';
    violations.push(makeViolation(['categories'], message));
    return { kind: 'violations', violations };
  }
  const space = { ...sent, categories };
  // Existing clients are refused what they always were; a fixed input is a matter of /v1.
  const equal = maximums.flatMap((maximum, i) => (maximum === minimums[i] ? [i] : []));
  violations.push(
    ...equal.map((i) =>
      makeViolation(['maximums', i], `must be greater than minimums[${i}], both are ${maximums[i]}.`),
    ),
  );
  const read = toNewProject({ name: name ?? '', space, inputCases: null, caseCount: null, outputCount: null });
  violations.push(...read.violations);
  return violations.length > 0 ? { kind: 'violations', violations } : { kind: 'value', value: read.project };
}

export const newProject: BodySpec<NewProject> = {
  schema: newProjectSchema,
  size: 'cases',
  read: readNewProject,
  countNumbers: countCaseNumbers,
};

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

/** `inputCases` and `trials` are streamed: they may not fit into memory. */
export function presentProject(project: Project, inputCases: Matrix | JsonArray, trials: readonly [] | JsonArray) {
  return {
    ...presentRecord(project),
    developedAt: toOptionalTimestamp(project.developedAt),
    name: project.name,
    inputCount: project.inputCount,
    minimums: [...project.minimums],
    maximums: [...project.maximums],
    inputTypes: [...project.inputTypes],
    categories: project.categories.flat(),
    inputCases,
    caseCount: project.caseCount,
    trials,
  };
}
