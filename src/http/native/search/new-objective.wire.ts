/** The bodies of new objectives, and of changes to one. */
import { z } from 'zod';
import { refTerm } from '../../../domain/messages.ts';
import { MAXIMUM_CONSTRAINTS } from '../../../domain/problem/input-details.ts';
import { MAXIMUM_INPUT_COUNT } from '../../../domain/problem/project.ts';
import {
  ALL_OBJECTIVE_TYPES,
  DEFAULT_CONVERGENCE,
  DEFAULT_MAXIMUM_ATTEMPTS,
  FIELDS_BY_NAME,
  LARGEST_MAXIMUM_ATTEMPTS,
  LARGEST_PARALLELISM,
  type NewObjective,
} from '../../../domain/search/objective.ts';
import { type BodySpec, bodyOf, type SentFields } from '../../body/spec.ts';
import { nameSchema } from '../../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH, MAXIMUM_OUTPUT_COUNT } from '../../wire/limits.ts';
import { readNewObjective } from '../../wire/read-objective.ts';
import {
  JACOBIAN_DESCRIPTION,
  jacobianSchema,
  listSchema,
  namedInputValue,
  nullableVectorSchema,
  vectorSchema,
} from '../../wire/vectors.ts';
import { type Parsed, withoutLengths } from '../../wire/violations.ts';
import { constraintSchema } from '../problem/project-fields.wire.ts';
import { sentOptionFields, sentStopRule } from './search-options.wire.ts';

const OUTPUTS = { minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT };

const bounds = nullableVectorSchema({ minimum: 0, maximum: MAXIMUM_OUTPUT_COUNT }, z.number().nullable()).describe(
  'Offsets from the target: percent points for percent, output units for value, standard deviations of the stated noise for standard_deviations; null for types without bounds, as outputs that an object by name leaves out.',
);

const definitionFields = {
  objectives: nullableVectorSchema(OUTPUTS, z.number().nullable()).describe(
    'The target of each output; null for an output to minimize or maximize without aspiration, of which there may be three: the search is then for their front. For an output of type fit the measured value, null for a gap.',
  ),
  objectiveTypes: listSchema(
    z.enum(ALL_OBJECTIVE_TYPES),
    OUTPUTS,
    refTerm('goals', 'objective types'),
    z.enum(ALL_OBJECTIVE_TYPES),
  ),
  maximumAttempts: z
    .int()
    .min(1)
    .max(LARGEST_MAXIMUM_ATTEMPTS)
    .nullish()
    .transform((count) => count ?? DEFAULT_MAXIMUM_ATTEMPTS)
    .describe(`The maximum number of inverses to suggest; default: ${DEFAULT_MAXIMUM_ATTEMPTS}.`),
  reuse: z
    .boolean()
    .nullish()
    .transform((reuse) => reuse ?? undefined)
    .describe(
      'Whether it learns from the runs of the other objectives of its trial, besides the cases; default: true. false makes its suggestions independent of them.',
    ),
};

const INPUTS = { minimum: 1, maximum: MAXIMUM_INPUT_COUNT };
const initialInput = vectorSchema(INPUTS, namedInputValue);
const initialOutput = vectorSchema(OUTPUTS, z.number());
const desiredL1Norm = z.number().meta({ minimum: 0 });

const optionalBounds = bounds
  .nullish()
  .transform((values) => values ?? [])
  .describe(
    'Required if some objective is percent, value or standard_deviations. Entries of other objectives may be null.',
  );

const convergence = z.number().meta({ exclusiveMinimum: 0 });

const parallelism = z.int().min(1).max(LARGEST_PARALLELISM);

