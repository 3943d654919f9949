import { z } from 'zod';
import type { CreatedBatch } from '../../../application/batches/create-batch.ts';
import {
  type Evaluator,
  LARGEST_PARALLELISM,
  MAXIMUM_BATCH_OBJECTIVES,
  type NewBatch,
} from '../../../domain/batches/batch.ts';
import { describeWrongType, LISTED_VIOLATIONS, makeViolation, type Violation, within } from '../../../domain/errors.ts';
import { refTerm } from '../../../domain/messages.ts';
import type { NewObjective } from '../../../domain/search/objective.ts';
import { LONGEST_CELL } from '../../../domain/workbooks/workbook.ts';
import { type BodySpec, bodyOf, type SentFields } from '../../body/spec.ts';
import { batchSchema, presentBatch } from '../../wire/batch.ts';
import { nameSchema, textSchema } from '../../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH, MAXIMUM_OUTPUT_COUNT, MAXIMUM_TEXT_LENGTH } from '../../wire/limits.ts';
import { type Parsed, readFields } from '../../wire/violations.ts';
import { newObjectives } from '../search/new-objective.wire.ts';

const name = nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH });
const parallelism = z.int().min(1).max(LARGEST_PARALLELISM);
/** Two weeks; a timer takes at most 24 days. */
const LONGEST_TIMEOUT_SECONDS = 14 * 86_400;
const timeoutSeconds = z.int().min(1).max(LONGEST_TIMEOUT_SECONDS);

const cellList = (what: string) =>
  z
    .array(textSchema({ minimum: 1, maximum: LONGEST_CELL }))
    .min(1)
    .max(MAXIMUM_OUTPUT_COUNT)
    .describe(`A cell, such as Sheet1!B3, or a name of the workbook, for each ${what} of the project.`);

const evaluator = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('pull') }),
      z.strictObject({
        kind: z.literal('http'),
        url: textSchema({ minimum: 1, maximum: MAXIMUM_TEXT_LENGTH }).meta({ format: 'uri' }),
        timeoutSeconds: timeoutSeconds
          .nullish()
          .transform((seconds) => seconds ?? null)
          .describe('How long a call may take; default: timeoutSeconds of the batch.'),
        concurrency: z
          .int()
          .min(1)
          .max(LARGEST_PARALLELISM)
          .nullish()
          .transform((count) => count ?? null)
          .describe('The maximum number of calls at the same time; default: one for each open evaluation.'),
      }),
      z
        .strictObject({
          kind: z.literal('workbook'),
          workbookId: z.int().min(1),
          inputs: cellList('input'),
          outputs: cellList('output'),
        })
        .transform((one) => ({ ...one, concurrency: 1 as const })),
    ],
    {
      error:
        'must be {"kind": "pull"}, {"kind": "http", "url": "https://..."}, or {"kind": "workbook", "workbookId": 7, ...}.',
    },
  )
  .describe(
    'pull: evaluators claim evaluations. http: the service posts each to the URL, signed as webhooks are. workbook: the service calculates an uploaded workbook, one run after another.',
  );

const counted = (fallback: number, maximum: number) =>
  z
    .int()
    .min(1)
    .max(maximum)
    .nullish()
    .transform((count) => count ?? fallback);

const definitions = z
  .array(newObjectives.schema)
  .min(1)
  .max(MAXIMUM_BATCH_OBJECTIVES)
  .describe(
    'Each as in loadObjectives. They are worked through in this order. parallelism, if stated, is the maximum number of inverses of the objective that the batch keeps open at the same time.',
  );

const newBatchSchema = z
  .strictObject({
    name: name.nullish().transform((text) => text ?? null),
    objectives: definitions,
    trialId: z
      .int()
      .min(1)
      .nullish()
      .transform((id) => id ?? null)
      .describe('A trial of the project. Default: the designed cases are evaluated first and make a trial.'),
    parallelism: counted(4, LARGEST_PARALLELISM).describe(
      'How many evaluations of inverses are open at the same time; default: 4.',
    ),
    evaluator: evaluator.nullish().transform((one): Evaluator => one ?? { kind: 'pull' }),
    timeoutSeconds: counted(3_600, LONGEST_TIMEOUT_SECONDS).describe(
      'How long one evaluation may take, from its claim; default: 3600.',
    ),
    maximumTries: counted(3, 100).describe('Failures after which an evaluation is not retried; default: 3.'),
    maximumLosses: counted(5, 100).describe('Lost leases after which an evaluation is not retried; default: 5.'),
    stopAfterFailures: counted(20, 1_000).describe(
      'Failed evaluations in a row after which the batch fails; default: 20.',
    ),
  })
  .meta({
    id: 'NewBatch',
    examples: [
      {
        name: 'Night shift',
        objectives: [{ objectives: [1.6, 20], objectiveTypes: ['lessthan_equal', 'lessthan_equal'] }],
        parallelism: 4,
      },
    ],
  });

