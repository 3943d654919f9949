/** A file in which a program leaves the derivatives of its outputs. */
import path from 'node:path';
import { readNumber } from '../../../clients/typescript/src/solve/number-text.ts';
import { isMarked, markedTitles, readEvenTable, TableError } from '../../../clients/typescript/src/solve/table.ts';
import { type Reading, shorten } from './exchange.ts';
import { parseJson } from './json-text.ts';
import { readRegularFile } from './read-file.ts';
import { whatIsWrong } from './read-output.ts';
import { ReadingError } from './reading-error.ts';

/** The outputs with the derivatives in a file of the work folder. */
export async function withJacobianFile(
  reading: Extract<Reading, { kind: 'output' }>,
  folder: string,
  file: string,
  inputs: readonly string[],
): Promise<Reading> {
  const text = await readRegularFile(path.join(folder, file)).then(
    (bytes) => bytes.toString('utf8'),
    (error: NodeJS.ErrnoException) => error,
  );
  if (text instanceof Error) return { kind: 'unreadable', reason: `${file}: ${whatIsWrong(text)}` };
  try {
    const jacobian = parseJacobian(text, inputs);
    if (typeof jacobian === 'object' && jacobian !== null) return { ...reading, jacobian };
  } catch (error) {
    if (!(error instanceof TableError || error instanceof ReadingError)) throw error;
    return { kind: 'unreadable', reason: `${file}: ${error.message}` };
  }
  const reason = `${file} has neither JSON nor a matrix of derivatives, a row per output with a number per input: ${shorten(text.trim())}`;
  return { kind: 'unreadable', reason };
}

/**
 * JSON as under the field "jacobian", or a matrix as tables are written: a row per output with a number per input. A row above may name the
 * inputs, and the first cell of each row its output. Undefined if it is neither. Throws TableError and ReadingError.
 *
 * @param inputs  their names, by which a comment above the matrix is known to have its titles
 */
export function parseJacobian(text: string, inputs: readonly string[] = []): unknown {
  if (/^\s*[[{]/.test(text)) return parseJson(text)?.value;
  const lines = readEvenTable(text);
  const above = lines.filter(isMarked).at(-1);
  const marked = above && markedTitles(above).filter((title) => inputs.includes(title));
  const table = lines.filter((line) => !isMarked(line)).map(({ cells }) => cells);
  const [first = []] = table;
  const isHeader = first.length > 0 && first.slice(1).every(isName) && (first.length > 1 || isName(first[0]!));
  const titlesAbove = marked?.length === inputs.length && inputs.length > 0 ? marked : null;
  const titles = isHeader ? first : titlesAbove;
  const body = isHeader ? table.slice(1) : table;
  const hasNames = body.length > 0 && body.every(([label]) => label !== undefined && isName(label));
  const rows = body.map((cells) => (hasNames ? cells.slice(1) : cells).map(numberOf));
  if (rows.length === 0 || rows.some((row) => row.includes(undefined))) return undefined;
  const columns = titles?.slice(titles.length - rows[0]!.length);
  const isEven = columns === undefined || rows.every((row) => row.length === columns.length);
  if (!isEven) return undefined;
  const named: readonly unknown[] =
    columns === undefined ? rows : rows.map((row) => Object.fromEntries(row.map((one, v) => [columns[v]!, one])));
  if (!hasNames) return named;
  const byOutput = Map.groupBy(named, (_, k) => body[k]![0]!);
  return Object.fromEntries([...byOutput].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}

/** Recognizes a name in a row above; the corner may be empty. */
function isName(cell: string): boolean {
  return cell !== '' && readNumber(cell) === undefined;
}

/** null where it is not known; undefined for what is no number. */
function numberOf(cell: string): number | null | undefined {
  const value = cell === '' ? null : readNumber(cell);
  return Number.isNaN(value) ? null : value;
}
