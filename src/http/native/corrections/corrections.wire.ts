import { z } from 'zod';
import type { CorrectedCase, CorrectedInverse } from '../../../application/corrections/correct-run.ts';
import {
  type Correction,
  LONGEST_REASON,
  type NewCorrection,
  type ResultChange,
} from '../../../domain/corrections/correction.ts';
import { toRows } from '../../../domain/data/jacobian.ts';
import type { RunResult } from '../../../domain/data/run-result.ts';
import { makeViolation, type Violation } from '../../../domain/errors.ts';
import { LONGEST_NOTE } from '../../../domain/notes/note.ts';
import { isByName } from '../../../domain/problem/names.ts';
import { StopReason } from '../../../domain/search/stop-reason.ts';
import { type BodySpec, bodyOf, type SentFields } from '../../body/spec.ts';
import { textSchema, timestamp, toTimestamp } from '../../wire/fields.ts';
import { MAXIMUM_OUTPUT_COUNT, MAXIMUM_TEXT_LENGTH } from '../../wire/limits.ts';
import { JACOBIAN_DESCRIPTION, jacobianSchema, vectorSchema } from '../../wire/vectors.ts';
import { type Parsed, readFields, withoutRepeats } from '../../wire/violations.ts';
import { valueSchema } from '../data/run-fields.wire.ts';
import { inverseSchema, presentInverse } from '../search/inverses.wire.ts';

const changeFields = {
  output: vectorSchema({ minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT }, z.number())
    .optional()
    .describe('The output of the run, one number per output, or by the names of the outputs.'),
  jacobian: jacobianSchema
    .optional()
    .describe(
      `Of this output. ${JACOBIAN_DESCRIPTION} Left out: the same output keeps its derivatives, another one has none. null: none are known.`,
    ),
  failed: z.literal(true).optional().describe('true, instead of an output, if the run failed.'),
  failureReason: textSchema({ minimum: 0, maximum: MAXIMUM_TEXT_LENGTH })
    .nullish()
    .describe('Why the run failed; only with failed.'),
  excluded: z
    .boolean()
    .optional()
    .describe(
      'true: the run is still shown, but no suggestion learns from it and it is never the best. false: it counts again.',
    ),
  reason: textSchema({ minimum: 1, maximum: LONGEST_REASON })
    .optional()
    .describe('The reason for the correction, for the log; required, except for a note.'),
};

const CHANGES = ['output', 'failed', 'excluded', 'note'] as const;

const caseCorrectionSchema = z
  .strictObject({
    ...changeFields,
    reopen: z
      .boolean()
      .optional()
      .describe(
        'true: an objective that has ended, and whose initial point is a copy of the case, gets the verdict that follows. Ignored where it changes nothing.',
      ),
  })
  .meta({
    id: 'NewCaseCorrection',
    examples: [
      { output: [1.62, 19.1], reason: 'decimal point misread' },
      { excluded: true, reason: 'sensor was not calibrated', reopen: true },
    ],
  });

const inverseCorrectionSchema = z
  .strictObject({
    ...changeFields,
    note: textSchema({ minimum: 0, maximum: LONGEST_NOTE })
      .optional()
      .describe(
        'A note on the run instead of the newest on it; empty to delete that. The result stays. createNote adds one.',
      ),
    reopen: z
      .boolean()
      .optional()
      .describe(
        'true: an objective that has ended gets a new verdict, and continues if nothing satisfies it. This also reopens a stopped objective. Ignored where it changes nothing.',
      ),
  })
  .meta({
    id: 'NewInverseCorrection',
    examples: [
      { output: [1.62, 19.1], reason: 'decimal point misread' },
      { failed: true, failureReason: 'mesh collapsed', reason: 'the log of the run says so', reopen: true },
      { note: 'the pump was replaced before this run' },
    ],
  });

type AnyFields = Partial<z.output<typeof inverseCorrectionSchema>>;

/** Exactly one of an output, a failure, and an exclusion or its end. */
function readChange(fields: AnyFields, body: SentFields): { change?: ResultChange; violations: readonly Violation[] } {
  const sent = CHANGES.filter((name) => body[name] !== undefined);
  const violations: Violation[] = [];
  if (sent.length === 0) {
    const message = 'is required: send the right output, or failed: true, or excluded: true or false.';
    violations.push(makeViolation(['output'], message));
  }
  for (const name of sent.slice(1)) {
    violations.push(makeViolation([name], `must be left out when ${sent[0]} is sent: a correction changes one thing.`));
  }
  if (body['failureReason'] != null && body['failed'] === undefined) {
    violations.push(makeViolation(['failureReason'], 'must be left out unless failed is true.'));
  }
  if (body['jacobian'] !== undefined && body['output'] === undefined) {
    violations.push(
      makeViolation(['jacobian'], 'must be left out without output: send the output that it belongs to.'),
    );
  }
  const { output, jacobian: sentJacobian, failed, failureReason = null, excluded, note } = fields;
  const sentOutput = isByName(body['output']) ? { output: [], byName: body['output'] } : output && { output };
  if (sentOutput !== undefined) {
    return {
      change: { kind: 'output', ...sentOutput, ...(sentJacobian !== undefined && { sentJacobian }) },
      violations,
    };
  }
  if (failed !== undefined) return { change: { kind: 'failed', failureReason }, violations };
  if (excluded !== undefined) return { change: { kind: 'excluded', isExcluded: excluded }, violations };
  if (note !== undefined) return { change: { kind: 'note' }, violations };
  return { violations };
}

