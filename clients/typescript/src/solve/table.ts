/** Tables in text files. clients/python/src/backsolve/_tables.py has the same rules: one file gives the same numbers in both. */
import { readNumber } from './number-text.ts';

export interface TableRow {
  /** From 1, blank lines counted. */
  readonly line: number;
  readonly text: string;
  readonly cells: readonly string[];
}

/** Rows that all have a cell under each title. */
export interface TitledTable {
  readonly titles: TableRow;
  readonly rows: readonly TableRow[];
}

/** Layout that a table does not state itself. */
export interface TableLayout {
  /** The line that has them, from 1, blank lines counted; the titles themselves; or none. By default those of the first line. */
  readonly titles?: number | readonly string[] | 'none' | undefined;
  /** The line of the first row, for tables with a line of units below the titles. By default the one below the titles. */
  readonly rowsFrom?: number | undefined;
}

/** Cells that are not plainly those of their columns. The message is a clause about the file: "line 7 has 3 cells, ...". */
export class TableError extends RangeError {
  override readonly name = 'TableError';
}

/**
 * Cells may be in double quotes.
 *
 * @param stated  the character between cells, where a blank means blanks and tabs; by default the first of tab, semicolon, comma and
 *                blanks that the first line has
 */
export function readTable(content: string, stated?: string): readonly TableRow[] {
  const lines = linesOf(content);
  const separator = stated ?? separatorOf(lines[0]?.text ?? '');
  return lines.map((line) => ({ ...line, cells: cellsOf(line.text, separator) }));
}

/**
 * By default the first line has the titles, or where it begins with # or %, the last of the lines that do. Throws TableError where a row has
 * another number of cells than there are titles, except for the names of rows that R and pandas write.
 */
export function readTitledTable(content: string, layout: TableLayout = {}): TitledTable {
  const { head, body } = divide(linesOf(content), layout);
  const given = typeof layout.titles === 'object' ? layout.titles : undefined;
  const separator = separatorOf((given === undefined ? head : body[0])?.text ?? '');
  const titles = { ...head, cells: given ?? titlesOf(head.text, separator) };
  const rows = body.map((line) => ({ ...line, cells: cellsOf(line.text, separator) }));
  if (rows.length === 0) throw new TableError(`it has no row below its titles, ${show(head)}`);
  if (separator === ',') refuseBlanks(rows);
  if (given !== undefined) return { titles, rows: evenRows(rows, head, given.length, separator) };
  refuseFurtherTitles(titles, rows);
  if (separator === ' ') refuseUnits(titles);
  const names = cellsOf(head.text, separator);
  if (separator !== ' ' && separator !== '\t' && names[0] === '#' && rows[0]!.cells.length === names.length) {
    // Between commas a lone # is the title of the numbers of rows.
    return { titles: { ...head, cells: names }, rows: evenRows(rows, head, names.length, separator) };
  }
  if (titles.cells.length + 1 === rows[0]!.cells.length && haveRowNames(titles, rows, separator)) {
    const even = evenRows(rows, rows[0]!, rows[0]!.cells.length, separator);
    return { titles, rows: even.map((row) => ({ ...row, cells: row.cells.slice(1) })) };
  }
  return { titles, rows: evenRows(rows, head, titles.cells.length, separator) };
}

type Line = Omit<TableRow, 'cells'>;

/** The line of the titles, which is line 0 where they are given, and the lines of the rows. */
function divide(lines: readonly Line[], { titles, rowsFrom = 0 }: TableLayout): { head: Line; body: readonly Line[] } {
  if (lines.length === 0) throw new TableError('it has no lines');
  const from = (rest: readonly Line[]) => rest.filter(({ line }) => line >= rowsFrom);
  if (typeof titles === 'object') {
    const body = rowsFrom > 0 ? from(lines) : lines.slice(markedCount(lines));
    return { head: { line: 0, text: titles.join(', ') }, body };
  }
  if (typeof titles === 'number') {
    const at = lines.findIndex(({ line }) => line === titles);
    if (at < 0) throw new TableError(`line ${titles} should have the titles, but is blank or missing`);
    return { head: lines[at]!, body: from(lines.slice(at + 1)) };
  }
  const [head, ...body] = lines.slice(Math.max(0, markedCount(lines) - 1));
  return { head: head!, body: from(body) };
}

