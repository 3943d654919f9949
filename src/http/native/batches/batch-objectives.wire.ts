/** The objectives of a batch with the answer of each. */
import { z } from 'zod';
import type { BatchObjective, BatchObjectives } from '../../../application/batches/read-batches.ts';
import { StopReason } from '../../../domain/search/stop-reason.ts';
import { mapBatches } from '../../answer/json-array.ts';
import type { ExportedRow, RowTable } from '../../answer/row-table.ts';
import type { AnswerSpec } from '../../operation/operation.ts';
import { MEDIA_TYPES, workbookSchema } from '../../wire/formats.ts';
import { inputByNameSchema, presentInputByName } from '../problem/by-name.wire.ts';
import { answerSchema, presentAnswer } from '../search/answer.wire.ts';

const STOP_REASONS = {
  [StopReason.running]: 'RUNNING',
  [StopReason.satisfied]: 'SATISFIED',
  [StopReason.stopped]: 'STOPPED',
  [StopReason.exhausted]: 'EXHAUSTED',
} as const satisfies Record<StopReason, string>;

const factFields = {
  position: z.int().describe('1 for the first objective of the batch.'),
  objectiveId: z.int().nullable().describe('null until its time has come.'),
  stopReason: z.enum(Object.values(STOP_REASONS)).nullable().describe('null while there is no objective.'),
  attemptCount: z.int().describe('Inverses suggested so far.'),
  completedCount: z.int().describe('Those of them that were completed or given up.'),
  satisfied: z.boolean(),
  worstMiss: z
    .number()
    .nullable()
    .describe('The worst miss of the answer, in units of its tolerance; 0 when everything is satisfied.'),
  failureReason: z.string().nullable().describe('Why the objective could not be loaded, or why the batch stopped it.'),
};

export const batchObjectiveSchema = z
  .object({
    ...factFields,
    bestInput: z.array(z.number()).nullable().describe('The input of the answer.'),
    bestInputByName: inputByNameSchema,
    bestOutput: z.array(z.number()).nullable(),
    answer: answerSchema
      .optional()
      .describe('As of the objective, with the same input and output; absent while there is none.'),
  })
  .meta({ id: 'BatchObjective' });

const byName = (values: z.ZodType) => z.record(z.string(), values).nullable();

const batchObjectiveLine = z
  .object({
    position: factFields.position,
    objectiveId: factFields.objectiveId,
    stopReason: factFields.stopReason,
    attemptCount: factFields.attemptCount,
    completedCount: factFields.completedCount,
    satisfied: factFields.satisfied,
    input: byName(z.union([z.number(), z.string(), z.boolean()])).describe('The input of the answer, by name.'),
    output: byName(z.number()).describe('The output of the answer, by name.'),
    worstMiss: factFields.worstMiss,
    failureReason: factFields.failureReason,
  })
  .meta({ id: 'BatchObjectiveLine' });

/** For the answer 200 of the operation that offers the rows besides JSON. */
export const batchObjectiveTypes: NonNullable<AnswerSpec['otherTypes']> = {
  [MEDIA_TYPES.csv]: z
    .string()
    .describe(
      'RFC 4180 with a header: the inputs and the outputs of the answer, each titled by name and unit, then position, objectiveId, stopReason, attemptCount, completedCount, satisfied, worstMiss, failureReason.',
    ),
  [MEDIA_TYPES.ndjson]: batchObjectiveLine,
  [MEDIA_TYPES.xlsx]: workbookSchema,
};

export function presentBatchObjective(row: BatchObjective): z.infer<typeof batchObjectiveSchema> {
  const { answer: best, objective } = row;
  const { inputByName } = presentInputByName(objective?.labels ?? null, best?.input ?? null) as {
    inputByName?: z.infer<typeof inputByNameSchema>;
  };
  return {
    ...factsOf(row),
    bestInput: best && [...best.input],
    ...(inputByName !== undefined && { bestInputByName: inputByName }),
    bestOutput: best && [...best.output],
    ...(best && objective && { answer: presentAnswer(best, objective) }),
  };
}

function factsOf({ position, objectiveId, objective, completedCount, answer: best, failureReason }: BatchObjective) {
  return {
    position,
    objectiveId,
    stopReason: objective && STOP_REASONS[objective.stopReason],
    attemptCount: objective?.attemptCount ?? 0,
    completedCount,
    satisfied: objective?.stopReason === StopReason.satisfied,
    worstMiss: best && Math.max(...best.misses),
    failureReason,
  };
}

const BEFORE = ['position', 'objectiveId', 'stopReason', 'attemptCount', 'completedCount', 'satisfied'] as const;
const AFTER = ['worstMiss', 'failureReason'] as const;

export function toBatchObjectiveTable({ columns, batches }: BatchObjectives): RowTable {
  return {
    columns,
    before: BEFORE,
    after: AFTER,
    hasVerdicts: false,
    batches: mapBatches(batches, (row): ExportedRow => {
      const facts = factsOf(row);
      return {
        input: row.answer?.input ?? null,
        output: row.answer?.output ?? null,
        facts: [...BEFORE, ...AFTER].map((name) => facts[name]),
        met: null,
      };
    }),
  };
}
