/** Iterations of an objective as rows of CSV or lines of JSON. */
import { z } from 'zod';
import type { HistoryRow, RunTable } from '../../application/search/read-history.ts';
import { makeVerdict } from '../../domain/acceptance.ts';
import { type RowColumn, toCaseColumns } from '../../domain/case-columns.ts';
import { InverseStatus } from '../../domain/inverse.ts';
import { mapBatches } from '../answer/json-array.ts';
import type { ExportedRow, RowTable } from '../answer/rows.ts';
import type { AnswerSpec } from '../operation.ts';
import { MEDIA_TYPES } from '../wire/formats.ts';

const BEFORE = ['iteration', 'status'] as const satisfies readonly RowColumn[];
const AFTER = ['failureReason', 'excluded'] as const satisfies readonly RowColumn[];

const byName = (values: z.ZodType) => z.record(z.string(), values).nullable();

export const runLineSchema = z
  .object({
    iteration: z.int(),
    status: z.enum(Object.values(InverseStatus)),
    input: byName(z.union([z.number(), z.string(), z.boolean()])).describe('By name, categories by theirs.'),
    output: byName(z.number()).describe('By name; null until it is loaded, and after a failed run.'),
    met: byName(z.boolean()).describe('Whether each output meets its objective; null without an output.'),
    failureReason: z.string().nullable(),
    excluded: z.boolean(),
  })
  .meta({ id: 'RunLine' });

/** For the answer 200 of an operation that offers the rows besides JSON. */
export const runTypes: NonNullable<AnswerSpec['otherTypes']> = {
  [MEDIA_TYPES.csv]: z
    .string()
    .describe(
      'RFC 4180 with a header: the inputs and the outputs, each titled by name and unit, then iteration, status, met: with the name of each output, failureReason, excluded.',
    ),
  [MEDIA_TYPES.ndjson]: runLineSchema,
};

export function toRunTable({ objective, columns, batches }: RunTable): RowTable {
  const judge = makeVerdict(objective);
  return {
    columns: toCaseColumns(columns),
    before: BEFORE,
    after: AFTER,
    hasVerdicts: true,
    batches: mapBatches(batches, (row) => toRow(row, judge)),
  };
}

function toRow(row: HistoryRow, judge: ReturnType<typeof makeVerdict>): ExportedRow {
  const { input, output } = row;
  return {
    input,
    output,
    facts: [row.iteration, row.status, row.failureReason, row.isExcluded],
    met: output === null ? null : judge(output.split(',').map(Number)),
  };
}
