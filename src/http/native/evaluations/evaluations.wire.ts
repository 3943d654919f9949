import { z } from 'zod';
import type { ClaimRequest } from '../../../application/evaluations/claim-evaluations.ts';
import type { HeartbeatAnswer } from '../../../application/evaluations/extend-evaluation.ts';
import type { FailedEvaluation } from '../../../application/evaluations/fail-evaluation.ts';
import type { OutputReport, ReportedEvaluation } from '../../../application/evaluations/report-evaluation.ts';
import {
  type ClaimedEvaluation,
  EVALUATION_KINDS,
  EVALUATION_STATES,
  type EvaluationRecord,
  type EvaluationTarget,
  kindOfEvaluation,
} from '../../../domain/evaluations/evaluation.ts';
import { refField } from '../../../domain/messages.ts';
import { inputNamesOf, isByName, outputNamesOf, toInputByName } from '../../../domain/problem/names.ts';
import { FINE, MAXIMUM_SOURCES } from '../../../domain/problem/sources.ts';
import { type BodySpec, bodyOf, type SentFields } from '../../body/spec.ts';
import { nameSchema, textSchema, timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH, MAXIMUM_OUTPUT_COUNT, MAXIMUM_TEXT_LENGTH } from '../../wire/limits.ts';
import { JACOBIAN_DESCRIPTION, jacobianSchema, namedInputValue, vectorSchema } from '../../wire/vectors.ts';
import { type Parsed, readFields } from '../../wire/violations.ts';
import { presentReportedInverse, reportedInverseSchema } from '../search/inverses.wire.ts';

/** Evaluations of one claim. */
const MAXIMUM_CLAIM = 64;
const LEASE_SECONDS = { minimum: 5, maximum: 3_600, default: 60 } as const;
const MAXIMUM_WAIT_SECONDS = 25;
const TOKEN = '7a9d0f2e-6c1b-4c3e-9f58-2b1d6a4e8c07';

const recordId = z.int().positive();

const claimSchema = z
  .strictObject({
    evaluator: nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH }).describe(
      'Your name, shown in the records of your evaluations.',
    ),
    limit: z
      .int()
      .min(1)
      .max(MAXIMUM_CLAIM)
      .default(1)
      .describe(
        'The maximum number of evaluations to claim. Claim only those you start now: each lease begins with the claim.',
      ),
    leaseSeconds: z
      .int()
      .min(LEASE_SECONDS.minimum)
      .max(LEASE_SECONDS.maximum)
      .default(LEASE_SECONDS.default)
      .describe('How long the evaluations stay yours without a heartbeat.'),
    wait: z
      .int()
      .min(0)
      .max(MAXIMUM_WAIT_SECONDS)
      .default(0)
      .describe('Seconds to wait for an evaluation if there is none now.'),
    projectId: recordId.nullish().describe('Only evaluations of this project.'),
    batchId: recordId.nullish().describe('Only evaluations of this batch.'),
    sources: z
      .array(nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH }))
      .min(1)
      .max(MAXIMUM_SOURCES + 1)
      .default([FINE])
      .describe('The sources of the project that you run; fine is the black box itself.'),
  })
  .meta({
    id: 'NewEvaluationClaim',
    examples: [{ evaluator: 'rig-3', limit: 2, leaseSeconds: 60, wait: 20, projectId: 7 }],
  });

export const evaluationClaim: BodySpec<ClaimRequest> = {
  schema: claimSchema,
  read: (body) => {
    const parsed = bodyOf(claimSchema).read(body);
    if (parsed.kind === 'violations') return parsed;
    const { wait, projectId = null, batchId = null, ...rest } = parsed.value;
    return { kind: 'value', value: { ...rest, waitMs: wait * 1000, projectId, batchId } };
  },
};

const leaseToken = z.uuid(`must be the ${refField('leaseToken')} of the claim.`).describe('From the claim.');

export const leaseReport = bodyOf(
  z.strictObject({ leaseToken }).meta({ id: 'NewRelease', examples: [{ leaseToken: TOKEN }] }),
);

export const newHeartbeat = bodyOf(
  z
    .strictObject({
      leaseToken,
      progress: z.number().min(0).max(1).nullish().describe('How far the run is, from 0 to 1.'),
      message: textSchema({ minimum: 0, maximum: MAXIMUM_NAME_LENGTH })
        .nullish()
        .describe('The current activity of the run.'),
    })
    .meta({ id: 'NewHeartbeat', examples: [{ leaseToken: TOKEN, progress: 0.4, message: 'mesh done' }] }),
);

