import { z } from 'zod';
import { countOpen, type ExplainedObjective, type ReadObjective } from '../../../application/search/read-objectives.ts';
import type { SentConstraint } from '../../../domain/problem/input-space.ts';
import { evaluateOutput } from '../../../domain/search/acceptance.ts';
import { type Answer, answerOf } from '../../../domain/search/answer.ts';
import { endReasonOf, shownRunOf } from '../../../domain/search/end-reason.ts';
import { ENDING_KINDS, isResumable } from '../../../domain/search/ending.ts';
import type { Inverse } from '../../../domain/search/inverse.ts';
import { findNearestRun } from '../../../domain/search/nearest.ts';
import {
  ALL_OBJECTIVE_TYPES,
  type Objective,
  type ObjectiveWithInverses,
  statedTargets,
} from '../../../domain/search/objective.ts';
import { StopReason } from '../../../domain/search/stop-reason.ts';
import { JsonArray } from '../../answer/json-array.ts';
import { timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { presentResults, resultsSchema } from '../data/run-fields.wire.ts';
import { constraintSchema } from '../problem/project-fields.wire.ts';
import { answerSchema, bestRunSchema, presentAnswer, presentBestRun } from './answer.wire.ts';
import { explanationFields, presentExplanation } from './explanation.wire.ts';
import { fitQualitySchema, presentFitQuality } from './fit.wire.ts';
import { embeddedInverseSchema, presentEmbeddedInverse } from './inverses.wire.ts';
import { optionFields, presentOptions } from './search-options.wire.ts';

const constraint = constraintSchema();

/** The sources that an objective learns from, its own limits on the inputs, and its search options. */
export const learningFields = {
  reuse: z.boolean().describe('Whether it learns from the runs of the other objectives of its trial.'),
  continues: z.int().nullable().describe('The objective that it continues.'),
  fixedInputs: z.array(z.number().nullable()).nullable().describe('null when all inputs are free.'),
  constraints: z
    .array(constraint)
    .nullable()
    .describe('The constraints of the objective, besides those of the project.'),
  ...optionFields,
};

/** Options of parallel runs. */
const parallelFields = {
  parallelism: z.int().describe('How many inverses may be open at the same time.'),
  holdBack: z.boolean().describe('Whether no inverse is opened while an open one is likely to satisfy the objective.'),
  openCount: z.int().describe('Inverses that wait for their outputs or are being computed.'),
  completedCount: z.int().describe('The number of its inverses that were completed or given up.'),
  batchId: z.int().nullable().describe('The batch that created it.'),
};

/** The targets of an objective in answers. */
export const targetsSchema = z
  .array(z.number().nullable())
  .describe(
    'The target of each output; null for one to minimize or maximize without aspiration, and for a gap of a fit.',
  );

const boundFields = {
  minimumBounds: z
    .array(z.number().nullable())
    .describe('As they were sent: empty if there were none, null for a type without bounds.'),
  maximumBounds: z.array(z.number().nullable()),
};

/** The fields that another objective on the same trial repeats when only its targets change. */
export const settingFields = {
  ...boundFields,
  desiredL1Norm: z.number(),
  convergence: z.number(),
  ...learningFields,
  parallelism: parallelFields.parallelism,
  holdBack: parallelFields.holdBack,
};

/** Fields that tell programs how an objective ended. */
export const endFields = {
  endingKind: z
    .enum(ENDING_KINDS)
    .nullable()
    .describe('Why it was stopped, in a word; null unless it was. endReason says it with figures.'),
  isResumable: z
    .boolean()
    .describe(
      'Whether an objective that has ended runs on when a PATCH raises maximumAttempts or changes stop: one that is EXHAUSTED, that ended by evidence or at its time.',
    ),
};

export function presentEnd(objective: Pick<Objective, 'stopReason' | 'ended'>) {
  return {
    endingKind: objective.stopReason === StopReason.stopped ? (objective.ended?.kind ?? null) : null,
    isResumable: isResumable(objective),
  };
}

export const endReasonField = {
  endReason: z
    .string()
    .nullable()
    .describe(
      'Why it ended, in words and figures, with the number of the run or the case that is its best; null while it is running.',
    ),
};

/** Fields that people note on an objective. */
export const markFields = {
  label: z.string().nullable().describe('The label by which people find it again.'),
  isArchived: z.boolean().describe('Whether people put it out of their lists.'),
};

export function presentMarks({ label, archivedAt }: Pick<Objective, 'label' | 'archivedAt'>) {
  return { label, isArchived: archivedAt !== null };
}

const echoFields = {
  id: z.int(),
  trialId: z.int(),
  objectives: targetsSchema,
  objectiveTypes: z.array(z.enum(ALL_OBJECTIVE_TYPES)),
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
    results: resultsSchema.describe('Judge the initial output; here the bounds are null.'),
  })
  .meta({ id: 'LoadedObjectives' });

