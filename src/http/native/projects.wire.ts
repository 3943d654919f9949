import { z } from 'zod';
import { makeViolation } from '../../domain/errors.ts';
import type { Matrix } from '../../domain/matrix.ts';
import {
  countCaseNumbers,
  InputType,
  MAXIMUM_INPUT_COUNT,
  type NewProject,
  PROJECT_NAME_MINIMUM_LENGTH,
  type Project,
  parseInputType,
  toCategoryLists,
  toNewProject,
} from '../../domain/project.ts';
import type { JsonArray } from '../answer/json-array.ts';
import { type BodySpec, bodyOf, type SentFields } from '../body/spec.ts';
import { textSchema, timestamp, toOptionalTimestamp, toTimestamp } from '../wire/fields.ts';
import {
  MAXIMUM_CASE_COUNT,
  MAXIMUM_CATEGORY_COUNT,
  MAXIMUM_NAME_LENGTH,
  MAXIMUM_OUTPUT_COUNT,
} from '../wire/limits.ts';
import { arrayFault, documentAs, listSchema, matrixSchema, vectorSchema } from '../wire/vectors.ts';
import { describeWrongType, type Parsed, readFields } from '../wire/violations.ts';

const INPUTS = { minimum: 1, maximum: MAXIMUM_INPUT_COUNT };
const INPUT_TYPE_WORDS =
  'float, integer, boolean or category (or CONTINUOUS, INTEGER, LOGICAL, CATEGORICAL; in any case)';
const OTHER_INPUT_TYPE_WORDS = ['CONTINUOUS', 'INTEGER', 'LOGICAL', 'CATEGORICAL'];

const name = textSchema({ minimum: PROJECT_NAME_MINIMUM_LENGTH, maximum: MAXIMUM_NAME_LENGTH });

const inputTypeWord = z
  .unknown()
  .transform((word, issues): InputType => {
    const type = typeof word === 'string' ? parseInputType(word) : undefined;
    if (type !== undefined) return type;
    issues.addIssue({ code: 'custom', message: describeWrongType(INPUT_TYPE_WORDS, word), input: word });
    return z.NEVER;
  })
  .meta({
    type: 'string',
    enum: [...Object.values(InputType), ...OTHER_INPUT_TYPE_WORDS],
    description: INPUT_TYPE_WORDS,
  });

const categoryName = textSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH });
const NAMES = { minimum: 0, maximum: MAXIMUM_CATEGORY_COUNT };

/** Violations reported per list of names; a thousand wrong lists of a thousand wrong names must stay cheap. */
const NAMED_FAULTS = 3;

/** One entry of `categories`: a list of names, null or, in the flat form, one name. */
const categoryEntry = z
  .unknown()
  .transform((entry, issues): string | string[] | null => {
    if (entry === null) return null;
    const isList = Array.isArray(entry);
    const lengthFault = isList ? arrayFault(entry, NAMES, 'names') : undefined;
    if (lengthFault !== undefined) {
      issues.addIssue({ code: 'custom', message: lengthFault, input: entry });
      return z.NEVER;
    }
    let faultCount = 0;
    for (const [position, name] of (isList ? entry : [entry]).entries()) {
      const issue = faultCount < NAMED_FAULTS ? categoryName.safeParse(name).error?.issues[0] : undefined;
      if (issue === undefined) continue;
      faultCount++;
      const message = issue.code === 'custom' ? issue.message : 'must be a name, a list of names or null.';
      issues.addIssue({ code: 'custom', path: isList ? [position] : [], message, input: name });
    }
    return faultCount > 0 ? z.NEVER : (entry as string | string[]);
  })
  .meta(documentAs(z.union([categoryName, z.array(categoryName), z.null()])));

const spaceFields = {
  inputCount: z.int().min(1).max(MAXIMUM_INPUT_COUNT),
  minimums: vectorSchema(INPUTS),
  maximums: vectorSchema(INPUTS),
  inputTypes: listSchema(inputTypeWord, INPUTS, 'input types'),
  categories: listSchema(categoryEntry, NAMES, 'entries')
    .nullish()
    .transform((entries) => entries ?? [])
    .describe(
      'One list of names per input (null or empty where the input is not a category), or one flat list of names when exactly one input is a category. The first name has the number minimum, the next one minimum + 1, and so on.',
    ),
};