/** Lines at the start that begin with # or %. */
function markedCount(lines: readonly Line[]): number {
  const first = lines.findIndex(({ text }) => !MARK.test(text));
  return first < 0 ? lines.length : first;
}

/** Columns of a table. */
export interface Columns {
  readonly rows: readonly TableRow[];
  /** Positions of the cells of the columns in each row, from 0. */
  readonly places: readonly number[];
}

/**
 * Columns by their titles, or by their numbers from 1 where the layout says that there are no titles. Throws TableError as readTitledTable
 * does, and where a column is not there; then it says which line may have the titles.
 */
export function readColumns(content: string, wanted: readonly string[], layout: TableLayout = {}): Columns {
  if (layout.titles === 'none') return numberedColumns(content, wanted, layout);
  try {
    const table = readTitledTable(content, layout);
    const places = wanted.map((title) => findTitle(table, title));
    const missing = wanted.filter((_, i) => places[i] === undefined);
    if (missing.length === 0) return { rows: table.rows, places: places as readonly number[] };
    const { line, cells } = table.titles;
    const has = line === 0 ? 'the titles that are stated are' : `line ${line} has`;
    throw new TableError(`it has no column ${missing.join(' and no ')}; ${has} ${shownTitles(cells)}`);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    throw new TableError(`${error.message}${hintAt(content, wanted, layout)}`, { cause: error });
  }
}

function numberedColumns(content: string, wanted: readonly string[], { rowsFrom }: TableLayout): Columns {
  const rows = readEvenTable(content, rowsFrom).filter(({ text }) => !MARK.test(text));
  if (rows.length === 0) throw new TableError('it has no rows');
  const places = wanted.map((one) => (/^[1-9]\d*$/.test(one) ? Number(one) - 1 : -1));
  for (const [i, place] of places.entries()) {
    if (place < 0) throw new TableError(`without titles a column is a number such as 2, not ${wanted[i]}`);
    const { line, cells } = rows[0]!;
    if (place >= cells.length)
      throw new TableError(`it has no column ${wanted[i]}; line ${line} has ${cellCount(cells.length)}`);
  }
  return { rows, places };
}

/** Points to the line that may have the titles, if the layout does not state it. */
function hintAt(content: string, wanted: readonly string[], { titles }: TableLayout): string {
  if (titles !== undefined) return '';
  const lines = linesOf(content);
  const head = lines[Math.max(0, markedCount(lines) - 1)];
  const has = ({ text }: Line) => {
    const cells = titlesOf(text, separatorOf(text));
    return wanted.every((title) => cells.includes(title));
  };
  const other = lines.find((line) => line !== head && has(line));
  if (other !== undefined) return `. Line ${other.line} has ${wanted.join(' and ')}: state that the titles are there`;
  const cells = head === undefined ? [] : cellsOf(head.text, separatorOf(head.text));
  const isNumeric = cells.length > 0 && cells.every((cell) => readNumber(cell) !== undefined);
  return isNumeric ? '. It seems to have no titles: state that, or the titles' : '';
}

function shownTitles(cells: readonly string[]): string {
  const shown = cells.join(', ');
  return shown.length > SHOWN_LENGTH ? `${shown.slice(0, SHOWN_LENGTH)}...` : shown;
}

/** From 0; undefined where no column has the title. Throws TableError where several have it. */
function findTitle({ titles }: TitledTable, title: string): number | undefined {
  // The mark of a comment may touch the first title: `#time`.
  const found = titles.cells.flatMap((cell, i) =>
    cell === title || (i === 0 && cell.replace(MARK, '') === title) ? [i] : [],
  );
  if (found.length < 2) return found[0];
  const places = `columns ${found.map((i) => i + 1).join(' and ')}`;
  throw new TableError(`${places} both have the title ${title}, ${show(titles)}; each needs a title of its own`);
}

/**
 * All lines, for a place by the number of its row and column. Throws TableError where the lines have different numbers of cells, so that
 * a number could count wrong. Lines that begin with # or % may have any.
 */
