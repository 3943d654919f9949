import { z } from 'zod';
import { makeViolation } from '../../../domain/errors.ts';
import type { Matrix } from '../../../domain/matrix.ts';
import { refTerm } from '../../../domain/messages.ts';
import { readInputDetails } from '../../../domain/problem/input-details.ts';
import {
  type InputDetails,
  type InputSpace,
  InputType,
  Scale,
  type SentDetails,
} from '../../../domain/problem/input-space.ts';
import { atNames, checkNames, type ProjectNames } from '../../../domain/problem/names.ts';
import {
  checkInputSpace,
  countCaseNumbers,
  type NewProject,
  type Project,
  toCategoryLists,
  toNewProject,
} from '../../../domain/problem/project.ts';
import { checkSources, MAXIMUM_SOURCES } from '../../../domain/problem/sources.ts';
import { LARGEST_PARALLELISM } from '../../../domain/search/objective.ts';
import type { JsonArray } from '../../answer/json-array.ts';
import { type BodySpec, bodyOf, type SentFields } from '../../body/spec.ts';
import { nameSchema, timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { MAXIMUM_CASE_COUNT, MAXIMUM_NAME_LENGTH, MAXIMUM_OUTPUT_COUNT } from '../../wire/limits.ts';
import { matrixSchema, namedInputValue } from '../../wire/vectors.ts';
import { type Parsed, readFields, withoutLengths } from '../../wire/violations.ts';
import { inputByNameSchema } from './by-name.wire.ts';
import {
  constraintSchema,
  detailFields,
  INPUTS,
  projectName as name,
  nameFields,
  spaceFields,
} from './project-fields.wire.ts';
import { expandLists, expandPoints } from './projects-by-name.ts';

const sourceSchema = z.strictObject({
  name: nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH }),
  cost: z.number().gt(0).lt(1).describe('The cost of a run, in runs of the black box itself: 0.1 for a tenth.'),
});

