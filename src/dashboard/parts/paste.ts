/** Text pasted from a spreadsheet, a file or a terminal, as rows of cells. Needs no browser. */

import { capitalized, counted } from '../../presentation/formats.ts';
import { type DecimalSign, type PlainRows, plainRows, type Question, type Rows } from './decimal-sign.ts';
import { unguardText } from './formula.ts';
import { isNumeral, looksLikeNumber } from './read-number.ts';

export type { Rows };

/**
 * Rows of trimmed cells. Tabs separate cells; without tabs semicolons do, else commas, else spaces between numbers. A comma is a
 * decimal comma unless the text says otherwise. Quoted cells may hold anything. An empty line stays, as a row with one empty cell,
 * except at the end.
 *
 * @param width  how many cells a row should have, where that is known: decides what a comma means
 */
export function splitPaste(text: string, width?: number): Rows {
  const body = bodyOf(text);
  return splitAt(body, findSeparator(body, width));
}

/**
 * The same with every number as readNumber reads it, or a question where a comma may be a decimal sign or not. Commas that separate
 * cells are no decimal signs.
 *
 * @param sign  the answer to the question
 */
export function readTable(text: string, { width, sign }: ReadTableOptions = {}): PlainRows {
  const body = bodyOf(text);
  const separator = findSeparator(body, width);
  return plainRows(splitAt(body, separator), sign ?? (separator === ',' ? 'point' : undefined));
}

export interface ReadTableOptions {
  /** As in splitPaste. */
  readonly width?: number | undefined;
  readonly sign?: DecimalSign | undefined;
}

function bodyOf(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/[\r\n]+$/, '');
}

function splitAt(body: string, separator: string | undefined): Rows {
  if (body.trim() === '') return [];
  const rows = separator === ' ' ? splitLines(body).map((line) => line.trim().split(SPACES)) : split(body, separator);
  return rows.map((row) => row.map((cell) => cell.trim()));
}

/** Other kinds of spaces separate thousands. */
const SPACES = / +/;

/** No separator: every line is one cell. */
function findSeparator(text: string, width: number | undefined): string | undefined {
  const bare = text.replace(/"(?:[^"]|"")*"/g, '""');
  if (bare.includes('\t')) return '\t';
  if (bare.includes(';')) return ';';
  const lines = splitLines(bare).filter((line) => line.trim() !== '');
  if (bare.includes(',') && separatesByComma(lines, width)) return ',';
  if (width === 1) return undefined;
  const areNumbers = lines.every((line) => line.trim().split(SPACES).every(isNumeral));
  return areNumbers && lines.some((line) => /\S +\S/.test(line)) ? ' ' : undefined;
}

function separatesByComma(lines: readonly string[], width: number | undefined): boolean {
  if (width !== undefined) {
    if (width === 1) return false;
    if (lines.every((line) => line.split(',').length === width)) return true;
  }
  // "1,5" is one number; two commas, a point beside a comma, a word or a space after a comma make several cells of a line.
  return lines.some(
    (line) => /,\s+\S/.test(line) || (line.includes(',') && !line.trim().split(SPACES).every(isNumeral)),
  );
}

function splitLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Cells in double quotes may hold separators and line breaks; two quotes within are one. */
function split(text: string, separator: string | undefined): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  const endCell = () => {
    rows.at(-1)!.push(cell);
    cell = '';
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (character === '"' && cell.trim() === '') {
      const end = closingQuote(text, i);
      if (end !== undefined) {
        cell = text.slice(i + 1, end).replaceAll('""', '"');
        i = end;
        continue;
      }
    }
    if (character === separator) endCell();
    else if (character === '\n' || character === '\r') {
      if (character === '\r' && text[i + 1] === '\n') i++;
      endCell();
      rows.push([]);
    } else cell += character;
  }
  endCell();
  return rows;
}

function closingQuote(text: string, opening: number): number | undefined {
  for (let i = opening + 1; i < text.length; i++) {
    if (text[i] !== '"') continue;
    if (text[i + 1] !== '"') return i;
    i++;
  }
  return undefined;
}

/** Whether the first row names the columns: none of its cells is a number or empty. */
export function hasHeader(rows: Rows): boolean {
  const first = rows[0];
  return first !== undefined && first.length > 0 && first.every((cell) => cell !== '' && !looksLikeNumber(cell));
}

/** A title without the unit that follows in round or square brackets, and without the apostrophe of an export. */
export function withoutUnit(title: string): string {
  return unguardText(title)
    .replace(/\s*(\[[^[\]]*\]|\([^()]*\))$/, '')
    .trim();
}

/** Whether a column is that of an input or output: its title is the name, maybe with a unit, or as an export writes it. */
export function isTitleOf(title: string, name: string): boolean {
  return title === name || unguardText(title) === name || withoutUnit(title) === name;
}

export type Values =
  | {
      /** One per name. */ readonly cells: readonly string[];
      readonly fault?: undefined;
      readonly question?: undefined;
    }
  | { readonly cells?: undefined; readonly fault: string; readonly question?: undefined }
  | { readonly cells?: undefined; readonly fault?: undefined; readonly question: Question };

/**
 * One value per name, from one row, one column, or a row or column with the names beside it. The values are texts that may still
 * be no numbers.
 *
 * @param sign  the answer to the question of an earlier call
 */
export function readValues(text: string, names: readonly string[], sign?: DecimalSign): Values {
  const found = findValues(text, names);
  if (found.cells === undefined) return found;
  const plain = plainRows([found.cells], sign);
  return plain.question === undefined ? { cells: plain.rows[0]! } : { question: plain.question };
}

function findValues(text: string, names: readonly string[]): Exclude<Values, { readonly question: Question }> {
  const rows = splitPaste(text).filter((row) => row.some((cell) => cell !== ''));
  const found = byName(rows, names) ?? byName(transposed(rows), names);
  if (found !== undefined) return { cells: found };
  const flat = inOneList(rows);
  if (flat?.length === names.length) return { cells: flat };
  const inColumn = inOneList(splitPaste(text, 1));
  if (inColumn?.length === names.length) return { cells: inColumn };
  // Read as decimal commas, there would be too few values.
  const atCommas = inOneList(splitPaste(text, names.length));
  if (atCommas?.length === names.length) return { cells: atCommas };
  const count = rows.reduce((sum, row) => sum + row.length, 0);
  const expected = `${counted(names.length, 'value is', 'values are')} expected`;
  if (flat === undefined)
    return { fault: `Paste one row or one column: ${expected}, but there are ${rows.length} rows.` };
  return { fault: `${capitalized(expected)}, but there ${count === 1 ? 'is 1' : `are ${count}`}.` };
}

/** Two rows, the first with all names in any order. */
function byName(rows: Rows, names: readonly string[]): readonly string[] | undefined {
  const [titles, values] = rows;
  if (rows.length !== 2 || !hasHeader(rows) || titles!.length !== values!.length) return undefined;
  const columns = names.map((name) => titles!.findIndex((title) => isTitleOf(title, name)));
  if (columns.some((column) => column < 0)) return undefined;
  return columns.map((column) => values![column]!);
}

function transposed(rows: Rows): Rows {
  const width = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== width)) return [];
  return Array.from({ length: width }, (_, j) => rows.map((row) => row[j]!));
}

function inOneList(rows: Rows): readonly string[] | undefined {
  if (rows.length === 1) return rows[0];
  return rows.every((row) => row.length === 1) ? rows.map(([cell]) => cell!) : undefined;
}