export function readEvenTable(content: string, rowsFrom = 0): readonly TableRow[] {
  const lines = linesOf(content).filter(({ line }) => line >= rowsFrom);
  const plain = lines.filter(({ text }) => !MARK.test(text));
  const separator = separatorOf((plain[0] ?? lines[0])?.text ?? '');
  const rows = lines.map((line) => ({ ...line, cells: cellsOf(line.text, separator) }));
  const [first, ...others] = rows.filter(({ text }) => !MARK.test(text));
  if (first === undefined) return rows;
  if (separator === ',') {
    refuseBlanks([first, ...others]);
    refuseDecimalCommas([first, ...others]);
  }
  if (separator === ' ') refuseExponentsApart([first, ...others]);
  const isOneFewer = others[0]?.cells.length === first.cells.length + 1 && haveRowNames(first, others, separator);
  if (isOneFewer) evenRows(others, others[0]!, others[0]!.cells.length, separator);
  else evenRows(others, first, first.cells.length, separator);
  return rows;
}

/**
 * Throws TableError for `1.061` in a column in which another cell is `12,5`: it may be a thousand. Where all cells of a column are read,
 * the decimal comma is refused anyway.
 */
export function refuseThousands(rows: readonly TableRow[], place: number, cell: string | undefined): void {
  if (cell === undefined || !/^[-+]?\d{1,3}(?:\.\d{3})+$/.test(cell)) return;
  const other = rows.find(({ cells }) => /^[-+]?[\d.]+,\d+$/.test(cells[place] ?? ''));
  if (other === undefined) return;
  const doubt = `so ${cell} may be ${cell.replaceAll('.', '')}`;
  throw new TableError(`line ${other.line} has a decimal comma, ${doubt}: ${show(other)}`);
}

/** Whether a row is a comment, or titles behind the mark of one. */
export function isMarked({ text }: TableRow): boolean {
  return MARK.test(text);
}

/** The titles behind the mark of a comment. */
export function markedTitles({ text }: TableRow): readonly string[] {
  const plain = text.replace(MARK, '');
  return cellsOf(plain, separatorOf(plain));
}

/** Characters of a line, from 1 and with the last, for columns that touch. Undefined where the line is shorter. */
export function readPositions(content: string, row: number | 'last', from: number, to: number): string | undefined {
  const lines = linesOf(content);
  const line = row === 'last' ? lines.at(-1) : lines[row - 1];
  if (line?.text.includes('\t'))
    throw new TableError(`line ${line.line} has tabs, so positions do not count: ${show(line)}`);
  return line?.text.slice(from - 1, to).trim() || undefined;
}

/** The mark of a comment. */
const MARK = /^\s*[#%]\s*/;
const SHOWN_LENGTH = 120;

function linesOf(content: string): readonly Line[] {
  return content
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((text, i) => (text.trim() === '' ? [] : [{ line: i + 1, text }]));
}

function separatorOf(text: string): string {
  return ['\t', ';', ','].find((one) => text.includes(one)) ?? ' ';
}

function cellsOf(text: string, separator: string): readonly string[] {
  const cell = separator === ' ' ? /"((?:[^"]|"")*)"(?!\S)|(\S+)/g : makeCellPattern(separator);
  const cells = [...(separator === ' ' ? text : `${separator}${text}`).matchAll(cell)];
  return cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!.trim());
}

function makeCellPattern(character: string): RegExp {
  const separator = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return new RegExp(`${separator}[^\\S\\t]*(?:"((?:[^"]|"")*)"[^\\S\\t]*(?=${separator}|$)|([^${separator}]*))`, 'g');
}

