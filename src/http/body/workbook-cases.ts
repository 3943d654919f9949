/**
 * From the bytes of a workbook (.xlsx) to a table of cases, as from a CSV file. Its cells must be in one sheet; formulas count with the
 * values that they had when it was saved.
 */
import type { CaseTable } from '../../domain/data/case-table.ts';
import { makeViolation, type Violation } from '../../domain/errors.ts';
import type { Parsed } from '../wire/violations.ts';
import { CellReader, ReadingEnded } from './csv-text.ts';
import type { ParsedText } from './json-text.ts';

/** Size limit of all parts of the file; its cells take several times as much as in a CSV file. */
const MAXIMUM_UNPACKED_BYTES = 100 * 1024 * 1024;
/** Sheets that are looked at. */
const MAXIMUM_SHEETS = 50;
const ERROR_VALUE = /^#(?:DIV\/0!|N\/A|NAME\?|NULL!|NUM!|REF!|VALUE!|SPILL!|CALC!|GETTING_DATA)$/;
const SHEET_FILE = /^xl\/worksheets\/[^/]+\.xml$/i;

type Reading = ParsedText<Parsed<CaseTable>>;
type CellValue = string | number | boolean | Date | null;

/** @param values  the most cells */
export async function parseWorkbook(bytes: Uint8Array, { values }: { readonly values: number }): Promise<Reading> {
  const unreadable = (message: string): Reading => ({ kind: 'unreadable', message });
  const { streamXlsxRows } = await import('hucre/xlsx');
  const { unzipSync } = await import('fflate');
  let unpacked = 0;
  let sheets = 0;
  try {
    // Only lists the files: none is unpacked.
    unzipSync(bytes, {
      filter: ({ name, size, originalSize }) => {
        // A file of another length than it states is refused when it is read, but not one that states none.
        unpacked += originalSize === 0 && size > 2 ? Number.POSITIVE_INFINITY : originalSize;
        sheets += Number(SHEET_FILE.test(name));
        return false;
      },
    });
    if (sheets === 0) return unreadable(NO_WORKBOOK);
    if (unpacked > MAXIMUM_UNPACKED_BYTES) {
      return unreadable(
        `The workbook must not unpack to more than ${MAXIMUM_UNPACKED_BYTES} bytes; save its cells as CSV.`,
      );
    }
    let read: CellReader | undefined;
    for (let sheet = 0; sheet < Math.min(sheets, MAXIMUM_SHEETS); sheet++) {
      const reader = new CellReader('.', 'workbook');
      const isFull = await readSheet(streamXlsxRows(bytes, { sheet }), reader, values);
      if (!isFull) continue;
      if (read !== undefined) {
        return unreadable(
          'The workbook has cells in several sheets; save the sheet with the cases as a workbook of its own.',
        );
      }
      read = reader;
    }
    return { kind: 'value', value: (read ?? new CellReader('.', 'workbook')).finish() };
  } catch (error) {
    if (error instanceof TooManyCells) return unreadable(`The workbook must have at most ${values} cells.`);
    if ((error as Error).name === 'EncryptedFileError') {
      return unreadable('The workbook has a password; save it without one, or as CSV.');
    }
    return unreadable(NO_WORKBOOK);
  }
}

const NO_WORKBOOK =
  'The file is not a workbook (.xlsx) that can be read; open it in a spreadsheet and save it as .xlsx or CSV.';

class TooManyCells extends Error {}

/** Whether the sheet has a cell with a value. */
async function readSheet(
  rows: AsyncIterable<{ readonly index: number; readonly values: readonly CellValue[] }>,
  reader: CellReader,
  most: number,
): Promise<boolean> {
  let width = 0;
  let cells = 0;
  let isFull = false;
  try {
    for await (const { index, values } of rows) {
      const line = index + 1;
      const texts = values.map((value, column) => textOf(value, `${letters(column)}${line}`, reader));
      while (texts.at(-1) === '') texts.pop();
      if (texts.length === 0) continue;
      isFull = true;
      if (width === 0) width = texts.length;
      cells += Math.max(width, texts.length);
      if (cells > most) throw new TooManyCells();
      // Empty cells at the end of a row are left out of the file.
      while (texts.length < width) texts.push('');
      reader.read(texts, line);
    }
  } catch (error) {
    if (!(error instanceof ReadingEnded)) throw error;
  }
  return isFull;
}

function textOf(value: CellValue, cell: string, reader: CellReader): string {
  if (value === null) return '';
  if (value instanceof Date) reader.refuse(faultOf(cell, 'is a date or a time; write a number or a name.'));
  else if (typeof value !== 'string') return String(value);
  else if (ERROR_VALUE.test(value))
    reader.refuse(faultOf(cell, `is an error (${value}); correct it or empty the cell.`));
  else return value.trim();
  return '';
}

function faultOf(cell: string, message: string): Violation {
  return { ...makeViolation([cell], message), property: `cell ${cell}` };
}

/** The name of a column: A to Z, then AA. */
function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : `${letters(Math.floor(column / 26) - 1)}${last}`;
}