const newProjectSchema = z
  .strictObject({
    name,
    ...spaceFields,
    inputNames: nameFields.inputNames.optional(),
    inputUnits: nameFields.inputUnits.optional(),
    ...detailFields,
    outputNames: nameFields.outputNames.optional(),
    outputUnits: nameFields.outputUnits.optional(),
    inputCases: matrixSchema({ minimum: 1, maximum: MAXIMUM_CASE_COUNT }, INPUTS, namedInputValue)
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
        'How many points to design. Default: half the number of inputs, rounded up, plus one, at most 8 and at most outputCount + 2.',
      ),
    parallelism: z
      .int()
      .min(1)
      .max(LARGEST_PARALLELISM)
      .nullish()
      .describe(
        'How many evaluations will run at a time. Without caseCount, at least so many points are designed: they take no longer than one. `solve` and `run` send it.',
      ),
    outputCount: z
      .int()
      .min(1)
      .max(MAXIMUM_OUTPUT_COUNT)
      .nullish()
      .transform((count) => count ?? null)
      .describe('How many outputs each point will have; output cases must match it.'),
    sources: z
      .array(sourceSchema)
      .max(MAXIMUM_SOURCES)
      .nullish()
      .transform((sources) => (sources?.length ? sources : null))
      .describe(
        'Cheaper versions of the black box, with the same outputs. A suggestion says which one to run (source); only runs of the black box itself are solutions. By default the service then designs one point.',
      ),
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

const CATEGORIES_ADVICE = `must be one list of names per input (${refTerm('nothing', 'null')} unless the input is a category), or one flat list if exactly one input is a category.`;

function readNewProject(sent: SentFields): Parsed<NewProject> {
  const { body, violations: misnamed, unread, named } = expandLists(sent);
  const { fields, violations: invalid } = readFields(newProjectSchema, body, unread);
  const violations = [
    ...misnamed,
    ...withoutLengths(withoutLengths(invalid, body, inputLists(body)), body, outputLists(body)),
  ];
  const refused = (): Parsed<NewProject> => ({ kind: 'violations', violations: atNames(violations, named) });
  const { name = '', inputCount, minimums, maximums, inputTypes } = fields;
  const { caseCount = null, parallelism } = fields;
  const names = toNames(fields);
  const outputCount = fields.outputCount ?? names.outputNames?.length ?? names.outputUnits?.length ?? null;
  const wrongNames = inputCount === undefined ? [] : checkNames(names, { inputCount, outputCount });
  violations.push(...wrongNames);
  const categories = fields.categories && inputTypes && toCategoryLists(fields.categories, inputTypes);
  if (fields.categories && inputTypes && categories === undefined) {
    violations.push(makeViolation(['categories'], CATEGORIES_ADVICE));
  }
  if (inputCount === undefined || !minimums || !maximums || !inputTypes || !categories) return refused();
  const plain = { inputCount, minimums, maximums, inputTypes, categories };
  const areNamesValid = wrongNames.length === 0 && !invalid.some(({ pointer }) => pointer.startsWith('/inputNames'));
  const points = { inputCases: fields.inputCases ?? null, feasibleInput: fields.feasibleInput ?? null };
  if (areNamesValid && checkInputSpace(plain).length === 0) {
    const expanded = expandPoints(body, plain, names.inputNames, named);
    const read = readFields(pointsSchema, expanded.body);
    violations.push(...expanded.violations, ...read.violations);
    points.inputCases ??= read.fields.inputCases ?? null;
    points.feasibleInput ??= read.fields.feasibleInput ?? null;
  }
  const { details, violations: wrongDetails } = areNamesValid
    ? readDetails(plain, { ...fields, feasibleInput: points.feasibleInput }, names.inputNames)
    : { details: null, violations: [] };
  const space = details === null ? plain : { ...plain, details };
  const sources = fields.sources ?? null;
  const read = toNewProject({
    name,
    names,
    space,
    inputCases: points.inputCases,
    caseCount,
    ...(parallelism != null && { parallelism }),
    outputCount,
    ...(sources && { sources }),
  });
  violations.push(...wrongDetails, ...checkSources(sources ?? []));
  violations.push(...read.violations);
  return violations.length > 0 ? refused() : { kind: 'value', value: read.project };
}

const pointsSchema = newProjectSchema.pick({ inputCases: true, feasibleInput: true });

/** Lists with one entry per input, which are too long where there are too many inputs. */
const inputLists = ({ inputCount }: SentFields) => ({
  at: 'inputCount',
  count: inputCount,
  lists: ['minimums', 'maximums', 'inputTypes', 'inputNames', 'inputUnits', 'feasibleInput', ...INPUT_DETAILS],
});
const INPUT_DETAILS = ['scales', 'steps', 'levels', 'likelyMinimums', 'likelyMaximums'];
const outputLists = ({ outputCount }: SentFields) => ({
  at: 'outputCount',
  count: outputCount,
  lists: ['outputNames', 'outputUnits'],
});

type SentNames = { readonly [Name in keyof ProjectNames]?: ProjectNames[Name] | undefined };

function toNames({ inputNames, inputUnits, outputNames, outputUnits }: SentNames): ProjectNames {
  return {
    inputNames: inputNames ?? null,
    inputUnits: inputUnits ?? null,
    outputNames: outputNames ?? null,
    outputUnits: outputUnits ?? null,
  };
}

type DetailFields = { readonly [Name in keyof SentDetails]?: SentDetails[Name] | undefined };

/** Details of an invalid space are not checked. */
function readDetails(space: InputSpace, fields: DetailFields, inputNames: readonly string[] | null) {
  if (checkInputSpace(space).length > 0) return { details: null, violations: [] };
  const sent = {
    scales: fields.scales ?? null,
    steps: fields.steps ?? null,
    levels: fields.levels ?? null,
    likelyMinimums: fields.likelyMinimums ?? null,
    likelyMaximums: fields.likelyMaximums ?? null,
    constraints: fields.constraints ?? null,
    feasibleInput: fields.feasibleInput ?? null,
  };
  return readInputDetails(space, sent, inputNames);
}

export const newProject: BodySpec<NewProject> = {
  schema: newProjectSchema,
  size: 'cases',
  read: readNewProject,
  countNumbers: countCaseNumbers,
};

const maximumEvaluations = z
  .int()
  .min(1)
  .max(MAXIMUM_CASE_COUNT)
  .nullable()
  .describe(
    'How many evaluations of the batches of the project may be open at the same time, for example for a black box with few licences; null: any number.',
  );

export const projectPatch = bodyOf(
  z
    .strictObject({
      name: name.optional(),
      inputNames: nameFields.inputNames.optional(),
      inputUnits: nameFields.inputUnits.optional(),
      outputNames: nameFields.outputNames.optional(),
      outputUnits: nameFields.outputUnits.optional(),
      maximumEvaluations: maximumEvaluations.optional(),
    })
    .meta({
      id: 'ProjectPatch',
      examples: [{ name: 'Shell side' }, { outputNames: ['duty', 'drop'], outputUnits: null }],
    }),
);

/** Included only if something of it was stated. */
const presentedDetails = {
  scales: z
    .array(z.enum(Object.values(Scale)).nullable())
    .nullable()
    .optional(),
  steps: z.array(z.number().nullable()).nullable().optional(),
  levels: z.array(z.array(z.number()).nullable()).nullable().optional(),
  likelyMinimums: z.array(z.number().nullable()).nullable().optional(),
  likelyMaximums: z.array(z.number().nullable()).nullable().optional(),
  constraints: z.array(constraintSchema()).nullable().optional(),
  feasibleInput: z.array(z.number()).nullable().optional(),
  constraintKinds: z
    .array(z.enum(['linear', 'equation', 'curved']))
    .nullable()
    .optional()
    .describe('The kind of each constraint.'),
  feasible: z
    .object({
      interior: z.array(z.number()).describe('An input that satisfies all constraints.'),
      ranges: z
        .array(z.array(z.number()))
        .describe('Approximately the smallest and the largest value of each input within the linear constraints.'),
    })
    .nullable()
    .optional()
    .describe('The part of the space that the constraints leave; null without constraints.'),
};

const labels = z.array(z.string()).nullable();

const projectFields = {
  id: z.int(),
  modelId: z.int(),
  name: z.string(),
  inputCount: z.int(),
  minimums: z.array(z.number()),
  maximums: z.array(z.number()),
  inputTypes: z.array(z.enum(Object.values(InputType))),
  categories: z.array(z.array(z.string())).describe('One list per input, empty unless the input is a category.'),
  inputNames: labels.describe('null: the inputs are called x1, x2, ...'),
  inputUnits: labels,
  outputNames: labels.describe('null: the outputs are called y1, y2, ...'),
  outputUnits: labels,
  caseCount: z.int(),
  outputCount: z.int().nullable(),
  sources: z
    .array(z.object({ name: z.string(), cost: z.number() }))
    .optional()
    .describe('Cheaper versions of the black box; absent without any.'),
  maximumEvaluations,
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
    inputByName: inputByNameSchema,
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
    inputNames: copied(project.names.inputNames),
    inputUnits: copied(project.names.inputUnits),
    outputNames: copied(project.names.outputNames),
    outputUnits: copied(project.names.outputUnits),
    caseCount: project.caseCount,
    outputCount: project.outputCount,
    ...(project.sources && { sources: project.sources.map((source) => ({ ...source })) }),
    maximumEvaluations: project.maximumEvaluations,
    developedAt: toOptionalTimestamp(project.developedAt),
    createdAt: toTimestamp(project.createdAt),
    updatedAt: toTimestamp(project.updatedAt),
    disabledAt: toOptionalTimestamp(project.disabledAt),
    ...(statesInputs(project) && presentDetails(project.details ?? NO_DETAILS)),
  };
}

/** Whether anything was stated about the inputs beyond bounds and types. */
function statesInputs({ details, names }: Project): boolean {
  return details !== undefined || names.inputNames !== null || names.inputUnits !== null;
}

const NO_DETAILS: InputDetails = {
  scales: null,
  steps: null,
  levels: null,
  likelyMinimums: null,
  likelyMaximums: null,
  constraints: null,
  feasibleInput: null,
  conditions: [],
  region: null,
};

function presentDetails({ conditions: _, region, ...stated }: InputDetails) {
  const { scales, levels, constraints } = stated;
  return {
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
