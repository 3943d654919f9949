import { z } from 'zod';
import { makeViolation } from '../../domain/errors.ts';
import { MAXIMUM_CONSTRAINTS, MAXIMUM_LEVELS, readInputDetails } from '../../domain/input-details.ts';
import { type InputDetails, type InputSpace, InputType, Scale, type SentDetails } from '../../domain/input-space.ts';
import type { Matrix } from '../../domain/matrix.ts';
import {
  checkInputSpace,
  countCaseNumbers,
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
import {
  arrayFault,
  documentAs,
  listSchema,
  matrixSchema,
  nullableVectorSchema,
  vectorSchema,
} from '../wire/vectors.ts';
import { describeWrongType, type Parsed, readFields } from '../wire/violations.ts';

const INPUTS = { minimum: 1, maximum: MAXIMUM_INPUT_COUNT };
const INPUT_TYPE_WORDS =
  'float, integer, boolean or category (or CONTINUOUS, INTEGER, LOGICAL, CATEGORICAL; in any case)';
const OTHER_INPUT_TYPE_WORDS = ['CONTINUOUS', 'INTEGER', 'LOGICAL', 'CATEGORICAL'];

/** Of the name or the unit of an input. */
const MAXIMUM_LABEL_LENGTH = 64;

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

const inputLabel = textSchema({ minimum: 1, maximum: MAXIMUM_LABEL_LENGTH });
const optionalList = <T>(element: z.ZodType<T>, entries: string, what: string) =>
  listSchema(element, INPUTS, entries)
    .nullish()
    .transform((entries) => entries ?? null)
    .describe(what);
const optionalNumbers = (what: string) =>
  nullableVectorSchema(INPUTS)
    .nullish()
    .transform((numbers) => numbers ?? null)
    .describe(what);

/** A condition among the inputs. */
export const constraint = z.union(
  [
    z.string(),
    z.strictObject({
      coefficients: vectorSchema(INPUTS),
      relation: z.enum(['<=', '>=', '=']),
      bound: z.number(),
      name: inputLabel.optional(),
    }),
  ],
  { error: 'must be an expression such as "2*x1 - x2 <= 3", or an object with coefficients, relation and bound.' },
);

const detailFields = {
  inputNames: optionalList(
    inputLabel,
    'names',
    'One name per input, by which constraints call it; x1, x2, ... unless given.',
  ),
  inputUnits: optionalList(
    textSchema({ minimum: 0, maximum: MAXIMUM_LABEL_LENGTH }),
    'units',
    'One unit per input, as text.',
  ),
  scales: optionalList(
    z.enum(Object.values(Scale)).nullable(),
    'scales',
    'log for a positive number that varies by factors rather than by differences; linear or null otherwise.',
  ),
  steps: optionalNumbers('A float with a step takes only the values minimum + k * step; null for any value.'),
  levels: listSchema(vectorSchema({ minimum: 2, maximum: MAXIMUM_LEVELS }).nullable(), INPUTS, 'lists of levels')
    .nullish()
    .transform((entries) => entries ?? null)
    .describe('The only values a number takes, in ascending order; null for any value.'),
  likelyMinimums: optionalNumbers(
    'With likelyMaximums, a range inside the bounds in which the solution probably lies. Designed cases and the first suggestions lie there.',
  ),
  likelyMaximums: optionalNumbers('See likelyMinimums.'),
  constraints: listSchema(constraint, { minimum: 0, maximum: MAXIMUM_CONSTRAINTS }, 'constraints')
    .nullish()
    .transform((entries) => (entries == null || entries.length === 0 ? null : entries))
    .describe(
      'Conditions among the inputs that every designed case and every suggestion satisfies. Equations must be linear.',
    ),
  feasibleInput: vectorSchema(INPUTS)
    .nullish()
    .transform((input) => input ?? null)
    .describe('An input that satisfies the constraints, for when the service finds none.'),
};

const newProjectSchema = z
  .strictObject({
    name,
    ...spaceFields,
    ...detailFields,
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
  const plain = { inputCount, minimums, maximums, inputTypes, categories };
  const { details, violations: wrongDetails } = readDetails(plain, fields);
  const space = details === null ? plain : { ...plain, details };
  const read = toNewProject({ name, space, inputCases, caseCount, outputCount });
  violations.push(...wrongDetails);
  violations.push(...read.violations);
  return violations.length > 0 ? { kind: 'violations', violations } : { kind: 'value', value: read.project };
}

type DetailFields = { readonly [Name in keyof SentDetails]?: SentDetails[Name] | undefined };

/** Details of a space that is wrong itself are not looked at. */
function readDetails(space: InputSpace, fields: DetailFields) {
  if (checkInputSpace(space).length > 0) return { details: null, violations: [] };
  return readInputDetails(space, {
    inputNames: fields.inputNames ?? null,
    inputUnits: fields.inputUnits ?? null,
    scales: fields.scales ?? null,
    steps: fields.steps ?? null,
    levels: fields.levels ?? null,
    likelyMinimums: fields.likelyMinimums ?? null,
    likelyMaximums: fields.likelyMaximums ?? null,
    constraints: fields.constraints ?? null,
    feasibleInput: fields.feasibleInput ?? null,
  });
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

/** Answered only where something of it was stated. */
const presentedDetails = {
  inputNames: z.array(z.string()).nullable().optional(),
  inputUnits: z.array(z.string()).nullable().optional(),
  scales: z
    .array(z.enum(Object.values(Scale)).nullable())
    .nullable()
    .optional(),
  steps: z.array(z.number().nullable()).nullable().optional(),
  levels: z.array(z.array(z.number()).nullable()).nullable().optional(),
  likelyMinimums: z.array(z.number().nullable()).nullable().optional(),
  likelyMaximums: z.array(z.number().nullable()).nullable().optional(),
  constraints: z.array(constraint).nullable().optional(),
  feasibleInput: z.array(z.number()).nullable().optional(),
  constraintKinds: z
    .array(z.enum(['linear', 'equation', 'curved']))
    .nullable()
    .optional()
    .describe('What each constraint is.'),
  feasible: z
    .object({
      interior: z.array(z.number()).describe('An input that satisfies all constraints.'),
      ranges: z
        .array(z.array(z.number()))
        .describe('About the least and the largest value of each input within the linear constraints.'),
    })
    .nullable()
    .optional()
    .describe('What the constraints leave; null without constraints.'),
};

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
  ...presentedDetails,
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
    ...(project.details && presentDetails(project.details)),
  };
}

function presentDetails({ conditions: _, region, ...stated }: InputDetails) {
  const { scales, levels, constraints } = stated;
  return {
    inputNames: copied(stated.inputNames),
    inputUnits: copied(stated.inputUnits),
    scales: copied(scales),
    steps: copied(stated.steps),
    levels: levels?.map(copied) ?? null,
    likelyMinimums: copied(stated.likelyMinimums),
    likelyMaximums: copied(stated.likelyMaximums),
    constraints:
      constraints?.map((one) => (typeof one === 'string' ? one : { ...one, coefficients: [...one.coefficients] })) ??
      null,
    feasibleInput: copied(stated.feasibleInput),
    constraintKinds: region && [...region.conditionKinds],
    feasible: region && { interior: [...region.interior], ranges: region.ranges.map((range) => [...range]) },
  };
}

function copied<T>(list: readonly T[] | null): T[] | null {
  return list && [...list];
}
