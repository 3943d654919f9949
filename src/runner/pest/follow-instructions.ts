/** Reads observations in an output file of a model, by the instructions of PEST. */
import { readNumber } from '../../../clients/typescript/src/solve/number-text.ts';
import { shorten } from '../files/exchange.ts';
import { DUMMY, type Instruction, type InstructionFile, type InstructionLine } from './instruction-file.ts';
import { PestFileError } from './pest-error.ts';

export interface ReadingRules {
  /** Characters that stand between words as blanks and tabs do; at commas only numbers end. */
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

/**
 * A marker that is missing before anything was read sends the search on, from the first instruction of the line: to the next line with
 * its marker, or by as many lines as it advances. PEST++ 5.2.23 and pyemu 1.7.0 do so behind l, PEST only behind markers.
 */
function followLine(cursor: Cursor, { instructions }: InstructionLine): void {
  let sought: string | undefined;
  for (let i = 0; i < instructions.length; i++) {
    const one = instructions[i]!;
    if (one.kind === 'marker' && i === 0) cursor.toLineWith(one.text);
    else if (one.kind === 'lines') cursor.advance(one.count, sought);
    else if (one.kind === 'marker') {
      const isSearch = !instructions.slice(0, i).some((before) => 'name' in before);
      if (!cursor.behind(one.text, !isSearch)) [i, sought] = [-1, one.text];
    } else take(cursor, one, instructions[i + 1]);
  }
}

function take(
  cursor: Cursor,
  one: Exclude<Instruction, { kind: 'marker' | 'lines' }>,
  next: Instruction | undefined,
): void {
  if (one.kind === 'word') cursor.toWord();
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
  /** Position of the first character that is not passed yet. */
  #at = 0;
  /** As it is in the file. */
  #raw = '';
  /** The text of columns that PEST++ takes for an earlier one on the line, so that it goes on there; undefined for none. */
  #astray: string | undefined;

  constructor(lines: readonly string[], origin: string, delimiters: string) {
    this.#lines = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
    this.#origin = origin;
    this.#delimiters = ` \t${delimiters}`;
  }

  /** @param sought  the text that earlier lines lacked */
  advance(count: number, sought?: string): void {
    const wanted = this.#number + count;
    if (wanted > this.#lines.length) {
      const why = sought === undefined ? `but line ${wanted} is needed` : `and no line before has "${sought}"`;
      throw new Mismatch(`${this.#origin} ends at line ${this.#lines.length}, ${why}`);
    }
    this.#number = wanted;
    this.#raw = this.#lines[wanted - 1]!;
    this.#line = expandTabs(this.#raw);
    this.#at = 0;
    this.#astray = undefined;
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
    this.#refuseAstray();
    const start = this.#line.indexOf(text, this.#at);
    if (start < 0 && isNeeded) throw this.#mismatch(`has no "${text}"`);
    if (start >= 0) this.#at = start + text.length;
    return start >= 0;
  }

  /** To the next word, past the rest of the one that the cursor is in. */
  toWord(): void {
    this.#refuseAstray();
    let at = this.#at;
    while (at < this.#line.length && !this.#isBetweenWords(at)) at += 1;
    while (at < this.#line.length && this.#isBetweenWords(at)) at += 1;
    if (at >= this.#line.length) throw this.#mismatch('has no further word');
    this.#at = at;
  }

  /** Follows a rule of PEST alone, so tabs are its tabs. */
  toColumn(column: number): void {
    if (this.#at > column - 1) throw this.#mismatch(`was read beyond column ${column} already`);
    if (this.#line.length < column) throw this.#mismatch(`has no column ${column}`);
    this.#at = column - 1;
  }

  /** @param before  the text of a marker that ends the number */
  readFree(name: string, before: string | undefined): void {
    this.#refuseAstray();
    let start = this.#at;
    while (start < this.#line.length && this.#isBlank(start)) start += 1;
    let end = start;
    while (end < this.#line.length && !this.#isBlank(end)) end += 1;
    const close = before === undefined ? -1 : this.#line.indexOf(before, start);
    this.#take(name, start, close < 0 ? end : Math.min(end, close));
  }

  readFixed(name: string, from: number, to: number): void {
    this.#refuseTabs(to);
    if (this.#at > from - 1) throw this.#mismatch(`was read beyond column ${from} already`);
    const end = Math.min(to, this.#line.length);
    this.#watch(from - 1, end);
    this.#take(name, from - 1, end);
  }

  /** The word that begins in the columns, as far as it goes. */
  readSemiFixed(name: string, from: number, to: number): void {
    this.#refuseTabs(to);
    if (this.#at > to) throw this.#mismatch(`was read beyond column ${to} already`);
    let start = Math.max(this.#at, from - 1);
    while (start < to && start < this.#line.length && this.#isBlank(start)) start += 1;
    if (start >= to || start >= this.#line.length) throw this.#mismatch(`has nothing in columns ${from} to ${to}`);
    if (start > this.#at && !this.#isBlank(start - 1)) {
      throw this.#mismatch(
        `has a word that begins before column ${from}, which PEST reads in full and PEST++ from there; name a column before it`,
      );
    }
    let end = start;
    while (end < this.#line.length && !this.#isBlank(end)) end += 1;
    this.#watch(start, end);
    this.#take(name, start, end);
  }

  /** PEST++ 5.2.23 goes on behind the first text on the line that equals what stands in the columns. */
  #watch(start: number, end: number): void {
    const text = this.#line.slice(start, end);
    if (this.#line.indexOf(text, this.#at) < start) this.#astray ??= text.trim();
  }

  #refuseAstray(): void {
    if (this.#astray === undefined) return;
    throw this.#mismatch(
      `has "${this.#astray}" also before its columns, and PEST goes on behind the columns, PEST++ behind the first one; read the rest by columns, too`,
    );
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

  /** PEST counts a tab as the columns that an editor shows, PEST++ and pyemu count it as one. */
  #refuseTabs(column: number): void {
    if (!this.#raw.slice(0, column).includes('\t')) return;
    throw this.#mismatch(
      `has a tab before column ${column}, which PEST and PEST++ count differently; find the number by words`,
    );
  }

  #isBetweenWords(at: number): boolean {
    return this.#delimiters.includes(this.#line[at]!);
  }

  #isBlank(at: number): boolean {
    return this.#line[at] === ',' || this.#isBetweenWords(at);
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
