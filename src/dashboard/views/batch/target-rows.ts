/** Searches of a batch from a table: a row of targets each. Needs no browser. */
import { counted } from '../../../presentation/formats.ts';
import { hasHeader, isTitleOf, type Rows } from '../../parts/paste.ts';
import { readNumber } from '../../parts/read-number.ts';

/** One per output; null: no target, for an output to minimize or maximize. */
export type Targets = readonly (number | null)[];

export type TargetRows =
  | { readonly rows: readonly Targets[]; readonly fault?: undefined }
  | { readonly rows?: undefined; readonly fault: string };

/** As many as the service takes with a new batch. */
const MOST = 1_000;

/**
 * A column per output, or a header that names some of them: the others keep their targets, and so does an empty cell. Rows without
 * any value are left out.
 *
 * @param known  the targets of the objective that the batch varies
 */
export function readTargetRows(table: Rows, names: readonly string[], known: Targets): TargetRows {
  const isTitled = hasHeader(table);
  const body = isTitled ? table.slice(1) : table;
  const columns = isTitled ? names.map((name) => table[0]!.findIndex((title) => isTitleOf(title, name))) : undefined;
  const fault = columns === undefined ? faultOfWidth(body, names) : faultOfTitles(table[0]!, columns, names);
  if (fault !== undefined) return { fault };
  const filled = body.flatMap((cells, r) => (cells.some((cell) => cell !== '') ? [{ cells, line: r + 1 }] : []));
  if (filled.length === 0) return { fault: 'There is no row of targets.' };
  if (filled.length > MOST) return { fault: `A batch begins with at most ${counted(MOST, 'search', 'searches')}.` };
  const rows: Targets[] = [];
  for (const { cells, line } of filled) {
    const read = names.map((_, j) => readCell(cells[columns === undefined ? j : columns[j]!] ?? '', known[j]!));
    const wrong = read.findIndex((cell) => cell.fault !== undefined);
    if (wrong >= 0) return { fault: `Row ${line}, ${names[wrong]}: ${read[wrong]!.fault}` };
    rows.push(read.map(({ value }) => value!));
  }
  return { rows };
}

function readCell(
  cell: string,
  known: number | null,
): { readonly value?: number | null | undefined; readonly fault?: string | undefined } {
  return cell === '' ? { value: known } : readNumber(cell);
}

function faultOfWidth(rows: Rows, names: readonly string[]): string | undefined {
  const other = rows.find((row) => row.length !== names.length && row.some((cell) => cell !== ''));
  if (other === undefined) return undefined;
  const wanted = counted(names.length, 'column');
  return `Paste ${wanted}, one for each output (${names.join(', ')}), or a header that names the columns: a row has ${other.length}.`;
}

function faultOfTitles(titles: readonly string[], columns: readonly number[], names: readonly string[]) {
  const unknown = titles.filter((_, c) => !columns.includes(c));
  if (columns.every((column) => column < 0)) {
    return `No column has the name of an output. The outputs are ${names.join(', ')}.`;
  }
  return unknown.length === 0
    ? undefined
    : `${unknown.map((title) => `“${title}”`).join(', ')} ${unknown.length === 1 ? 'is not an output' : 'are not outputs'}. The outputs are ${names.join(', ')}.`;
}