const newObjectivesSchema = z
  .strictObject({
    ...definitionFields,
    initialInput: initialInput
      .nullish()
      .transform((input) => input ?? undefined)
      .describe('Where the search starts; default: the best case known.'),
    initialOutput: initialOutput
      .nullish()
      .transform((output) => output ?? undefined)
      .describe('The output of the black box at initialInput: send both or neither.'),
    initialJacobian: jacobianSchema.optional().describe(`Of initialOutput. ${JACOBIAN_DESCRIPTION}`),
    desiredL1Norm: desiredL1Norm
      .nullish()
      .transform((norm) => norm ?? 0)
      .describe('Judges exact objectives together with convergence; default: 0.'),
    continues: z
      .int()
      .min(1)
      .nullish()
      .transform((id) => id ?? null)
      .describe(
        'The id of an objective of the trial that this one continues: it is stopped if it is running, and its runs are known whatever reuse says.',
      ),
    fixedInputs: nullableVectorSchema(INPUTS, namedInputValue.nullable())
      .nullish()
      .transform((values) => values ?? null)
      .describe('The value that an input has in every suggestion; null where it is free.'),
    constraints: listSchema(constraintSchema(), { minimum: 0, maximum: MAXIMUM_CONSTRAINTS }, 'constraints')
      .nullish()
      .transform((entries) => entries ?? null)
      .describe('Conditions that every suggestion satisfies, besides those of the project.'),
    parallelism: parallelism
      .nullish()
      .transform((count) => count ?? 1)
      .describe('How many inverses may be open at the same time; default: 1.'),
    holdBack: z
      .boolean()
      .nullish()
      .transform((holdBack) => holdBack ?? true)
      .describe(
        'Whether no further inverse is opened while an open one is likely to satisfy the objective; default: true. Objectives with minimize or maximize never hold back.',
      ),
    ...sentOptionFields,
    minimumBounds: optionalBounds,
    maximumBounds: optionalBounds,
    convergence: convergence
      .nullish()
      .transform((value) => value ?? DEFAULT_CONVERGENCE)
      .describe(`The relative criterion; default: ${DEFAULT_CONVERGENCE}.`),
  })
  .meta({
    id: 'NewObjectives',
    examples: [
      {
        objectives: [1.6, 20],
        objectiveTypes: ['value', 'lessthan_equal'],
        initialInput: [1.1, 4],
        initialOutput: [1.5, 20],
        desiredL1Norm: 0,
        minimumBounds: [-0.01, null],
        maximumBounds: [0.01, null],
      },
    ],
  });

const newInverseSchema = z
  .strictObject({
    ...definitionFields,
    initialInput,
    initialOutput: initialOutput.describe('The output of the black box at initialInput.'),
    desiredL1Norm,
    minimumBounds: bounds,
    maximumBounds: bounds,
    convergence,
  })
  .meta({
    id: 'NewInverse',
    examples: [
      {
        convergence: 0.001,
        objectives: [1.6, 20],
        objectiveTypes: ['exact', 'exact'],
        initialInput: [1.1, 4],
        initialOutput: [1.5, 20],
        desiredL1Norm: 0,
        minimumBounds: [null, null],
        maximumBounds: [null, null],
      },
    ],
  });

const DEFAULTS = { reusesByDefault: true };

/** With one entry per output. */
const LISTS_OF_OUTPUTS = [
  'objectiveTypes',
  'minimumBounds',
  'maximumBounds',
  'weights',
  'priorities',
  'noise.standardDeviations',
];

/** Reports too many outputs once, although every list of them is then too long. */
function oncePerCause(body: SentFields, read: Parsed<NewObjective>): Parsed<NewObjective> {
  const { objectives } = body;
  if (read.kind === 'value' || !Array.isArray(objectives)) return read;
  const counted = { at: 'objectives', count: objectives.length, lists: LISTS_OF_OUTPUTS };
  return { kind: 'violations', violations: withoutLengths(read.violations, body, counted) };
}

export const newObjectives: BodySpec<NewObjective> = {
  schema: newObjectivesSchema,
  size: 'vectors',
  read: (body) =>
    oncePerCause(body, readNewObjective(newObjectivesSchema, body, 'where-needed', DEFAULTS, FIELDS_BY_NAME)),
};

export const newInverse: BodySpec<NewObjective> = {
  schema: newInverseSchema,
  size: 'vectors',
  read: (body) => oncePerCause(body, readNewObjective(newInverseSchema, body, 'always', DEFAULTS, FIELDS_BY_NAME)),
};

export const objectivePatch = bodyOf(
  z
    .strictObject({
      parallelism: parallelism.optional().describe('How many inverses may be open at the same time.'),
      holdBack: z.boolean().optional(),
      maximumAttempts: z
        .int()
        .min(1)
        .max(LARGEST_MAXIMUM_ATTEMPTS)
        .optional()
        .describe(
          'The maximum number of inverses to suggest, in all. More than before lets an objective run on that is EXHAUSTED or ended by evidence; a rule that ended it by evidence is then switched off unless stop is sent too.',
        ),
      stop: sentStopRule
        .optional()
        .describe(
          'The stop rule from now on; null or false: none. Lets an objective run on that ended by evidence, if attempts are left.',
        ),
      label: nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH })
        .nullable()
        .optional()
        .describe('The label by which people find it again, also when it has ended; null removes it.'),
      isArchived: z
        .boolean()
        .optional()
        .describe('Whether lists may leave it out. It changes nothing else, and is possible at any time.'),
    })
    .meta({
      id: 'ObjectivePatch',
      examples: [{ parallelism: 4 }, { maximumAttempts: 200 }, { stop: null }, { label: 'stiff bracket' }],
    }),
);
