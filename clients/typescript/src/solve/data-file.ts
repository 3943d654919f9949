/** Measured values in a CSV file. */
import { mergedIn } from './curve.ts';
import { readNumber } from './number-text.ts';
import { readColumns, TableError, type TableLayout, type TableRow } from './table.ts';

export interface DataColumns {
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** null unless its column is named. */
  readonly sigma: readonly number[] | null;
}

/**
 * Columns by their titles; NaN for an empty cell.
 *
 * @param file  what messages call it
 *
 * Throws RangeError that names the file, and the line, and the column of the first wrong cell.
 */
export function readDataColumns(
  text: string,
  file: string,
  names: { readonly x: string; readonly y: string; readonly sigma: string | null },
  layout: TableLayout = {},
): DataColumns {
  const wanted = Object.values(names).filter((name) => name !== null);
  const { rows, places } = atFile(file, () => readColumns(text, wanted, layout));
  const where = (row: TableRow, name: string) => `${file}, line ${row.line}: ${name}`;
  const column = (name: string) =>
    rows.map((row) => readCell(row.cells[places[wanted.indexOf(name)]!]!, where(row, name)));
  const [x, y] = [column(names.x), column(names.y)];
  const sigma = names.sigma === null ? null : column(names.sigma);
  const merged = mergedIn(
    rows.map((row) => row.cells[places[wanted.indexOf(names.x)]!]),
    x,
  );
  if (merged !== undefined) throw new RangeError(`${where(rows[merged.row - 1]!, names.x)} ${merged.reason}.`);
  for (const [i, row] of rows.entries()) {
    if (Number.isNaN(y[i])) continue;
    if (Number.isNaN(x[i])) throw new RangeError(`${where(row, names.x)} is empty, but ${names.y} is not.`);
    if (sigma === null || sigma[i]! > 0) continue;
    const found = Number.isNaN(sigma[i]) ? 'empty' : sigma[i];
    throw new RangeError(`${where(row, names.sigma!)} must be positive where there is a value, is ${found}.`);
  }
  return { x, y, sigma };
}

function atFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof TableError ? new RangeError(`${file}: ${error.message}.`) : error;
  }
}

function readCell(cell: string, where: string): number {
  if (cell === '' || /^nan$/i.test(cell)) return Number.NaN;
  const number = readNumber(cell);
  if (number !== undefined && Number.isFinite(number)) return number;
  const comma = /^[-+]?\d+,\d+$/.test(cell) ? '; write a decimal point' : '';
  throw new RangeError(`${where} is ${JSON.stringify(cell)}, which is not a number${comma}.`);
}
