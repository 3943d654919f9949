/** Texts that spreadsheets would run as formulas, written as the service writes and reads them (src/domain/data/case-columns.ts). */

const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** With an apostrophe before a text that a spreadsheet would run. */
export function guardText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Undoes guardText. */
export function unguardText(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell;
}
