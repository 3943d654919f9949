import { z } from 'zod';
import { countOpen, type ExplainedObjective, type ReadObjective } from '../../application/read-objectives.ts';
import { evaluateOutput } from '../../domain/acceptance.ts';
import { MAXIMUM_CONSTRAINTS } from '../../domain/input-details.ts';
import type { SentConstraint } from '../../domain/input-space.ts';
import type { Inverse } from '../../domain/inverse.ts';
import type { Labels } from '../../domain/names.ts';
import { findNearestRun, type NearestRun } from '../../domain/nearest.ts';
import {
  DEFAULT_CONVERGENCE,
  DEFAULT_MAXIMUM_ATTEMPTS,
  FIELDS_BY_NAME,
  LARGEST_MAXIMUM_ATTEMPTS,
  LARGEST_PARALLELISM,
  type NewObjective,
  OBJECTIVE_TYPES,
  type Objective,
  type ObjectiveWithInverses,
} from '../../domain/objective.ts';
import { MAXIMUM_INPUT_COUNT } from '../../domain/project.ts';
import { StopReason } from '../../domain/stop-reason.ts';
import { JsonArray } from '../answer/json-array.ts';
import { type BodySpec, bodyOf } from '../body/spec.ts';
import { timestamp, toOptionalTimestamp, toTimestamp } from '../wire/fields.ts';
import { MAXIMUM_OUTPUT_COUNT } from '../wire/limits.ts';
import { readNewObjective } from '../wire/read-objective.ts';
import { listSchema, namedInputValue, nullableVectorSchema, vectorSchema } from '../wire/vectors.ts';
import { inputByNameSchema, outputByNameSchema, presentInputByName, presentOutputByName } from './by-name.wire.ts';
import { explanationFields, presentExplanation } from './explanation.wire.ts';
import { embeddedInverseSchema, presentEmbeddedInverse, presentResult, resultSchema } from './inverses.wire.ts';
import { constraintSchema } from './project-fields.wire.ts';

const constraint = constraintSchema();

const OUTPUTS = { minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT };

const bounds = nullableVectorSchema({ minimum: 0, maximum: MAXIMUM_OUTPUT_COUNT }, z.number().nullable()).describe(
  'Offsets from the target: percent points for percent, output units for value; null for types without bounds, as outputs that an object by name leaves out.',
);

const definitionFields = {
  objectives: vectorSchema(OUTPUTS, z.number()).describe('The target of each output.'),
  objectiveTypes: listSchema(z.enum(OBJECTIVE_TYPES), OUTPUTS, 'objective types', z.enum(OBJECTIVE_TYPES)),
  maximumAttempts: z
    .int()
    .min(1)
    .max(LARGEST_MAXIMUM_ATTEMPTS)
    .nullish()
    .transform((count) => count ?? DEFAULT_MAXIMUM_ATTEMPTS)
    .describe(`How many inverses may be suggested, ${DEFAULT_MAXIMUM_ATTEMPTS} unless given.`),
  reuse: z
    .boolean()
    .nullish()
    .transform((reuse) => reuse ?? undefined)
    .describe(
      'Whether it learns from the runs of the other objectives of its trial, besides the cases; true unless given. false makes its suggestions independent of them.',
    ),
};

const INPUTS = { minimum: 1, maximum: MAXIMUM_INPUT_COUNT };
const initialInput = vectorSchema(INPUTS, namedInputValue);
const initialOutput = vectorSchema(OUTPUTS, z.number());
const desiredL1Norm = z.number().meta({ minimum: 0 });

const optionalBounds = bounds
  .nullish()
  .transform((values) => values ?? [])
  .describe('Required if some objective is percent or value. Entries of other objectives may be null.');

const convergence = z.number().meta({ exclusiveMinimum: 0 });

const parallelism = z.int().min(1).max(LARGEST_PARALLELISM);

