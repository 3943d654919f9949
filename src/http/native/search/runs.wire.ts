/** Runs of an objective as rows of CSV or lines of JSON. */
import { z } from 'zod';
import type { HistoryRow, RunTable } from '../../../application/search/read-history.ts';
import { titleOfRow, toCaseColumns } from '../../../domain/data/case-columns.ts';
import { RUN_VIEWS, sentName } from '../../../domain/data/run-fields.ts';
import { makeVerdict } from '../../../domain/search/acceptance.ts';
import { mapBatches } from '../../answer/json-array.ts';
import { derivativeCells, derivativeTitles, type ExportedRow, type RowTable } from '../../answer/row-table.ts';
import type { AnswerSpec } from '../../operation/operation.ts';
import { MEDIA_TYPES, workbookSchema } from '../../wire/formats.ts';
import { presentFacts, runShape } from '../data/run-fields.wire.ts';

const { before } = RUN_VIEWS;
const after = [...RUN_VIEWS.after, ...RUN_VIEWS.last] as const;

const byName = (values: z.ZodType) => z.record(z.string(), values).nullable();

export const runLineSchema = z
  .object({
    ...runShape(before, true),
    input: byName(z.union([z.number(), z.string(), z.boolean()])).describe('By name, categories by theirs.'),
    output: byName(z.number()).describe('By name; null until it is loaded, and after a failed run.'),
    met: byName(z.boolean()).describe('Whether each output meets its objective; null without an output.'),
    ...runShape(after, true),
  })
  .meta({ id: 'RunLine' });

/** For the answer 200 of an operation that offers the rows besides JSON. */
export const runTypes: NonNullable<AnswerSpec['otherTypes']> = {
  [MEDIA_TYPES.csv]: z
    .string()
    .describe(
      `RFC 4180 with a header: the inputs and the outputs, each titled by name and unit, then ${before.map(sentName).map(titleOfRow).join(', ')}, met: with the name of each output, ${after.map(sentName).join(', ')}.`,
    ),
  [MEDIA_TYPES.ndjson]: runLineSchema,
  [MEDIA_TYPES.xlsx]: workbookSchema,
};

export function toRunTable({ objective, columns: stated, batches }: RunTable, withDerivatives: boolean): RowTable {
  const judge = makeVerdict(objective);
  const columns = toCaseColumns(stated);
  const derivatives = withDerivatives ? derivativeTitles(columns) : [];
  return {
    columns,
    before: before.map(sentName),
    after: [...after.map(sentName), ...derivatives],
    hasVerdicts: true,
    batches: mapBatches(batches, (row) => toRow(row, judge, derivatives)),
  };
}

function toRow(row: HistoryRow, judge: ReturnType<typeof makeVerdict>, derivatives: readonly string[]): ExportedRow {
  const { input, output } = row;
  return {
    input,
    output,
    facts: [...presentFacts([...before, ...after], row), ...derivativeCells(derivatives, row.jacobian ?? null)],
    // Runs of cheaper sources meet nothing.
    met: output === null || row.sourceName !== null ? null : judge(output.split(',').map(Number)),
  };
}
