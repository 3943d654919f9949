/** The cases of a trial as rows of CSV or lines of JSON. */
import { z } from 'zod';
import type { TrialCasePage } from '../../../application/data/read-trial-cases.ts';
import { COMPLETED_ROW, FAILED_ROW, type RowColumn, toCaseColumns } from '../../../domain/data/case-columns.ts';
import type { TrialCase } from '../../../domain/data/trial-cases.ts';
import { mapBatches } from '../../answer/json-array.ts';
import { derivativeCells, derivativeTitles, type ExportedRow, type RowTable } from '../../answer/row-table.ts';
import type { AnswerSpec } from '../../operation/operation.ts';
import { MEDIA_TYPES, workbookSchema } from '../../wire/formats.ts';

const BEFORE = ['number', 'status'] as const satisfies readonly RowColumn[];
const AFTER = ['excluded'] as const satisfies readonly RowColumn[];

export const trialCaseLineSchema = z
  .object({
    number: z.int(),
    status: z.enum([COMPLETED_ROW, FAILED_ROW]),
    input: z
      .record(z.string(), z.union([z.number(), z.string(), z.boolean()]))
      .describe('By name, categories by theirs.'),
    output: z.record(z.string(), z.number()).nullable().describe('By name; null if the run failed.'),
    excluded: z.boolean(),
  })
  .meta({ id: 'TrialCaseLine' });

export const trialCaseTypes: NonNullable<AnswerSpec['otherTypes']> = {
  [MEDIA_TYPES.csv]: z
    .string()
    .describe(
      'RFC 4180 with a header: the inputs and the outputs, each titled by name and unit, then number, status, excluded. POST to the same path loads it again.',
    ),
  [MEDIA_TYPES.ndjson]: trialCaseLineSchema,
  [MEDIA_TYPES.xlsx]: workbookSchema,
};

export function toTrialCaseTable({ project, set, batches }: TrialCasePage, withDerivatives = false): RowTable {
  const columns = toCaseColumns({ ...project, ...project.names, outputCount: set.outputCount });
  const derivatives = withDerivatives ? derivativeTitles(columns) : [];
  return {
    columns,
    before: BEFORE,
    after: [...AFTER, ...derivatives],
    hasVerdicts: false,
    batches: mapBatches(batches, (one) => toRow(one, derivatives)),
  };
}

function toRow(
  { number, input, output, jacobian, isExcluded }: TrialCase,
  derivatives: readonly string[],
): ExportedRow {
  const status = output === null ? FAILED_ROW : COMPLETED_ROW;
  return { input, output, facts: [number, status, isExcluded, ...derivativeCells(derivatives, jacobian)], met: null };
}
