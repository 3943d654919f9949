import { z } from 'zod';
import type { Measurement } from '../../../application/search/record-output.ts';
import type { SuggestedInverses } from '../../../application/search/suggest-inverses.ts';
import { type InverseView, viewOf } from '../../../application/views.ts';
import { RUN_VIEWS } from '../../../domain/data/run-fields.ts';
import { makeViolation, type Violation } from '../../../domain/errors.ts';
import { isByName } from '../../../domain/problem/names.ts';
import { surprisesOf } from '../../../domain/search/expectation.ts';
import type { Inverse } from '../../../domain/search/inverse.ts';
import { LARGEST_PARALLELISM, type Objective } from '../../../domain/search/objective.ts';
import { type BodySpec, bodyOf, type SentFields } from '../../body/spec.ts';
import { textSchema } from '../../wire/fields.ts';
import { MAXIMUM_OUTPUT_COUNT, MAXIMUM_TEXT_LENGTH } from '../../wire/limits.ts';
import { JACOBIAN_DESCRIPTION, jacobianSchema, vectorSchema } from '../../wire/vectors.ts';
import { type Parsed, readFields, withoutRepeats } from '../../wire/violations.ts';
import { presentRun, runShape } from '../data/run-fields.wire.ts';

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
    jacobian: jacobianSchema.optional().describe(JACOBIAN_DESCRIPTION),
    failed: z.boolean().optional().describe('true, instead of an output, if the run failed.'),
    reason: textSchema({ minimum: 0, maximum: MAXIMUM_TEXT_LENGTH }).nullish().describe('Why the run failed.'),
  })
  .meta({ id: 'NewInverseOutput', examples: [{ output: [1.62, 19.1] }, { failed: true, reason: 'mesh collapsed' }] });

/** Either an output or a failure: not both, and not neither. */
function readInverseOutput(body: SentFields): Parsed<Measurement> {
  const byName = isByName(body.output) ? body.output : undefined;
  const { fields, violations: invalid } = readFields(newInverseOutputSchema, body, byName ? ['output'] : []);
  const { output = byName && [], computeTime = null, jacobian = null, failed = false, reason = null } = fields;
  const hasOutput = body.output !== undefined;
  const others: Violation[] = [];
  if (failed && hasOutput) others.push(makeViolation(['output'], 'must be left out when failed is true.'));
  if (failed && jacobian !== null) others.push(makeViolation(['jacobian'], 'must be left out when failed is true.'));
  if (!failed && !hasOutput) {
    others.push(makeViolation(['output'], 'is required: send an array of numbers, or failed: true with a reason.'));
  }
  const violations = withoutRepeats(invalid, others);
  if (violations.length > 0) return { kind: 'violations', violations };
  if (output === undefined) return { kind: 'value', value: { kind: 'failed', reason } };
  const computeTimeNs = computeTime === null ? null : Math.round(computeTime);
  return {
    kind: 'value',
    value: { kind: 'output', output, computeTimeNs, sentJacobian: jacobian, ...(byName && { byName }) },
  };
}

export const newInverseOutput: BodySpec<Measurement> = { schema: newInverseOutputSchema, read: readInverseOutput };

export const suggestionSchema = z.object(runShape(RUN_VIEWS.suggestion)).meta({ id: 'Suggestion' });

export const inverseSchema = z.object(runShape(RUN_VIEWS.inverse)).meta({ id: 'Inverse' });

const warningSchema = z
  .object({
    output: z.int().describe('Zero-based number of the output, as in results.'),
    name: z.string().nullable().describe('The name of the output; null if the project has no names.'),
    value: z.number().describe('As it was loaded and stored.'),
    expectedMinimum: z.number().nullable().describe('null where the model leaves this end open.'),
    expectedMaximum: z.number().nullable(),
    detail: z.string().describe('The same in words, with five digits. correctInverse corrects the output.'),
  })
  .meta({ id: 'OutputWarning' });

export const reportedInverseSchema = inverseSchema
  .extend({
    warnings: z
      .array(warningSchema)
      .describe('Outputs far outside what the model expected. They are stored anyway. Empty if there are none.'),
  })
  .meta({ id: 'ReportedInverse' });

export const embeddedInverseSchema = z.object(runShape(RUN_VIEWS.embedded)).meta({ id: 'EmbeddedInverse' });

const suggestionsSchema = z
  .strictObject({
    count: z
      .int()
      .min(1)
      .max(LARGEST_PARALLELISM)
      .nullish()
      .transform((count) => count ?? undefined)
      .describe('The maximum number of inputs; default: as many as may be open.'),
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
  return presentRun(RUN_VIEWS.suggestion, view);
}

/** An inverse on its own. */
export function presentInverse(view: InverseView): z.infer<typeof inverseSchema> {
  return presentRun(RUN_VIEWS.inverse, view);
}

/** An inverse as the answer to the report of its run. */
export function presentReportedInverse(view: InverseView): z.infer<typeof reportedInverseSchema> {
  return {
    ...presentInverse(view),
    warnings: presentWarnings(view.inverse, view.objective.labels?.outputNames ?? null),
  };
}

function presentWarnings(inverse: Inverse, outputNames: readonly string[] | null): z.infer<typeof warningSchema>[] {
  return surprisesOf(inverse).map(({ output, value, minimum, maximum }) => {
    const name = outputNames?.[output] ?? null;
    const what = `Output ${name ?? `y${output + 1}`} is ${short(value)}; the model expected ${describeRange(minimum, maximum)}.`;
    return {
      output,
      name,
      value,
      expectedMinimum: minimum,
      expectedMaximum: maximum,
      detail: `${what} It was stored. If it is wrong, correct the run.`,
    };
  });
}

function describeRange(minimum: number | null, maximum: number | null): string {
  if (minimum === null) return `at most ${short(maximum!)}`;
  return maximum === null ? `at least ${short(minimum)}` : `${short(minimum)} to ${short(maximum)}`;
}

/** Five significant digits: the fields of the warning have all. */
function short(value: number): string {
  return String(Number(value.toPrecision(5)));
}

/** An inverse among the inverses of its objective. */
export function presentEmbeddedInverse(objective: Objective, inverse: Inverse): z.infer<typeof embeddedInverseSchema> {
  return presentRun(RUN_VIEWS.embedded, viewOf(objective, inverse));
}
