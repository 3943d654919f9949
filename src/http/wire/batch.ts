/** A batch, as both its own operations and events show it. */
import { z } from 'zod';
import { BatchStatus, type BatchWithProgress, type Evaluator } from '../../domain/batches/batch.ts';
import { timestamp, toOptionalTimestamp, toTimestamp } from './fields.ts';

export const batchStatus = z.enum(Object.values(BatchStatus));

const shownEvaluator = z.union([
  z.object({ kind: z.literal('pull') }),
  z.object({
    kind: z.literal('http'),
    url: z.string(),
    timeoutSeconds: z.int().nullable(),
    concurrency: z.int().nullable(),
  }),
  z.object({
    kind: z.literal('workbook'),
    workbookId: z.int(),
    inputs: z.array(z.string()).describe('A cell for each input of the project.'),
    outputs: z.array(z.string()).describe('A cell for each output.'),
  }),
]);

const batchFields = {
  id: z.int(),
  modelId: z.int(),
  projectId: z.int(),
  trialId: z.int().nullable().describe('null until the designed cases are evaluated.'),
  name: z.string().nullable(),
  status: batchStatus.describe(
    'evaluating-cases, then solving, then completed. failed: failureReason says why. cancelled: by a client, or with its project.',
  ),
  isPaused: z.boolean().describe('While true nothing is handed out.'),
  parallelism: z.int(),
  evaluator: shownEvaluator,
  timeoutSeconds: z.int(),
  maximumTries: z.int(),
  maximumLosses: z.int(),
  stopAfterFailures: z.int(),
  progress: z.object({
    cases: z
      .object({ planned: z.int(), done: z.int(), failed: z.int() })
      .describe('Designed cases; all 0 in a batch of a given trial.'),
    objectives: z
      .object({
        planned: z.int().describe('All of them.'),
        running: z.int(),
        satisfied: z.int(),
        stopped: z.int(),
        exhausted: z.int(),
        failed: z.int().describe('The number that could not be loaded.'),
      })
      .describe('Objectives that are not counted have not begun.'),
    evaluations: z.object({
      waiting: z.int(),
      leased: z.int(),
      done: z.int(),
      failed: z.int(),
      cancelled: z.int(),
    }),
  }),
  failureReason: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  finishedAt: timestamp.nullable(),
};

export const batchSchema = z.object(batchFields).meta({ id: 'Batch' });

function presentEvaluator(evaluator: Evaluator): z.infer<typeof shownEvaluator> {
  if (evaluator.kind !== 'workbook') return { ...evaluator };
  const { concurrency: _, inputs, outputs, ...shown } = evaluator;
  return { ...shown, inputs: [...inputs], outputs: [...outputs] };
}

export function presentBatch(batch: BatchWithProgress): z.infer<typeof batchSchema> {
  const { outputCount: _, createdAt, updatedAt, finishedAt, evaluator, progress, ...fields } = batch;
  return {
    ...fields,
    evaluator: presentEvaluator(evaluator),
    progress: { ...progress },
    createdAt: toTimestamp(createdAt),
    updatedAt: toTimestamp(updatedAt),
    finishedAt: toOptionalTimestamp(finishedAt),
  };
}
