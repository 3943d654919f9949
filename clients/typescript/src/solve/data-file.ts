/** Measured values in a CSV file. */
import { readTable } from './table.ts';

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
 * Throws RangeError that names the file, and the line and the column of the first wrong cell.
 */
export function readDataColumns(
  text: string,
  file: string,
  names: { readonly x: string; readonly y: string; readonly sigma: string | null },
): DataColumns {
  const [titles, ...rows] = readTable(text.replace(/^\uFEFF/, ''));
  const known = titles?.cells ?? [];
  const missing = Object.values(names).filter((name) => name !== null && !known.includes(name));
  if (missing.length > 0) {
    const found = known.join(', ') || 'no rows';
    throw new RangeError(`${file} has no column ${missing.join(' and no ')}; it has ${found}.`);
  }
  const column = (name: string) =>
    rows.map(({ line, cells }) => readCell(cells[known.indexOf(name)] ?? '', `${file}, line ${line}: ${name}`));
  return { x: column(names.x), y: column(names.y), sigma: names.sigma === null ? null : column(names.sigma) };
}

function readCell(cell: string, where: string): number {
  if (cell === '' || /^nan$/i.test(cell)) return Number.NaN;
  const number = Number(cell);
  if (Number.isFinite(number)) return number;
  const comma = /^[-+]?\d+,\d+$/.test(cell) ? '; write a decimal point' : '';
  throw new RangeError(`${where} is ${JSON.stringify(cell)}, which is no number${comma}.`);
}