const newObjectivesSchema = z
  .strictObject({
    ...definitionFields,
    initialInput: initialInput
      .nullish()
      .transform((input) => input ?? undefined)
      .describe('Where the search starts; unless given, the best case known.'),
    initialOutput: initialOutput
      .nullish()
      .transform((output) => output ?? undefined)
      .describe('What the black box gave at initialInput: send both or neither.'),
    desiredL1Norm: desiredL1Norm
      .nullish()
      .transform((norm) => norm ?? 0)
      .describe('Judges exact objectives together with convergence; 0 unless given.'),
    continues: z
      .int()
      .min(1)
      .nullish()
      .transform((id) => id ?? null)
      .describe(
        'Id of an objective of the trial that this one goes on from: it is stopped if it runs, and its runs are known whatever reuse says.',
      ),
    fixedInputs: nullableVectorSchema(INPUTS, namedInputValue.nullable())
      .nullish()
      .transform((values) => values ?? null)
      .describe('The value that an input has in every suggestion; null where it is free.'),
    constraints: listSchema(constraint, { minimum: 0, maximum: MAXIMUM_CONSTRAINTS }, 'constraints')
      .nullish()
      .transform((entries) => entries ?? null)
      .describe('Conditions that every suggestion satisfies, besides those of the project.'),
    parallelism: parallelism
      .nullish()
      .transform((count) => count ?? 1)
      .describe('How many inverses may be open at once, 1 unless given.'),
    holdBack: z
      .boolean()
      .nullish()
      .transform((holdBack) => holdBack ?? true)
      .describe(
        'Whether no further inverse is opened while an open one is likely to satisfy the objective; true unless given. Objectives with minimize or maximize never hold back.',
      ),
    minimumBounds: optionalBounds,
    maximumBounds: optionalBounds,
    convergence: convergence
      .nullish()
      .transform((value) => value ?? DEFAULT_CONVERGENCE)
      .describe(`The relative criterion, ${DEFAULT_CONVERGENCE} unless given.`),
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
    initialOutput: initialOutput.describe('What the black box gave at initialInput.'),
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

export const newObjectives: BodySpec<NewObjective> = {
  schema: newObjectivesSchema,
  size: 'vectors',
  read: (body) => readNewObjective(newObjectivesSchema, body, 'where-needed', DEFAULTS, FIELDS_BY_NAME),
};

export const newInverse: BodySpec<NewObjective> = {
  schema: newInverseSchema,
  size: 'vectors',
  read: (body) => readNewObjective(newInverseSchema, body, 'always', DEFAULTS, FIELDS_BY_NAME),
};

export const objectivePatch = bodyOf(
  z
    .strictObject({
      parallelism: parallelism.optional().describe('How many inverses may be open at once.'),
      holdBack: z.boolean().optional(),
    })
    .meta({ id: 'ObjectivePatch', examples: [{ parallelism: 4 }] }),
);

/** What an objective learns from, and its own limits on the inputs. */
export const learningFields = {
  reuse: z.boolean().describe('Whether it learns from the runs of the other objectives of its trial.'),
  continues: z.int().nullable().describe('The objective that it goes on from.'),
  fixedInputs: z.array(z.number().nullable()).nullable().describe('null when all inputs are free.'),
  constraints: z.array(constraint).nullable().describe('Its own, besides those of the project.'),
};

/** How its inverses are worked on at once. */
const parallelFields = {
  parallelism: z.int().describe('How many inverses may be open at once.'),
  holdBack: z.boolean().describe('Whether no inverse is opened while an open one is likely to satisfy the objective.'),
  openCount: z.int().describe('Inverses that wait for their outputs or are being computed.'),
  completedCount: z.int().describe('How often one of its inverses was completed or given up.'),
  batchId: z.int().nullable().describe('The batch that created it.'),
};

const boundFields = {
  minimumBounds: z
    .array(z.number().nullable())
    .describe('As they were sent: empty if there were none, null for a type without bounds.'),
  maximumBounds: z.array(z.number().nullable()),
};

/** What another objective on the same trial repeats when only its targets change. */
export const settingFields = {
  ...boundFields,
  desiredL1Norm: z.number(),
  convergence: z.number(),
  ...learningFields,
  parallelism: parallelFields.parallelism,
  holdBack: parallelFields.holdBack,
};

const echoFields = {
  id: z.int(),
  trialId: z.int(),
  objectives: z.array(z.number()),
  objectiveTypes: z.array(z.enum(OBJECTIVE_TYPES)),
  initialInput: z.array(z.number()),
  initialOutput: z.array(z.number()),
  ...boundFields,
  stopReason: z.literal(Object.values(StopReason)).describe('0 RUNNING, 1 SATISFIED, 2 STOPPED, 3 EXHAUSTED.'),
  attemptCount: z.int().describe('Inverses suggested so far.'),
  maximumAttempts: z.int(),
  convergence: z.number(),
  ...learningFields,
  ...parallelFields,
  createdAt: timestamp,
  updatedAt: timestamp,
};

export const loadedObjectivesSchema = z
  .object({
    ...echoFields,
    l1Norm: z.number().describe('The desired L1 norm.'),
    results: z.array(resultSchema).describe('Judge the initial output; here the bounds are null.'),
  })
  .meta({ id: 'LoadedObjectives' });

const nearestRunSchema = z
  .object({
    caseNumber: z.int().nullable().describe('1 for the first input case; null when an inverse came nearest.'),
    inverseId: z.int().nullable().describe('null when a case came nearest.'),
    iteration: z.int().nullable().describe('Of that inverse; 1 is the initial point.'),
    input: z.array(z.number()),
    inputByName: inputByNameSchema,
    output: z.array(z.number()),
    outputByName: outputByNameSchema,
    misses: z
      .array(z.number())
      .describe(
        'One per objective, in units of its tolerance: 0 when satisfied, 1 when off by as much as half its range.',
      ),
    worstMiss: z.number().describe('The largest of misses; 0 when everything is satisfied.'),
  })
  .meta({ id: 'NearestRun' });

export const objectiveSchema = z
  .object({
    ...echoFields,
    number: z.int().describe('1 for the first objective of the trial.'),
    desiredL1Norm: z.number(),
    disabledAt: timestamp.nullable(),
    optimalInverse: embeddedInverseSchema.nullable(),
    best: nearestRunSchema
      .nullable()
      .describe(
        'The case or inverse that comes nearest so far, satisfied or not. null only in lists, for some seconds after the data of the trial changed, and for objectives of an earlier release until a worker has judged them.',
      ),
    inverses: z.array(embeddedInverseSchema).describe('In order of creation.'),
  })
  .meta({ id: 'Objective' });

/** An objective read on its own, with what the optimizer has learned. */
export const explainedObjectiveSchema = objectiveSchema.extend(explanationFields).meta({ id: 'ExplainedObjective' });

export function presentExplainedObjective(read: ExplainedObjective) {
  return { ...presentReadObjective(read), ...presentExplanation(read.objective, read.explanation) };
}

export function presentLoadedObjectives(objective: Objective, openCount = 0): z.infer<typeof loadedObjectivesSchema> {
  const { results } = evaluateOutput(objective, objective.initialOutput);
  return {
    ...presentEcho(objective, openCount),
    l1Norm: objective.desiredL1Norm,
    results: results.map((result) => ({
      ...presentResult(result, objective.labels),
      minimumBound: null,
      maximumBound: null,
    })),
  };
}

export function presentObjective(objective: ObjectiveWithInverses): z.infer<typeof objectiveSchema> {
  const optimal = objective.inverses.find((inverse) => inverse.id === objective.optimalInverseId);
  const inverses = objective.inverses.map((inverse) => presentEmbeddedInverse(objective, inverse));
  const best = findNearestRun(objective, objective.inverses);
  const openCount = countOpen(objective.inverses);
  return presentWith(objective, { optimal: optimal ?? null, best, openCount }, inverses);
}

/** The same, streamed while it is read. */
export function presentReadObjective({ objective, optimalInverse, best, openCount, inverses }: ReadObjective) {
  const shown = JsonArray.of(inverses, (inverse) => presentEmbeddedInverse(objective, inverse));
  return presentWith(objective, { optimal: optimalInverse, best, openCount }, shown);
}

interface Standouts {
  readonly optimal: Inverse | null;
  readonly best: NearestRun | null;
  readonly openCount: number;
}

function presentWith<Inverses>(objective: Objective, { optimal, best, openCount }: Standouts, inverses: Inverses) {
  return {
    ...presentEcho(objective, openCount),
    number: objective.number,
    desiredL1Norm: objective.desiredL1Norm,
    disabledAt: toOptionalTimestamp(objective.disabledAt),
    optimalInverse: optimal && presentEmbeddedInverse(objective, optimal),
    best: best && presentNearestRun(best, objective.labels),
    inverses,
  };
}

export function presentSettings(objective: Objective) {
  return {
    minimumBounds: [...objective.minimumBounds],
    maximumBounds: [...objective.maximumBounds],
    desiredL1Norm: objective.desiredL1Norm,
    convergence: objective.convergence,
    ...presentLearning(objective),
    parallelism: objective.parallelism,
    holdBack: objective.holdBack,
  };
}

export function presentLearning({ reuse, continuesId, fixedInputs, constraints }: Objective) {
  return {
    reuse,
    continues: continuesId,
    fixedInputs: fixedInputs && [...fixedInputs],
    constraints: constraints && presentConstraints(constraints.sent),
  };
}

function presentConstraints(sent: readonly SentConstraint[]): z.infer<typeof constraint>[] {
  return sent.map((one) => (typeof one === 'string' ? one : { ...one, coefficients: [...one.coefficients] }));
}

function presentNearestRun(
  { source, input, output, misses }: NearestRun,
  labels: Labels | null,
): z.infer<typeof nearestRunSchema> {
  return {
    caseNumber: source.kind === 'case' ? source.number + 1 : null,
    inverseId: source.kind === 'inverse' ? source.id : null,
    iteration: source.kind === 'inverse' ? source.iteration : null,
    input: [...input],
    ...presentInputByName(labels, input),
    output: [...output],
    ...presentOutputByName(labels, output),
    misses: [...misses],
    worstMiss: Math.max(...misses),
  };
}

function presentEcho(objective: Objective, openCount: number) {
  return {
    id: objective.id,
    trialId: objective.trialId,
    objectives: [...objective.objectives],
    objectiveTypes: [...objective.objectiveTypes],
    initialInput: [...objective.initialInput],
    initialOutput: [...objective.initialOutput],
    minimumBounds: [...objective.minimumBounds],
    maximumBounds: [...objective.maximumBounds],
    stopReason: objective.stopReason,
    attemptCount: objective.attemptCount,
    maximumAttempts: objective.maximumAttempts,
    convergence: objective.convergence,
    ...presentLearning(objective),
    parallelism: objective.parallelism,
    holdBack: objective.holdBack,
    openCount,
    completedCount: objective.completedCount,
    batchId: objective.batchId,
    createdAt: toTimestamp(objective.createdAt),
    updatedAt: toTimestamp(objective.updatedAt),
  };
}