function readNewBatch(body: SentFields): Parsed<NewBatch> {
  const { fields, violations } = readFields(newBatchSchema, body, ['objectives']);
  const { objectives, violations: wrong } = readDefinitions(body['objectives']);
  const all = [...violations, ...wrong];
  if (all.length > 0) return { kind: 'violations', violations: all };
  return { kind: 'value', value: { ...(fields as Omit<NewBatch, 'objectives'>), objectives } };
}

function readDefinitions(sent: unknown): {
  readonly objectives: readonly NewObjective[];
  readonly violations: readonly Violation[];
} {
  const refused = (message: string) => ({ objectives: [], violations: [makeViolation(['objectives'], message)] });
  if (!Array.isArray(sent)) return refused(describeWrongType('an array', sent));
  if (sent.length < 1 || sent.length > MAXIMUM_BATCH_OBJECTIVES) {
    return refused(
      `must have 1 to ${MAXIMUM_BATCH_OBJECTIVES} ${refTerm('target sets', 'objectives')}, has ${sent.length}.`,
    );
  }
  const objectives: NewObjective[] = [];
  const violations: Violation[] = [];
  for (const [i, one] of sent.entries()) {
    if (violations.length >= LISTED_VIOLATIONS) break;
    const read = readDefinition(one);
    if (read.kind === 'value') objectives.push(read.value);
    else violations.push(...within(['objectives', i], read.violations));
  }
  return { objectives, violations };
}

function readDefinition(sent: unknown): Parsed<NewObjective> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return { kind: 'violations', violations: [makeViolation([], describeWrongType('a JSON object', sent))] };
  }
  const read = newObjectives.read(sent as SentFields);
  if (read.kind === 'violations' || (sent as SentFields)['parallelism'] != null) return read;
  // The batch decides unless the definition does.
  const { parallelism: _, ...value } = read.value;
  return { kind: 'value', value };
}

function countNumbers(objectives: readonly NewObjective[]): number {
  return objectives.reduce((sum, one) => sum + 4 * one.objectives.length + 16, 0);
}

/** A thousand objectives take more than any body without cases. */
export const newBatch: BodySpec<NewBatch> = {
  schema: newBatchSchema,
  size: 'cases',
  hasNamedRows: true,
  read: readNewBatch,
  countNumbers: ({ objectives }) => countNumbers(objectives),
};

const addedSchema = z.strictObject({ objectives: definitions }).meta({
  id: 'NewBatchObjectives',
  examples: [{ objectives: [{ objectives: [1.5, 20], objectiveTypes: ['lessthan_equal', 'lessthan_equal'] }] }],
});

export const newBatchObjectives: BodySpec<{ readonly objectives: readonly NewObjective[] }> = {
  schema: addedSchema,
  size: 'cases',
  hasNamedRows: true,
  read: (body) => {
    const { violations } = readFields(addedSchema, body, ['objectives']);
    const { objectives, violations: wrong } = readDefinitions(body['objectives']);
    const all = [...violations, ...wrong];
    return all.length > 0 ? { kind: 'violations', violations: all } : { kind: 'value', value: { objectives } };
  },
  countNumbers: ({ objectives }) => countNumbers(objectives),
};

export const batchPatch = bodyOf(
  z
    .strictObject({ name: name.nullable().optional(), parallelism: parallelism.optional() })
    .meta({ id: 'BatchPatch', examples: [{ parallelism: 8 }] }),
);

export const createdBatchSchema = z
  .object({
    ...batchSchema.shape,
    secret: z
      .string()
      .optional()
      .describe('The secret of an http evaluator, which verifies the signatures of its calls; never shown again.'),
  })
  .meta({ id: 'CreatedBatch' });

export function presentCreatedBatch({ batch, secret }: CreatedBatch): z.infer<typeof createdBatchSchema> {
  return { ...presentBatch(batch), ...(secret !== null && { secret }) };
}
