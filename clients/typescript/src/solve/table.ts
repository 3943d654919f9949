/** Tables in text files. clients/python/src/backsolve/_tables.py has the same rules: one file gives the same numbers in both. */

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
 * The first line has the titles, or where it begins with # or %, the last of the lines that do. Throws TableError where a row has another
 * number of cells than there are titles, except for the names of rows that R and pandas write.
 */
export function readTitledTable(content: string): TitledTable {
  const lines = linesOf(content);
  const marked = lines.findIndex(({ text }) => !MARK.test(text));
  const [head, ...body] = lines.slice(Math.max(0, (marked < 0 ? lines.length : marked) - 1));
  if (head === undefined) throw new TableError('it has no lines');
  const separator = separatorOf(head.text);
  const titles = { ...head, cells: titlesOf(head.text, separator) };
  const rows = body.map((line) => ({ ...line, cells: cellsOf(line.text, separator) }));
  if (rows.length === 0) throw new TableError(`it has no row below its titles, ${show(head)}`);
  if (separator === ',') refuseBlanks(rows);
  const again = rows.find(({ text }) => text.trim() === head.text.trim() && /\p{L}/u.test(text));
  if (again !== undefined)
    throw new TableError(`the titles are there again in line ${again.line}: it has several tables`);
  const names = cellsOf(head.text, separator);
  if (separator !== ' ' && separator !== '\t' && names[0] === '#' && rows[0]!.cells.length === names.length) {
    // Between commas a lone # is the title of the numbers of rows.
    return { titles: { ...head, cells: names }, rows: evenRows(rows, head, names.length, separator) };
  }
  if (titles.cells.length + 1 === rows[0]!.cells.length && haveRowNames(titles, rows, separator)) {
    return { titles, rows: rows.map((row) => ({ ...row, cells: row.cells.slice(1) })) };
  }
  return { titles, rows: evenRows(rows, head, titles.cells.length, separator) };
}

/** From 0; undefined where no column has the title. Throws TableError where several have it. */
export function findTitle({ titles }: TitledTable, title: string): number | undefined {
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
export function readEvenTable(content: string): readonly TableRow[] {
  const lines = linesOf(content);
  const plain = lines.filter(({ text }) => !MARK.test(text));
  const separator = separatorOf((plain[0] ?? lines[0])?.text ?? '');
  const rows = lines.map((line) => ({ ...line, cells: cellsOf(line.text, separator) }));
  const [first, ...others] = rows.filter(({ text }) => !MARK.test(text));
  if (first === undefined) return rows;
  if (separator === ',') {
    refuseBlanks([first, ...others]);
    refuseDecimalCommas([first, ...others]);
  }
  const isOneFewer = others[0]?.cells.length === first.cells.length + 1 && haveRowNames(first, others, separator);
  if (isOneFewer) evenRows(others, others[0]!, others[0]!.cells.length, separator);
  else evenRows(others, first, first.cells.length, separator);
  return rows;
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

function linesOf(content: string): readonly Omit<TableRow, 'cells'>[] {
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

/** Without the mark of a comment, unless it touches the first title. */
function titlesOf(text: string, separator: string): readonly string[] {
  return cellsOf(text.replace(/^\s*[#%](?=\s)\s*/, ''), separator);
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
  const counts = `line ${odd.line} has ${cellCount(odd.cells.length)}, but line ${head.line} has ${count}${comma}`;
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

/** Where the words of a line end. */
function endsOf(text: string): readonly number[] {
  return [...text.matchAll(/\S+/g)].map((word) => word.index + word[0].length);
}

/** Of `0 61,5` either may stand between the numbers. Throws TableError. */
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

function show({ text }: Pick<TableRow, 'text'>): string {
  const shown = text.trim();
  return JSON.stringify(shown.length > SHOWN_LENGTH ? `${shown.slice(0, SHOWN_LENGTH)}...` : shown);
}