export const newFailure = bodyOf(
  z
    .strictObject({
      leaseToken,
      reason: textSchema({ minimum: 0, maximum: MAXIMUM_TEXT_LENGTH }).describe('Why the run failed.'),
      retryable: z
        .boolean()
        .describe(
          'true: another try may succeed, as after a crash of the machine. false: the black box has no output at this input.',
        ),
    })
    .meta({
      id: 'NewEvaluationFailure',
      examples: [{ leaseToken: TOKEN, reason: 'mesh collapsed', retryable: false }],
    }),
);

const newOutputSchema = z
  .strictObject({
    leaseToken,
    output: vectorSchema({ minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT }, z.number()).describe(
      'One number per output, or by the names of outputNames.',
    ),
    computeTime: z
      .number()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .nullish()
      .describe('Nanoseconds that the run took; by default the time since the claim.'),
    jacobian: jacobianSchema.optional().describe(JACOBIAN_DESCRIPTION),
  })
  .meta({
    id: 'NewEvaluationOutput',
    examples: [
      { leaseToken: TOKEN, output: [1.62, 19.1] },
      { leaseToken: TOKEN, output: { mass: 1.62, sag: 19.1 }, computeTime: 4_200_000_000 },
    ],
  });

export const newEvaluationOutput: BodySpec<OutputReport> = {
  schema: newOutputSchema,
  read: (body: SentFields): Parsed<OutputReport> => {
    const byName = isByName(body.output) ? body.output : undefined;
    const { fields, violations } = readFields(newOutputSchema, body, byName ? ['output'] : []);
    if (violations.length > 0) return { kind: 'violations', violations };
    const { output = [], computeTime = null, jacobian: sentJacobian = null } = fields;
    const computeTimeNs = computeTime === null ? null : Math.round(computeTime);
    const report = { leaseToken: fields.leaseToken!, output, computeTimeNs, sentJacobian };
    return { kind: 'value', value: { ...report, ...(byName && { byName }) } };
  },
};

const targetFields = {
  id: z.int(),
  kind: z.enum(EVALUATION_KINDS).describe('case: a designed case. inverse: a suggested input.'),
  modelId: z.int(),
  projectId: z.int(),
  batchId: z.int(),
  trialId: z.int().nullable().describe('null while the designed cases are evaluated.'),
  objectiveId: z.int().nullable().describe('The objective of an inverse.'),
  inverseId: z.int().nullable().describe('The id of an inverse.'),
  iteration: z.int().nullable().describe('The number of an inverse within its objective: run 17 has 17.'),
  source: z.string().nullable().optional().describe('The cheaper source to run; null for the black box itself.'),
  caseNumber: z.int().nullable().describe('The number of a designed case, from 1.'),
};
const limitFields = {
  maximumTries: z.int().describe('Failed tries after which the evaluation has failed.'),
  timeoutSeconds: z.int().describe('The longest that one try may take; after that the lease is lost.'),
};

export const claimedEvaluationSchema = z
  .object({
    ...targetFields,
    leaseToken: z.uuid().describe('Send it with every report about this evaluation.'),
    leaseExpiresAt: timestamp,
    try: z.int().describe('1, plus the tries that failed before. Lost leases are counted apart.'),
    ...limitFields,
    input: z.array(z.number()),
    inputByName: z
      .record(z.string(), namedInputValue)
      .describe(
        'By the names of the inputs (x1, x2, ... without names), with categories by their names and booleans as true or false.',
      ),
    outputNames: z.array(z.string()).describe('y1, y2, ... without names.'),
    outputCount: z.int(),
  })
  .meta({ id: 'ClaimedEvaluation' });

export const claimedEvaluationsSchema = z
  .object({ evaluations: z.array(claimedEvaluationSchema).describe('Empty: there was nothing to claim.') })
  .meta({ id: 'ClaimedEvaluations' });

export const extendedLeaseSchema = z
  .object({
    leaseExpiresAt: timestamp.nullable().describe('null when the evaluation is over.'),
    isWanted: z
      .boolean()
      .describe('false: the output is no longer needed, so you may end the run. An output is still accepted.'),
  })
  .meta({ id: 'ExtendedLease' });

const state = z
  .enum(EVALUATION_STATES)
  .describe(
    'waiting for an evaluator; leased by one; done; failed, after its last try or its last lost lease; cancelled, because the output is no longer needed.',
  );

const { warnings, ...inverseShape } = reportedInverseSchema.shape;
export const reportedEvaluationSchema = z
  .object({
    state,
    inverse: z
      .object(inverseShape)
      .nullable()
      .describe('The inverse, judged; null for a case, and if the objective no longer accepted the output.'),
    warnings,
  })
  .meta({ id: 'ReportedEvaluation' });