export const objectiveSchema = z
  .object({
    ...echoFields,
    number: z.int().describe('1 for the first objective of the trial.'),
    ...markFields,
    desiredL1Norm: z.number(),
    disabledAt: timestamp.nullable(),
    ...endReasonField,
    ...endFields,
    optimalInverse: embeddedInverseSchema.nullable(),
    best: bestRunSchema
      .nullable()
      .describe(
        'The answer, as clients of an earlier release read it. null before a run within the limits succeeded, and in lists for some seconds after the data of the trial changed.',
      ),
    answer: answerSchema
      .nullable()
      .describe(
        'The answer of the search, so far or as it ended: the one input that every list, file, report and client names. null likewise.',
      ),
    fit: fitQualitySchema.nullable().describe('How well the answer fits its data. null without a fit.'),
    inverses: z.array(embeddedInverseSchema).describe('In order of creation.'),
  })
  .meta({ id: 'Objective' });

/** An objective read on its own, with what the optimizer has learned. */
export const explainedObjectiveSchema = objectiveSchema.extend(explanationFields).meta({ id: 'ExplainedObjective' });

export function presentExplainedObjective(read: ExplainedObjective) {
  return { ...presentReadObjective(read), ...presentExplanation(read.objective, read.explanation, read.answer) };
}

export function presentLoadedObjectives(objective: Objective, openCount = 0): z.infer<typeof loadedObjectivesSchema> {
  const { results } = evaluateOutput(objective, objective.initialOutput);
  return {
    ...presentEcho(objective, openCount),
    l1Norm: objective.desiredL1Norm,
    results: presentResults(results, objective.labels).map((result) => ({
      ...result,
      minimumBound: null,
      maximumBound: null,
    })),
  };
}

export function presentObjective(objective: ObjectiveWithInverses): z.infer<typeof objectiveSchema> {
  const optimal = objective.inverses.find((inverse) => inverse.id === objective.optimalInverseId);
  const inverses = objective.inverses.map((inverse) => presentEmbeddedInverse(objective, inverse));
  const known = { nearest: findNearestRun(objective, objective.inverses), optimal: optimal ?? null, standing: null };
  const openCount = countOpen(objective.inverses);
  return presentWith(objective, { optimal: known.optimal, answer: answerOf(objective, known), openCount }, inverses);
}

/** The same, streamed while it is read. */
export function presentReadObjective({ objective, optimalInverse, answer, openCount, inverses }: ReadObjective) {
  const shown = JsonArray.of(inverses, (inverse) => presentEmbeddedInverse(objective, inverse));
  return presentWith(objective, { optimal: optimalInverse, answer, openCount }, shown);
}

interface Standouts {
  readonly optimal: Inverse | null;
  readonly answer: Answer | null;
  readonly openCount: number;
}

function presentWith<Inverses>(objective: Objective, standouts: Standouts, inverses: Inverses) {
  const { optimal, answer, openCount } = standouts;
  return {
    ...presentEcho(objective, openCount),
    number: objective.number,
    ...presentMarks(objective),
    desiredL1Norm: objective.desiredL1Norm,
    disabledAt: toOptionalTimestamp(objective.disabledAt),
    endReason: endReasonOf(objective, shownRunOf(answer)),
    ...presentEnd(objective),
    optimalInverse: optimal && presentEmbeddedInverse(objective, optimal),
    best: answer && presentBestRun(answer, objective),
    answer: answer && presentAnswer(answer, objective),
    fit: presentFitQuality(objective, answer?.output ?? null),
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

export function presentLearning({ reuse, continuesId, fixedInputs, constraints, options }: Objective) {
  return {
    reuse,
    continues: continuesId,
    fixedInputs: fixedInputs && [...fixedInputs],
    constraints: constraints && presentConstraints(constraints.sent),
    ...presentOptions(options),
  };
}

function presentConstraints(sent: readonly SentConstraint[]): z.infer<typeof constraint>[] {
  return sent.map((one) => (typeof one === 'string' ? one : { ...one, coefficients: [...one.coefficients] }));
}

function presentEcho(objective: Objective, openCount: number) {
  return {
    id: objective.id,
    trialId: objective.trialId,
    objectives: statedTargets(objective),
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