/** A note says everything itself; any other correction needs a reason. */
function checkReason(body: SentFields): readonly Violation[] {
  const isNote = body['note'] !== undefined;
  if (isNote === (body['reason'] === undefined)) return [];
  const message = isNote ? 'must be left out with a note.' : 'is required: say why the run is corrected.';
  return [makeViolation(['reason'], message)];
}

function toParsed(
  { fields, violations: invalid }: { readonly fields: AnyFields; readonly violations: readonly Violation[] },
  body: SentFields,
): Parsed<NewCorrection & { readonly mayReopen: boolean }> {
  const { change, violations: others } = readChange(fields, body);
  const violations = withoutRepeats([...checkReason(body), ...invalid], others);
  if (violations.length > 0) return { kind: 'violations', violations };
  // Without violations both were sent and are valid.
  return {
    kind: 'value',
    value: { change: change!, reason: (fields.reason ?? fields.note)!, mayReopen: fields.reopen ?? false },
  };
}

/** An output by name is read by the use case, which knows the names. */
function namedFields(body: SentFields): readonly string[] {
  return isByName(body['output']) ? ['output'] : [];
}

export const newInverseCorrection: BodySpec<NewCorrection & { readonly mayReopen: boolean }> = {
  schema: inverseCorrectionSchema,
  read: (body) => toParsed(readFields(inverseCorrectionSchema, body, namedFields(body)), body),
};

export const newCaseCorrection: BodySpec<NewCorrection & { readonly mayReopen: boolean }> = {
  schema: caseCorrectionSchema,
  read: (body) => toParsed(readFields(caseCorrectionSchema, body, namedFields(body)), body),
};

export const newUndo = bodyOf(
  z
    .strictObject({
      reopen: z
        .boolean()
        .optional()
        .transform((sent) => sent ?? false)
        .describe('true: an objective that has ended gets the verdict that follows. Ignored where it changes nothing.'),
    })
    .meta({ id: 'NewUndo', examples: [{}, { reopen: true }] }),
);

const resultFields = {
  output: z.array(z.number()).nullable().describe('null if the run failed.'),
  jacobian: valueSchema('jacobian').nullable().describe('The derivatives of this output; null if none are known.'),
  failed: z.boolean(),
  failureReason: z.string().nullable(),
  excluded: z.boolean(),
};

function presentRunResult({ output, jacobian, failureReason, isExcluded }: RunResult) {
  return {
    output: output && [...output],
    jacobian: jacobian && output && toRows(jacobian, output.length),
    failed: output === null,
    failureReason,
    excluded: isExcluded,
  };
}

const runResultSchema = z.object(resultFields).meta({ id: 'RunResult' });

export const correctionSchema = z
  .object({
    id: z.int(),
    revision: z.int().describe('The revision of the data of the trial, from this correction on.'),
    target: z
      .object({
        caseNumber: z.int().nullable().describe('null for an inverse.'),
        objectiveId: z.int().nullable().describe('null for a case.'),
        inverseId: z.int().nullable(),
        iteration: z.int().nullable(),
      })
      .describe('The record that was corrected: a case or an inverse.'),
    old: runResultSchema,
    new: runResultSchema,
    reason: z.string().describe('The text of a note.'),
    isNote: z.boolean().describe('Whether it is a note on the run, which leaves the result as it is.'),
    correctedBy: z
      .string()
      .describe(
        'The person, else the label of the API key, or its key id if it has none; `sign-in link` for a page that was opened by one.',
      ),
    createdAt: timestamp,
  })
  .meta({ id: 'Correction' });

export function presentCorrection(correction: Correction): z.infer<typeof correctionSchema> {
  const { id, revision, target, before, after, reason, isNote = false, correctedBy, createdAt } = correction;
  const inverse = target.kind === 'inverse' ? target : undefined;
  return {
    id,
    revision,
    target: {
      caseNumber: target.kind === 'case' ? target.caseNumber : null,
      objectiveId: inverse?.objectiveId ?? null,
      inverseId: inverse?.inverseId ?? null,
      iteration: inverse?.iteration ?? null,
    },
    old: presentRunResult(before),
    new: presentRunResult(after),
    reason,
    isNote,
    correctedBy,
    createdAt: toTimestamp(createdAt),
  };
}

const loggedCorrection = correctionSchema.nullable().describe('null: it changed nothing, and nothing was logged.');

export const correctedInverseSchema = z
  .object({
    correction: loggedCorrection,
    inverse: inverseSchema,
    objective: z.object({
      id: z.int(),
      stopReason: z.literal(Object.values(StopReason)).describe('0 RUNNING, 1 SATISFIED, 2 STOPPED, 3 EXHAUSTED.'),
      attemptCount: z.int(),
      optimalInverseId: z.int().nullable(),
    }),
  })
  .meta({ id: 'CorrectedInverse' });

export function presentCorrectedInverse(corrected: CorrectedInverse): z.infer<typeof correctedInverseSchema> {
  const { id, stopReason, attemptCount, optimalInverseId } = corrected.objective;
  return {
    correction: corrected.correction && presentCorrection(corrected.correction),
    inverse: presentInverse(corrected),
    objective: { id, stopReason, attemptCount, optimalInverseId },
  };
}

export const correctedCaseSchema = z
  .object({
    correction: loggedCorrection,
    number: z.int().describe('1 for the first case.'),
    input: z.array(z.number()),
    ...resultFields,
  })
  .meta({ id: 'CorrectedCase' });

export function presentCorrectedCase(corrected: CorrectedCase): z.infer<typeof correctedCaseSchema> {
  const { correction, number, input, result } = corrected;
  return {
    correction: correction && presentCorrection(correction),
    number,
    input: [...input],
    ...presentRunResult(result),
  };
}