export const failedEvaluationSchema = z
  .object({ state, try: z.int().describe('How many tries have failed so far, this one included.') })
  .meta({ id: 'FailedEvaluation' });

export const releasedEvaluationSchema = z.object({ state }).meta({ id: 'ReleasedEvaluation' });

export const evaluationSchema = z
  .object({
    ...targetFields,
    state,
    isPushed: z.boolean().describe('Whether the worker calls the evaluator of the batch.'),
    ...limitFields,
    failedTries: z.int(),
    lostLeases: z.int(),
    maximumLosses: z.int().describe('Lost leases after which the evaluation has failed.'),
    evaluator: z.string().nullable().describe('The evaluator that holds it, or held it last.'),
    claimedAt: timestamp.nullable(),
    leaseExpiresAt: timestamp.nullable().describe('While it is leased.'),
    progress: z.number().nullable(),
    message: z.string().nullable(),
    failureReason: z.string().nullable().describe('Why the last try failed.'),
    computeTime: z.number().nullable().describe('Nanoseconds of the run.'),
    input: z.array(z.number()),
    output: z
      .array(z.number())
      .nullable()
      .describe('The output of a designed case; that of an inverse is in the inverse.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    finishedAt: timestamp.nullable(),
  })
  .meta({ id: 'Evaluation' });

function presentTarget(evaluation: EvaluationTarget) {
  return {
    id: evaluation.id,
    kind: kindOfEvaluation(evaluation),
    modelId: evaluation.modelId,
    projectId: evaluation.projectId,
    batchId: evaluation.batchId,
    trialId: evaluation.trialId,
    objectiveId: evaluation.objectiveId,
    inverseId: evaluation.inverseId,
    iteration: evaluation.iteration,
    source: evaluation.source,
    caseNumber: evaluation.caseNumber,
  };
}

/** The fields that an evaluator gets when it claims an evaluation or is called. */
export function presentClaimedEvaluation(evaluation: ClaimedEvaluation): z.infer<typeof claimedEvaluationSchema> {
  const { labels, input, outputCount } = evaluation;
  const inputNames = inputNamesOf(input.length, labels.inputNames);
  return {
    ...presentTarget(evaluation),
    leaseToken: evaluation.leaseToken,
    leaseExpiresAt: toTimestamp(evaluation.leaseExpiresAt),
    try: evaluation.tries + 1,
    maximumTries: evaluation.maximumTries,
    timeoutSeconds: evaluation.timeoutSeconds,
    input: [...input],
    inputByName: toInputByName({ ...labels, inputNames }, input) ?? {},
    outputNames: [...outputNamesOf(outputCount, labels.outputNames)],
    outputCount,
  };
}

export function presentExtendedLease(answer: HeartbeatAnswer): z.infer<typeof extendedLeaseSchema> {
  return { leaseExpiresAt: toOptionalTimestamp(answer.leaseExpiresAt), isWanted: answer.isWanted };
}

export function presentReportedEvaluation({
  state,
  view,
}: ReportedEvaluation): z.infer<typeof reportedEvaluationSchema> {
  if (view === null) return { state, inverse: null, warnings: [] };
  const { warnings, ...inverse } = presentReportedInverse(view);
  return { state, inverse, warnings };
}

export function presentFailedEvaluation({ state, tries }: FailedEvaluation): z.infer<typeof failedEvaluationSchema> {
  return { state, try: tries };
}

export function presentEvaluation(evaluation: EvaluationRecord): z.infer<typeof evaluationSchema> {
  return {
    ...presentTarget(evaluation),
    state: evaluation.state,
    isPushed: evaluation.isPushed,
    maximumTries: evaluation.maximumTries,
    timeoutSeconds: evaluation.timeoutSeconds,
    failedTries: evaluation.tries,
    lostLeases: evaluation.losses,
    maximumLosses: evaluation.maximumLosses,
    evaluator: evaluation.evaluator,
    claimedAt: toOptionalTimestamp(evaluation.claimedAt),
    leaseExpiresAt: toOptionalTimestamp(evaluation.leaseExpiresAt),
    progress: evaluation.progress,
    message: evaluation.message,
    failureReason: evaluation.failureReason,
    computeTime: evaluation.computeTimeNs,
    input: [...evaluation.input],
    output: evaluation.output === null ? null : [...evaluation.output],
    createdAt: toTimestamp(evaluation.createdAt),
    updatedAt: toTimestamp(evaluation.updatedAt),
    finishedAt: toOptionalTimestamp(evaluation.finishedAt),
  };
}
