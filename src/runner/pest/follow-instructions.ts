/** Reads observations in an output file of a model, by the instructions of PEST. */
import { readNumber, shorten } from '../exchange.ts';
import { DUMMY, type Instruction, type InstructionFile, type InstructionLine } from './instruction-file.ts';
import { PestFileError } from './pest-error.ts';

/** Characters besides blanks, tabs and commas at which a number that is read freely ends. */
export interface ReadingRules {
  readonly delimiters: string;
}

/**
 * The observations by their names; NaN for what is not finite.
 *
 * @param text    of the output file
 * @param origin  what messages call it
 *
 * Throws PestFileError where the instructions do not match the file.
 */
export function followInstructions(
  { origin: file, lines }: InstructionFile,
  text: string,
  origin: string,
  { delimiters }: ReadingRules = { delimiters: '' },
): ReadonlyMap<string, number> {
  const cursor = new Cursor(text.split(/\r?\n/), origin, delimiters);
  for (const line of lines) {
    try {
      followLine(cursor, line);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      throw new PestFileError(`${file}:${line.line}: ${error.message}`);
    }
  }
  return cursor.found;
}

/** The end of a sentence that begins with the place of the instruction. */
class Mismatch extends Error {}

/** A marker that is missing behind nothing but markers sends the search on, to the next line with the first one. */
function followLine(cursor: Cursor, { instructions }: InstructionLine): void {
  for (let i = 0; i < instructions.length; i++) {
    const one = instructions[i]!;
    if (one.kind === 'marker' && i === 0) cursor.toLineWith(one.text);
    else if (one.kind === 'marker') {
      const isSearch = instructions.slice(0, i).every(({ kind }) => kind === 'marker');
      if (!cursor.behind(one.text, !isSearch)) i = -1;
    } else take(cursor, one, instructions[i + 1]);
  }
}

function take(cursor: Cursor, one: Exclude<Instruction, { kind: 'marker' }>, next: Instruction | undefined): void {
  if (one.kind === 'lines') cursor.advance(one.count);
  else if (one.kind === 'word') cursor.toWord();
  else if (one.kind === 'column') cursor.toColumn(one.column);
  else if (one.kind === 'free') cursor.readFree(one.name, next?.kind === 'marker' ? next.text : undefined);
  else if (one.kind === 'fixed') cursor.readFixed(one.name, one.from, one.to);
  else cursor.readSemiFixed(one.name, one.from, one.to);
}

class Cursor {
  readonly found = new Map<string, number>();
  readonly #lines: readonly string[];
  readonly #origin: string;
  readonly #delimiters: string;
  #number = 0;
  #line = '';
  /** Of the first character that is not passed yet. */
  #at = 0;

  constructor(lines: readonly string[], origin: string, delimiters: string) {
    this.#lines = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
    this.#origin = origin;
    this.#delimiters = ` \t,${delimiters}`;
  }

  advance(count: number): void {
    const wanted = this.#number + count;
    if (wanted > this.#lines.length) {
      throw new Mismatch(`${this.#origin} ends at line ${this.#lines.length}, but line ${wanted} is needed`);
    }
    this.#number = wanted;
    this.#line = expandTabs(this.#lines[wanted - 1]!);
    this.#at = 0;
  }

  toLineWith(text: string): void {
    const from = this.#number;
    const next = this.#lines.findIndex((line, i) => i >= from && expandTabs(line).includes(text));
    if (next < 0) {
      const where = from === 0 ? 'has' : `has, after line ${from},`;
      throw new Mismatch(`${this.#origin} ${where} no line with "${text}"`);
    }
    this.advance(next + 1 - from);
    this.#at = this.#line.indexOf(text) + text.length;
  }

  /** False where the text is missing and that is no fault. */
  behind(text: string, isNeeded: boolean): boolean {
    const start = this.#line.indexOf(text, this.#at);
    if (start < 0 && isNeeded) throw this.#mismatch(`has no "${text}"`);
    if (start >= 0) this.#at = start + text.length;
    return start >= 0;
  }

  /** To the next word, past the rest of the one that the cursor is in. */
  toWord(): void {
    let at = this.#at;
    while (at < this.#line.length && !this.#isBlank(at)) at += 1;
    while (at < this.#line.length && this.#isBlank(at)) at += 1;
    if (at >= this.#line.length) throw this.#mismatch('has no further word');
    this.#at = at;
  }

  toColumn(column: number): void {
    if (this.#at > column - 1) throw this.#mismatch(`was read beyond column ${column} already`);
    if (this.#line.length < column) throw this.#mismatch(`has no column ${column}`);
    this.#at = column - 1;
  }

  /** @param before  the text of a marker that ends the number */
  readFree(name: string, before: string | undefined): void {
    let start = this.#at;
    while (start < this.#line.length && this.#isBlank(start)) start += 1;
    let end = start;
    while (end < this.#line.length && !this.#isBlank(end)) end += 1;
    const close = before === undefined ? -1 : this.#line.indexOf(before, start);
    this.#take(name, start, close < 0 ? end : Math.min(end, close));
  }

  readFixed(name: string, from: number, to: number): void {
    if (this.#at > from - 1) throw this.#mismatch(`was read beyond column ${from} already`);
    this.#take(name, from - 1, Math.min(to, this.#line.length));
  }

  /** The word that lies in the columns at least in part, as far as it goes on both sides. */
  readSemiFixed(name: string, from: number, to: number): void {
    if (this.#at > to) throw this.#mismatch(`was read beyond column ${to} already`);
    let start = Math.max(this.#at, from - 1);
    while (start < to && start < this.#line.length && this.#isBlank(start)) start += 1;
    if (start >= to || start >= this.#line.length) throw this.#mismatch(`has nothing in columns ${from} to ${to}`);
    let end = start;
    while (start > this.#at && !this.#isBlank(start - 1)) start -= 1;
    while (end < this.#line.length && !this.#isBlank(end)) end += 1;
    this.#take(name, start, end);
  }

  #take(name: string, start: number, end: number): void {
    const text = this.#line.slice(start, end).trim();
    this.#at = Math.max(this.#at, end);
    if (name === DUMMY) return;
    if (text === '') throw this.#mismatch(`has no number for ${name}`);
    const value = readNumber(text);
    if (value === undefined) throw this.#mismatch(`has ${JSON.stringify(shorten(text, 40))} where ${name} should be`);
    this.found.set(name, value);
  }

  #isBlank(at: number): boolean {
    return this.#delimiters.includes(this.#line[at]!);
  }

  #mismatch(what: string): Mismatch {
    return new Mismatch(`line ${this.#number} of ${this.#origin} ${what}: ${JSON.stringify(shorten(this.#line, 80))}`);
  }
}

const TAB_WIDTH = 8;

/** As PEST does, so that columns are those that an editor shows. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let text = '';
  for (const [i, part] of line.split('\t').entries()) {
    text += i === 0 ? part : ' '.repeat(TAB_WIDTH - (text.length % TAB_WIDTH)) + part;
  }
  return text;
}