const newProjectSchema = z
  .strictObject({
    name,
    ...spaceFields,
    inputCases: matrixSchema({ minimum: 1, maximum: MAXIMUM_CASE_COUNT }, INPUTS)
      .nullish()
      .transform((cases) => cases ?? null)
      .describe('Your own points to evaluate, one per row; by default the service designs them.'),
    caseCount: z
      .int()
      .min(1)
      .max(MAXIMUM_CASE_COUNT)
      .nullish()
      .transform((count) => count ?? null)
      .describe(
        'How many points to design. Unless given: half the number of inputs, rounded up, plus one, at most 8 and at most outputCount + 2.',
      ),
    outputCount: z
      .int()
      .min(1)
      .max(MAXIMUM_OUTPUT_COUNT)
      .nullish()
      .transform((count) => count ?? null)
      .describe('How many outputs each point will have; output cases must match it.'),
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

const CATEGORIES_ADVICE =
  'must be one list of names per input (null unless the input is a category), or one flat list if exactly one input is a category.';

function readNewProject(body: SentFields): Parsed<NewProject> {
  const { fields, violations: invalid } = readFields(newProjectSchema, body);
  const violations = [...invalid];
  const { name = '', inputCount, minimums, maximums, inputTypes, inputCases = null } = fields;
  const { caseCount = null, outputCount = null } = fields;
  const categories = fields.categories && inputTypes && toCategoryLists(fields.categories, inputTypes);
  if (fields.categories && inputTypes && categories === undefined) {
    violations.push(makeViolation(['categories'], CATEGORIES_ADVICE));
  }
  if (inputCount === undefined || !minimums || !maximums || !inputTypes || !categories) {
    return { kind: 'violations', violations };
  }
  const space = { inputCount, minimums, maximums, inputTypes, categories };
  const read = toNewProject({ name, space, inputCases, caseCount, outputCount });
  violations.push(...read.violations);
  return violations.length > 0 ? { kind: 'violations', violations } : { kind: 'value', value: read.project };
}

export const newProject: BodySpec<NewProject> = {
  schema: newProjectSchema,
  size: 'cases',
  read: readNewProject,
  countNumbers: countCaseNumbers,
};

export const projectPatch = bodyOf(
  z.strictObject({ name: name.optional() }).meta({ id: 'ProjectPatch', examples: [{ name: 'Shell side' }] }),
);

const projectFields = {
  id: z.int(),
  modelId: z.int(),
  name: z.string(),
  inputCount: z.int(),
  minimums: z.array(z.number()),
  maximums: z.array(z.number()),
  inputTypes: z.array(z.enum(Object.values(InputType))),
  categories: z.array(z.array(z.string())).describe('One list per input, empty unless the input is a category.'),
  caseCount: z.int(),
  outputCount: z.int().nullable(),
  developedAt: timestamp.nullable().describe('When output cases were first loaded.'),
  createdAt: timestamp,
  updatedAt: timestamp,
  disabledAt: timestamp.nullable(),
};

/** As in lists: without its cases, which have their own list. */
export const projectSummarySchema = z.object(projectFields).meta({ id: 'ProjectSummary' });

export const projectSchema = z
  .object({ ...projectFields, inputCases: z.array(z.array(z.number())).describe('The points to evaluate.') })
  .meta({ id: 'Project' });

export const inputCaseSchema = z
  .object({
    number: z.int().describe('1 for the first case.'),
    input: z.array(z.number()),
  })
  .meta({ id: 'InputCase' });

/** `inputCases` is streamed row by row: it may not fit into memory. */
export function presentProject(project: Project, inputCases: Matrix | JsonArray) {
  return { ...presentProjectSummary(project), inputCases };
}

export function presentProjectSummary(project: Project): z.infer<typeof projectSummarySchema> {
  return {
    id: project.id,
    modelId: project.modelId,
    name: project.name,
    inputCount: project.inputCount,
    minimums: [...project.minimums],
    maximums: [...project.maximums],
    inputTypes: [...project.inputTypes],
    categories: project.categories.map((names) => [...names]),
    caseCount: project.caseCount,
    outputCount: project.outputCount,
    developedAt: toOptionalTimestamp(project.developedAt),
    createdAt: toTimestamp(project.createdAt),
    updatedAt: toTimestamp(project.updatedAt),
    disabledAt: toOptionalTimestamp(project.disabledAt),
  };
}
