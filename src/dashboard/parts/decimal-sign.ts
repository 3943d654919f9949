/** The meaning of commas and points in the numbers of a table: decimal signs or thousands separators. Needs no browser. */
import { AMBIGUOUS, decimal } from './read-number.ts';

/** Rows of cells. */
export type Rows = readonly (readonly string[])[];

export type DecimalSign = 'comma' | 'point';

/** A number that can be read in two ways, in a table that does not decide which. */
export interface Question {
  readonly text: string;
  /** Its value by each decimal sign. */
  readonly readings: Readonly<Record<DecimalSign, string>>;
}

export type PlainRows =
  | {
      readonly rows: Rows;
      /** Tells how numbers with two readings were read. */
      readonly note: string;
      readonly question?: undefined;
    }
  | { readonly rows?: undefined; readonly note?: undefined; readonly question: Question };

const SIGNS: readonly DecimalSign[] = ['comma', 'point'];
/** Written with decimal points, in one reading alone: groups of thousands by commas, or other than three digits after the point. */
const ONLY_POINT =
  /^[+-]?([1-9]\d{0,2}(,\d{3})+\.\d*|[1-9]\d{0,2}(,\d{3}){2,}|(?![1-9]\d{0,2}\.\d{3}$)(\d+\.\d*|\.\d+)(e[+-]?\d+)?)$/i;
/** Digits in groups of three by spaces or apostrophes. */
const SPACED = /^[+-]?[1-9]\d{0,2}(['’\s]\d{3})+([.,]\d*)?$/;

/**
 * The rows with every number as readNumber reads it: without marks between thousands. Each column decides for itself, then the
 * table; where neither does, a comma is a question and a point is a decimal sign.
 *
 * @param stated  decides if the cells do not
 */
export function plainRows(rows: Rows, stated?: DecimalSign): PlainRows {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const cellsOf = (c: number) => rows.flatMap((row) => (row[c] === undefined ? [] : [normal(row[c])]));
  const evidence = Array.from({ length: width }, (_, c) => findSigns(cellsOf(c)));
  const ofTable = only(new Set(evidence.flatMap((found) => [...found]))) ?? stated;
  const signs = evidence.map((found) => only(found) ?? (found.size === 0 ? ofTable : stated));
  const open = signs.flatMap((sign, c) =>
    sign === undefined ? cellsOf(c).filter((cell) => AMBIGUOUS.test(cell)) : [],
  );
  const asked = open.find((cell) => cell.includes(','));
  if (asked !== undefined) return { question: { text: asked, readings: readingsOf(asked) } };
  const read = rows.map((row) => row.map((cell, c) => plainCell(cell, signs[c] ?? 'point')));
  return { rows: read, note: noteOf(rows, signs) };
}

function normal(cell: string): string {
  return cell.trim().replaceAll('\u2212', '-');
}

function findSigns(cells: readonly string[]): ReadonlySet<DecimalSign> {
  return new Set(
    SIGNS.filter((sign) => cells.some((cell) => ONLY_POINT.test(sign === 'point' ? cell : swapped(cell)))),
  );
}

/** Numbers typed by one person, with decimal points instead of commas if another of them certainly has a decimal comma. */
export function withPoints(typed: readonly string[]): readonly string[] {
  const hasCommas = only(findSigns(typed.map(normal))) === 'comma';
  return hasCommas
    ? typed.map((text) => (AMBIGUOUS.test(normal(text)) ? decimal(normal(text), 'comma') : text))
    : typed;
}

function only(signs: ReadonlySet<DecimalSign>): DecimalSign | undefined {
  return signs.size === 1 ? [...signs][0] : undefined;
}

function swapped(cell: string): string {
  return cell.replace(/[.,]/g, (mark) => (mark === ',' ? '.' : ','));
}

function readingsOf(cell: string): Question['readings'] {
  return { comma: decimal(cell, 'comma'), point: decimal(cell, 'point') };
}

/** Texts and unambiguous numbers are unchanged. */
function plainCell(cell: string, sign: DecimalSign): string {
  const text = normal(cell);
  if (SPACED.test(text)) return decimal(text.replace(/['’\s]/g, ''), text.includes(',') ? 'comma' : 'point');
  if (AMBIGUOUS.test(text)) return decimal(text, sign);
  const own = SIGNS.find((one) => /[.,].*[.,]/.test(text) && ONLY_POINT.test(one === 'point' ? text : swapped(text)));
  return own === undefined ? cell : decimal(text, own);
}

/** A note on the first ambiguous number, if there is one. */
function noteOf(rows: Rows, signs: readonly (DecimalSign | undefined)[]): string {
  for (const row of rows) {
    for (const [c, cell] of row.entries()) {
      const text = normal(cell);
      if (AMBIGUOUS.test(text)) return `${text} is read as ${decimal(text, signs[c] ?? 'point')}.`;
    }
  }
  return '';
}
