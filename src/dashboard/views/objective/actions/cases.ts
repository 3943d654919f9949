/** Runs that were made elsewhere, as pasted rows or a file, made ready for the service. Needs no browser. */

import { counted } from '../../../../presentation/formats.ts';
import type { DecimalSign, Question } from '../../../parts/decimal-sign.ts';
import { toCsv } from '../../../parts/export.ts';
import { unguardText } from '../../../parts/formula.ts';
import { hasHeader, type Rows, readTable } from '../../../parts/paste.ts';
import { readNumber } from '../../../parts/read-number.ts';

export interface CaseFile {
  /** Titles of the columns, as pasted, or those that are assumed. */
  readonly header: readonly string[];
  /** Without a header the columns are taken as all inputs, then all outputs. */
  readonly hasHeader: boolean;
  /** Numbers have decimal points; everything else is as pasted. */
  readonly rows: Rows;
}

export type CasesRead =
  | { readonly file: CaseFile; readonly fault?: undefined; readonly question?: undefined }
  | { readonly file?: undefined; readonly fault: string; readonly question?: undefined }
  | { readonly file?: undefined; readonly fault?: undefined; readonly question: Question };

/**
 * The service judges names, units and values; here only what cannot be a table is refused.
 *
 * @param sign  the answer to the question that another call has returned
 */
export function readCases(
  text: string,
  inputs: readonly string[],
  outputs: readonly string[],
  sign?: DecimalSign,
): CasesRead {
  const names = [...inputs, ...outputs];
  const table = readTable(text, { width: names.length, sign });
  if (table.question !== undefined) return { question: table.question };
  const all = table.rows.filter((row) => row.some((cell) => cell !== ''));
  if (all.length === 0) return { fault: 'Paste rows, or choose a file.' };
  const isTitled = hasHeader(all) && all[0]!.length > 1;
  const header = isTitled ? all[0]!.map(unguardText) : names;
  const rows = isTitled ? all.slice(1) : all;
  if (rows.length === 0) return { fault: 'There are no rows below the header.' };
  const wrong = rows.findIndex((row) => row.length > header.length || (!isTitled && row.length < inputs.length));
  if (wrong >= 0) {
    const expected = `${header.length} are expected: ${header.slice(0, 8).join(', ')}${header.length > 8 ? ', …' : ''}`;
    return { fault: `Row ${wrong + 1} has ${counted(rows[wrong]!.length, 'cell')}; ${expected}.` };
  }
  // A spreadsheet leaves empty cells at the end of a row out: the outputs of a run that failed.
  const full = rows.map((row) => header.map((_, j) => plain(row[j] ?? '')));
  return { file: { header, hasHeader: isTitled, rows: full } };
}

function plain(cell: string): string {
  const { value } = readNumber(cell);
  return value === undefined ? unguardText(cell) : String(value);
}

/** The file as the service reads it. */
export function toFile({ header, rows }: CaseFile): string {
  return toCsv(
    header,
    rows.map((row) => row.map((cell) => numberOr(cell))),
  );
}

/** Numbers stay numbers, so that a minus sign is not taken for a formula. */
function numberOr(cell: string): string | number {
  return readNumber(cell).value ?? cell;
}
