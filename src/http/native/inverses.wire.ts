import { z } from 'zod';
import type { Measurement } from '../../application/search/record-output.ts';
import type { SuggestedInverses } from '../../application/search/suggest-inverses.ts';
import { type InverseView, judge } from '../../application/views.ts';
import type { Evaluation, ObjectiveResult } from '../../domain/acceptance.ts';
import { makeViolation, type Violation } from '../../domain/errors.ts';
import { surprisesOf } from '../../domain/expectation.ts';
import { disabledAtOf, type Inverse, InverseStatus } from '../../domain/inverse.ts';
import { isByName, type Labels } from '../../domain/names.ts';
import {
  LARGEST_PARALLELISM,
  OBJECTIVE_TYPES,
  type Objective,
  type ObjectiveDefinition,
  statedTarget,
} from '../../domain/objective.ts';
import { type BodySpec, bodyOf, type SentFields } from '../body/spec.ts';
import { textSchema, timestamp, toOptionalTimestamp, toTimestamp } from '../wire/fields.ts';
import { MAXIMUM_OUTPUT_COUNT, MAXIMUM_TEXT_LENGTH } from '../wire/limits.ts';
import { vectorSchema } from '../wire/vectors.ts';
import { type Parsed, readFields, withoutRepeats } from '../wire/violations.ts';
import { inputByNameSchema, outputByNameSchema, presentInputByName, presentOutputByName } from './by-name.wire.ts';

export const noFields = bodyOf(z.strictObject({}).meta({ id: 'NoFields', examples: [{}] }), { isOptional: true });

const newInverseOutputSchema = z
  .strictObject({
    output: vectorSchema({ minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT }, z.number())
      .optional()
      .describe(
        'The result of the run at the suggested input, one number per objective, or by the names of the outputs.',
      ),
    computeTime: z
      .number()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .nullish()
      .describe('Nanoseconds that the run took; by default the time since the suggestion was handed out.'),
    failed: z.boolean().optional().describe('true, instead of an output, if the run failed.'),
    reason: textSchema({ minimum: 0, maximum: MAXIMUM_TEXT_LENGTH }).nullish().describe('Why the run failed.'),
  })
  .meta({ id: 'NewInverseOutput', examples: [{ output: [1.62, 19.1] }, { failed: true, reason: 'mesh collapsed' }] });

/** Either an output or a failure: not both, and not neither. */
function readInverseOutput(body: SentFields): Parsed<Measurement> {
  const byName = isByName(body.output) ? body.output : undefined;
  const { fields, violations: invalid } = readFields(newInverseOutputSchema, body, byName ? ['output'] : []);
  const { output = byName && [], computeTime = null, failed = false, reason = null } = fields;
  const hasOutput = body.output !== undefined;
  const others: Violation[] = [];
  if (failed && hasOutput) others.push(makeViolation(['output'], 'must be left out when failed is true.'));
  if (!failed && !hasOutput) {
    others.push(makeViolation(['output'], 'is required: send an array of numbers, or failed: true with a reason.'));
  }
  const violations = withoutRepeats(invalid, others);
  if (violations.length > 0) return { kind: 'violations', violations };
  if (output === undefined) return { kind: 'value', value: { kind: 'failed', reason } };
  const computeTimeNs = computeTime === null ? null : Math.round(computeTime);
  return { kind: 'value', value: { kind: 'output', output, computeTimeNs, ...(byName && { byName }) } };
}

export const newInverseOutput: BodySpec<Measurement> = { schema: newInverseOutputSchema, read: readInverseOutput };

export const resultSchema = z
  .object({
    number: z.int().describe('Zero-based number of the objective.'),
    type: z.enum(OBJECTIVE_TYPES),
    objective: z.number().nullable().describe('The target; null without aspiration.'),
    minimumBound: z.number().nullable(),
    maximumBound: z.number().nullable(),
    output: z.number(),
    error: z.number(),
    detail: z.string(),
    satisfied: z.boolean(),
    name: z.string().nullable().describe('Of the output; null without names.'),
  })
  .meta({ id: 'Result' });

export function presentResult(result: ObjectiveResult, labels: Labels | null): z.infer<typeof resultSchema> {
  return {
    number: result.number,
    name: labels?.outputNames?.[result.number] ?? null,
    type: result.type,
    objective: statedTarget(result.type, result.objective),
    minimumBound: result.minimumBound,
    maximumBound: result.maximumBound,
    output: result.output,
    error: result.error,
    detail: result.detail,
    satisfied: result.satisfied,
  };
}

export const learnedFromSchema = z
  .object({
    revision: z.int().describe('Of the cases of the trial: 0 as loaded, raised by each addition and correction.'),
    objectives: z
      .array(z.object({ objectiveId: z.int(), iteration: z.int() }))
      .describe('The other objectives whose runs were known, each with the last one.'),
  })
  .nullable()
  .describe(
    'What the suggestion was computed from besides the earlier iterations; null for the cases as loaded and nothing else.',
  );

