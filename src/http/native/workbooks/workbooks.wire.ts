import { z } from 'zod';
import { LONGEST_CELL, type SurveyedWorkbook, type Workbook } from '../../../domain/workbooks/workbook.ts';
import { bodyOf } from '../../body/spec.ts';
import { nameSchema, textSchema, timestamp, toTimestamp } from '../../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH } from '../../wire/limits.ts';

const cellText = textSchema({ minimum: 1, maximum: LONGEST_CELL });

export const newWorkbook = bodyOf(
  z
    .strictObject({
      name: nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH }).describe('The name of the file.'),
      content: z
        .base64('must be the file in base64.')
        .min(1, 'must be the file in base64.')
        .describe('The file, .xlsx, in base64.'),
    })
    .meta({ id: 'NewWorkbook', examples: [{ name: 'bridge.xlsx', content: 'UEsDBBQAAAAI' }] }),
  { size: 'workbook' },
);

const chosen = (what: string) =>
  z.record(textSchema({ minimum: 1, maximum: 64 }), cellText).describe(`The cells of the ${what}, by name.`);

export const cellChoice = bodyOf(
  z
    .strictObject({ inputs: chosen('inputs'), outputs: chosen('outputs') })
    .meta({ id: 'NewCellChoice', examples: [{ inputs: { span: 'Sheet1!B3' }, outputs: { sag: 'Sheet1!B9' } }] }),
  { size: 'vectors' },
);

export const cellValues = bodyOf(
  z
    .strictObject({ values: z.record(cellText, z.number()).describe('Numbers by cell.') })
    .meta({ id: 'NewCellValues', examples: [{ values: { 'Sheet1!B3': 4.5 } }] }),
  { size: 'vectors' },
);

const sheetCell = z.object({
  cell: z.string().describe('Such as Sheet1!B3.'),
  name: z.string().nullable().describe('The name of the cell in the workbook.'),
  label: z.string().nullable().describe('The nearest text to its left, or above it.'),
  value: z.number().nullable().describe('As the file was saved.'),
});

const workbookFields = { id: z.int(), name: z.string(), bytes: z.int(), createdAt: timestamp };

export const workbookSchema = z.object(workbookFields).meta({ id: 'Workbook' });

export const surveyedWorkbookSchema = z
  .object({
    ...workbookFields,
    inputs: z.array(sheetCell).describe('Cells with numbers, those with names first; at most 400.'),
    outputs: z.array(sheetCell).describe('Cells with formulas, those with names first; at most 400.'),
  })
  .meta({ id: 'SurveyedWorkbook' });

export const checkedCellsSchema = z
  .object({
    faults: z
      .array(
        z.object({
          side: z.enum(['inputs', 'outputs']),
          name: z.string().describe('The name of the input or output; empty where none is to blame.'),
          message: z.string(),
        }),
      )
      .describe('Empty: the service can calculate the outputs from the inputs.'),
    notes: z.array(z.string()),
    outputs: z
      .record(z.string(), z.union([z.number(), z.string()]))
      .describe('As the file is; a text says why an output has no number.'),
  })
  .meta({ id: 'CheckedCells' });

export const workbookFileSchema = z
  .object({ name: z.string(), content: z.string().describe('The file in base64.') })
  .meta({ id: 'WorkbookFile' });

export function presentWorkbook({ id, name, bytes, createdAt }: Workbook): z.infer<typeof workbookSchema> {
  return { id, name, bytes, createdAt: toTimestamp(createdAt) };
}

export function presentSurveyedWorkbook(workbook: SurveyedWorkbook): z.infer<typeof surveyedWorkbookSchema> {
  const { inputs, outputs } = workbook.cells;
  return { ...presentWorkbook(workbook), inputs: [...inputs], outputs: [...outputs] };
}
