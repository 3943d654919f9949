/** A file in which a program leaves the derivatives of its outputs. */
import path from 'node:path';
import { readNumber } from '../../clients/typescript/src/solve/number-text.ts';
import { type Reading, shorten } from './exchange.ts';
import { parseJson } from './json-text.ts';
import { readRegularFile } from './read-file.ts';
import { whatIsWrong } from './read-output.ts';

/** The outputs with the derivatives in a file of the work folder. */
export async function withJacobianFile(
  reading: Extract<Reading, { kind: 'output' }>,
  folder: string,
  file: string,
): Promise<Reading> {
  const text = await readRegularFile(path.join(folder, file)).then(
    (bytes) => bytes.toString('utf8'),
    (error: NodeJS.ErrnoException) => error,
  );
  if (text instanceof Error) return { kind: 'unreadable', reason: `${file}: ${whatIsWrong(text)}` };
  const jacobian = parseJacobian(text);
  if (typeof jacobian === 'object' && jacobian !== null) return { ...reading, jacobian };
  const reason = `${file} has neither JSON nor a matrix of derivatives, a row per output with a number per input: ${shorten(text.trim())}`;
  return { kind: 'unreadable', reason };
}

/**
 * JSON as under the field "jacobian", or a matrix with spaces, tabs, commas or semicolons between its numbers: a row per output with a number
 * per input. A row above may name the inputs, and the first cell of each row its output. Undefined if it is neither.
 */
export function parseJacobian(text: string): unknown {
  if (/^\s*[[{]/.test(text)) {
    return parseJson(text)?.value;
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !COMMENT.test(line));
  const table = lines.map(cellsOf);
  const [first = []] = table;
  const isHeader = first.length > 0 && first.slice(1).every(isName) && (first.length > 1 || isName(first[0]!));
  const titles = isHeader ? first : null;
  const body = isHeader ? table.slice(1) : table;
  const hasNames = body.length > 0 && body.every(([label]) => label !== undefined && isName(label));
  const rows = body.map((cells) => (hasNames ? cells.slice(1) : cells).map(numberOf));
  if (rows.length === 0 || rows.some((row) => row.includes(undefined))) return undefined;
  const inputs = titles?.slice(titles.length - rows[0]!.length);
  const isEven = inputs === undefined || rows.every((row) => row.length === inputs.length);
  if (!isEven) return undefined;
  const named: readonly unknown[] =
    inputs === undefined ? rows : rows.map((row) => Object.fromEntries(row.map((one, v) => [inputs[v]!, one])));
  if (!hasNames) return named;
  const byOutput = Map.groupBy(named, (_, k) => body[k]![0]!);
  return Object.fromEntries([...byOutput].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}

const COMMENT = /^\s*[#%]/;

/** Between commas or semicolons a cell may be empty. */
function cellsOf(line: string): readonly string[] {
  const separator = [';', ',', '\t'].find((one) => line.includes(one));
  const cells = separator === undefined ? line.trim().split(/\s+/) : line.split(separator);
  return cells.map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

/** Of a row above, the corner may be empty. */
function isName(cell: string): boolean {
  return cell !== '' && readNumber(cell) === undefined;
}

/** null where it is not known; undefined for what is no number. */
function numberOf(cell: string): number | null | undefined {
  const value = cell === '' ? null : readNumber(cell);
  return Number.isNaN(value) ? null : value;
}