/** Without the mark of a comment, unless it touches a first title that is not in quotes. */
function titlesOf(text: string, separator: string): readonly string[] {
  return cellsOf(text.replace(/^\s*[#%](?=[\s"])\s*/, ''), separator);
}

/** Throws TableError unless all have the number of cells. @param head  the line that says how many */
function evenRows(
  rows: readonly TableRow[],
  head: Pick<TableRow, 'line' | 'text'>,
  count: number,
  separator: string,
): readonly TableRow[] {
  const odd = rows.find(({ cells }) => cells.length !== count) ?? rows.find(({ text }) => MARK.test(text));
  if (odd === undefined) return rows;
  if (odd.cells.length === count) throw new TableError(`line ${odd.line} is a comment amid the rows: ${show(odd)}`);
  const comma =
    separator === ',' && odd.cells.length > count ? '; a decimal comma would split numbers, write a decimal point' : '';
  const than = head.line === 0 ? `${count} titles are stated` : `line ${head.line} has ${count}`;
  const counts = `line ${odd.line} has ${cellCount(odd.cells.length)}, but ${than}${comma}`;
  throw new TableError(`${counts}: ${show(odd)} below ${show(head)}`);
}

function cellCount(count: number): string {
  return count === 1 ? '1 cell' : `${count} cells`;
}

/**
 * Whether the rows begin with names that have no title: in quotes as the titles are (R), or each title ends above the cell that it
 * would then belong to (pandas).
 */
function haveRowNames(titles: TableRow, rows: readonly TableRow[], separator: string): boolean {
  const quotesIn = (text: string) => (text.match(/"(?:[^"]|"")*"/g) ?? []).length;
  const isNamed = ({ text, cells }: TableRow) => /^\s*"/.test(text) && quotesIn(text) < cells.length;
  if (quotesIn(titles.text) === titles.cells.length && rows.every(isNamed)) return true;
  if (separator !== ' ' || MARK.test(titles.text)) return false;
  const ends = endsOf(titles.text).join();
  return rows.every(({ text }) => !text.includes('\t') && endsOf(text).slice(1).join() === ends);
}

/** Ends of the words of a line. */
function endsOf(text: string): readonly number[] {
  return [...text.matchAll(/\S+/g)].map((word) => word.index + word[0].length);
}

/** Titles amid the rows, be they the same ones or, below numbers alone, others. Throws TableError. */
function refuseFurtherTitles(titles: TableRow, rows: readonly TableRow[]): void {
  const again = rows.find(({ text }) => text.trim() === titles.text.trim() && /\p{L}/u.test(text));
  if (again !== undefined)
    throw new TableError(`the titles are there again in line ${again.line}: it has several tables`);
  const others = rows.find(
    ({ cells }, i) =>
      cells.length > 1 &&
      i > 0 &&
      rows[i - 1]!.cells.every((cell) => readNumber(cell) !== undefined) &&
      cells.every(
        (cell) => /^\W*\p{L}/u.test(cell) && readNumber(cell) === undefined && !/^(?:na|n\/a|null|none)$/i.test(cell),
      ),
  );
  if (others === undefined) return;
  throw new TableError(`line ${others.line} seems to have the titles of another table: ${show(others)}`);
}

/** Between blanks, `time (s) mass` are two titles of three words. Throws TableError. */
function refuseUnits(titles: TableRow): void {
  const unit = titles.cells.find((cell, i) => i > 0 && /^(?:\(.*\)|\[.*\])$/.test(cell));
  if (unit === undefined || titles.text.includes('"')) return;
  const where = `line ${titles.line} has ${unit} between blanks, which is a unit or a title`;
  throw new TableError(`${where}; state the titles: ${show(titles)}`);
}

/** Refuses rows such as `0 61,5`, in which the blank or the comma may separate the numbers. Throws TableError. */
function refuseBlanks(rows: readonly TableRow[]): void {
  const mixed = rows.find(({ cells }) => cells.some((cell) => /^[-+.\deE]+(?:\s+[-+.\deE]+)+$/.test(cell)));
  if (mixed === undefined) return;
  throw new TableError(`line ${mixed.line} has both blanks and commas between numbers: ${show(mixed)}`);
}

/** `61,5` alone in every line may be one number or two. Throws TableError. */
function refuseDecimalCommas(rows: readonly TableRow[]): void {
  if (!rows.every(({ text }) => /^\s*[-+]?\d+,\d+\s*$/.test(text))) return;
  throw new TableError(`line ${rows[0]!.line} may be one number with a decimal comma, or two cells: ${show(rows[0]!)}`);
}

/** PARI writes `2.5 E-40`, of which a number of a column would take 2.5. Throws TableError. */
function refuseExponentsApart(rows: readonly TableRow[]): void {
  const isExponent = (cell: string, i: number, cells: readonly string[]) =>
    /^[eE][-+]?\d+$/.test(cell) && /^[-+]?[1-9]\.\d+$/.test(cells[i - 1] ?? '');
  const apart = rows.find(({ cells }) => cells.some(isExponent));
  if (apart === undefined) return;
  throw new TableError(`line ${apart.line} has a blank between a number and its exponent: ${show(apart)}`);
}

function show({ text }: Pick<TableRow, 'text'>): string {
  const shown = text.trim();
  return JSON.stringify(shown.length > SHOWN_LENGTH ? `${shown.slice(0, SHOWN_LENGTH)}...` : shown);
}