const commonFields = {
  id: z.int(),
  objectiveId: z.int(),
  status: z.enum(Object.values(InverseStatus)),
  iteration: z.int().describe('1 is the initial point.'),
  l1Norm: z.number().describe('Of the output that the results judge.'),
  errors: z.array(z.number()).describe('One per objective, the errors of the results.'),
  loadedAt: timestamp.nullable(),
  satisfiedAt: timestamp.nullable(),
  stoppedAt: timestamp.nullable(),
  exhaustedAt: timestamp.nullable(),
  failedAt: timestamp.nullable(),
  failureReason: z.string().nullable(),
  basis: z
    .int()
    .nullable()
    .describe('How many inverses of the objective had been completed or given up when it was suggested; null before.'),
  completedOrder: z
    .int()
    .nullable()
    .describe(
      'Its number in the order in which the inverses of the objective were completed or given up; null while it is open.',
    ),
  learnedFrom: learnedFromSchema,
  isRepeat: z.boolean().describe('Whether its input has been run before, and is run again because runs differ.'),
  repeatOf: z
    .int()
    .nullable()
    .describe(
      'The inverse whose input it repeats; null when that is a case or the run of another objective, and without a repeat.',
    ),
  excludedAt: timestamp
    .nullable()
    .describe('Since when a correction excludes it: it is shown, nothing learns from it, and it is never the best.'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

const inverseFields = {
  ...commonFields,
  convergence: z.number().describe('On iteration 1 the criterion, later the remaining relative distance.'),
  input: z.array(z.number()).nullable().describe('null while the suggestion is being computed.'),
  inputByName: inputByNameSchema,
  suggestTime: z.number().describe('Nanoseconds that the optimizer took.'),
  computeTime: z.number().describe('Nanoseconds from the suggestion to its output.'),
  results: z
    .array(resultSchema)
    .describe('Judge the output of this iteration; before it is loaded, that of the last completed iteration.'),
};

export const suggestionSchema = z.object(inverseFields).meta({ id: 'Suggestion' });

export const inverseSchema = z
  .object({
    ...inverseFields,
    trialId: z.int(),
    output: z.array(z.number()).nullable().describe('null until it is loaded.'),
    outputByName: outputByNameSchema,
    disabledAt: timestamp.nullable(),
  })
  .meta({ id: 'Inverse' });

const warningSchema = z
  .object({
    output: z.int().describe('Zero-based number of the output, as in results.'),
    name: z.string().nullable().describe('Of the output; null if the project names none.'),
    value: z.number().describe('As it was loaded and stored.'),
    expectedMinimum: z.number().nullable().describe('null where the model leaves this end open.'),
    expectedMaximum: z.number().nullable(),
    detail: z.string().describe('What was expected, and how to correct the output.'),
  })
  .meta({ id: 'OutputWarning' });

export const reportedInverseSchema = inverseSchema
  .extend({
    warnings: z
      .array(warningSchema)
      .describe('Outputs far outside what the model expected. They are stored all the same; empty without any.'),
  })
  .meta({ id: 'ReportedInverse' });

export const embeddedInverseSchema = z
  .object({
    ...commonFields,
    inputs: z.array(z.number()).describe('Empty while the suggestion is being computed.'),
    inputByName: inputByNameSchema,
    outputs: z.array(z.number()).describe('Empty until loaded.'),
    outputByName: outputByNameSchema,
    disabledAt: timestamp.nullable(),
  })
  .meta({ id: 'EmbeddedInverse' });

const suggestionsSchema = z
  .strictObject({
    count: z
      .int()
      .min(1)
      .max(LARGEST_PARALLELISM)
      .nullish()
      .transform((count) => count ?? undefined)
      .describe('How many inputs, at most; all that may be open unless given.'),
  })
  .meta({ id: 'NewSuggestions', examples: [{ count: 4 }] });

export const newSuggestions = bodyOf(suggestionsSchema, { isOptional: true });

export const suggestedInversesSchema = z
  .object({
    inverses: z
      .array(suggestionSchema)
      .describe('Those of this request, in order of iteration; no other request gets them.'),
    openCount: z.int().describe('All inverses of the objective that wait for their outputs or are being computed.'),
    heldBack: z
      .boolean()
      .describe('Whether no further one is opened because an open one is likely to satisfy the objective.'),
    attemptsLeft: z.int().describe('Attempts that are not handed out yet.'),
  })
  .meta({ id: 'SuggestedInverses' });

export function presentSuggestedInverses(suggested: SuggestedInverses): z.infer<typeof suggestedInversesSchema> {
  return {
    inverses: suggested.inverses.map(presentSuggestion),
    openCount: suggested.openCount,
    heldBack: suggested.isHeldBack,
    attemptsLeft: suggested.attemptsLeft,
  };
}

/** An inverse as the answer to suggest. */
export function presentSuggestion(view: InverseView): z.infer<typeof suggestionSchema> {
  return presentFields(view);
}

/** An inverse on its own. */
export function presentInverse(view: InverseView): z.infer<typeof inverseSchema> {
  const { objective, inverse } = view;
  return {
    ...presentFields(view),
    trialId: objective.trialId,
    output: inverse.output === null ? null : [...inverse.output],
    ...presentOutputByName(objective.labels, inverse.output),
    disabledAt: toOptionalTimestamp(disabledAtOf(objective, inverse)),
  };
}

/** An inverse as the answer to the report of its run; `path` is that of the inverse. */
export function presentReportedInverse(view: InverseView, path: string): z.infer<typeof reportedInverseSchema> {
  return {
    ...presentInverse(view),
    warnings: presentWarnings(view.inverse, { path, outputNames: view.objective.labels?.outputNames ?? null }),
  };
}

interface WarningContext {
  readonly path: string;
  readonly outputNames: readonly string[] | null;
}

function presentWarnings(inverse: Inverse, { path, outputNames }: WarningContext): z.infer<typeof warningSchema>[] {
  return surprisesOf(inverse).map(({ output, value, minimum, maximum }) => {
    const name = outputNames?.[output] ?? null;
    const what = `Output ${name ?? `y${output + 1}`} is ${value}; the model expected ${describeRange(minimum, maximum)}.`;
    const advice = `It was stored. If it is wrong, correct it: POST ${path}/corrections.`;
    return {
      output,
      name,
      value,
      expectedMinimum: minimum,
      expectedMaximum: maximum,
      detail: `${what} ${advice}`,
    };
  });
}

function describeRange(minimum: number | null, maximum: number | null): string {
  if (minimum === null) return `at most ${maximum}`;
  return maximum === null ? `at least ${minimum}` : `${minimum} to ${maximum}`;
}

/** An inverse among the inverses of its objective. */
export function presentEmbeddedInverse(
  objective: JudgedObjective,
  inverse: Inverse,
): z.infer<typeof embeddedInverseSchema> {
  return {
    ...presentCommon(inverse, judge(objective, inverse)),
    inputs: [...(inverse.input ?? [])],
    ...presentInputByName(objective.labels, inverse.input),
    outputs: [...(inverse.output ?? [])],
    ...presentOutputByName(objective.labels, inverse.output),
    disabledAt: toOptionalTimestamp(disabledAtOf(objective, inverse)),
  };
}

type JudgedObjective = ObjectiveDefinition & Pick<Objective, 'initialOutput' | 'disabledAt' | 'labels'>;

function presentFields({ objective, inverse, evaluation }: InverseView) {
  return {
    ...presentCommon(inverse, evaluation),
    convergence: inverse.iteration === 1 ? objective.convergence : evaluation.convergence,
    input: inverse.input === null ? null : [...inverse.input],
    ...presentInputByName(objective.labels, inverse.input),
    suggestTime: inverse.suggestTimeNs,
    computeTime: inverse.computeTimeNs,
    results: evaluation.results.map((result) => presentResult(result, objective.labels)),
  };
}

function presentCommon(inverse: Inverse, evaluation: Evaluation) {
  return {
    id: inverse.id,
    objectiveId: inverse.objectiveId,
    status: inverse.status,
    iteration: inverse.iteration,
    l1Norm: evaluation.l1Norm,
    errors: evaluation.results.map((result) => result.error),
    loadedAt: toOptionalTimestamp(inverse.loadedAt),
    satisfiedAt: toOptionalTimestamp(inverse.satisfiedAt),
    stoppedAt: toOptionalTimestamp(inverse.stoppedAt),
    exhaustedAt: toOptionalTimestamp(inverse.exhaustedAt),
    failedAt: toOptionalTimestamp(inverse.failedAt),
    failureReason: inverse.failureReason,
    basis: inverse.basis,
    completedOrder: inverse.completedOrder,
    learnedFrom: presentLearnedFrom(inverse),
    ...presentRepeat(inverse),
    excludedAt: toOptionalTimestamp(inverse.excludedAt),
    createdAt: toTimestamp(inverse.createdAt),
    updatedAt: toTimestamp(inverse.updatedAt),
  };
}

/** A repeat of a case, or of a run of another objective, has no inverse to name. */
export function presentRepeat({ repeatOf }: Pick<Inverse, 'repeatOf'>) {
  return { isRepeat: repeatOf !== null, repeatOf: repeatOf === 0 ? null : repeatOf };
}

export function presentLearnedFrom({ learnedFrom }: Pick<Inverse, 'learnedFrom'>) {
  if (learnedFrom === null) return null;
  const objectives = learnedFrom.objectives.map(([objectiveId, iteration]) => ({ objectiveId, iteration }));
  return { revision: learnedFrom.revision, objectives };
}
