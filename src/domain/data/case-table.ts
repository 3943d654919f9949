/**
 * Cases as a client sent them: a table of numbers and texts whose columns are yet to be matched with the inputs and outputs of
 * a project. It is read from JSON or CSV without knowing the project, so that a thread can do it; see added-cases.ts for the rest.
 */

import { makeViolation, type Violation } from '../errors.ts';
import { Matrix } from '../matrix.ts';
import { toPositiveZero } from '../vectors.ts';
import type { SentJacobian } from './jacobian.ts';

/** Violations that are listed of one table; reading ends with the last of them. */
export const LISTED_CASE_VIOLATIONS = 50;
/** Texts that differ. Only names of categories are texts, and few projects have a thousand. */
const MAXIMUM_TEXTS = 50_000;
/** No name of a category is longer; the rest is only shown. */
const KEPT_LENGTH = 200;

/** A column of a CSV file, or one of the inputs or outputs of JSON rows. */
export interface CaseHeading {
  /** The field of a JSON body; null in a CSV file, where a title alone tells inputs from outputs. */
  readonly field: 'inputs' | 'outputs' | null;
  /** Zero-based position within its field or file. */
  readonly position: number;
  /** null where JSON rows are arrays. */
  readonly title: string | null;
}

export interface CaseTable {
  readonly headings: readonly CaseHeading[];
  /** rows x headings; 0 in cells without a number. */
  readonly values: Matrix;
  /** rows x headings: 0 for a number, EMPTY, or t for texts[t - 1]. */
  readonly marks: Int32Array;
  readonly texts: readonly string[];
  /** Zero-based rows whose run failed, as JSON lists them; their outputs mean nothing. */
  readonly failed: readonly number[];
  /** Derivatives, by row, as JSON has them. */
  readonly sentJacobians?: readonly (SentJacobian | null)[];
  /** Line of the file on which each row ends; null for JSON. */
  readonly lines: readonly number[] | null;
  /** Origin of the rows, in the client's words. */
  readonly source: string | null;
}

export const EMPTY = -1;

/** A violation at a cell: rows[2].T of JSON counts from 0; row 3, column T of a file counts from 1, below the header. */
export function atCell(
  { headings, lines }: Pick<CaseTable, 'headings' | 'lines'>,
  row: number,
  column: number,
  message: string,
): Violation {
  const { field, position, title } = headings[column]!;
  if (field !== null) return makeViolation([field, row, title ?? position], message);
  return atRow(row, lines?.[row] ?? null, title!, message);
}

/** A violation at a row of a file, at one of its columns unless `title` is null. */
export function atRow(row: number, line: number | null, title: string | null, message: string): Violation {
  const where = line === null ? `row ${row + 1}` : `row ${row + 1} (line ${line})`;
  const violation = makeViolation(title === null ? [row + 1] : [row + 1, title], message);
  return { ...violation, property: title === null ? where : `${where}, column ${shorten(title)}` };
}

/** A violation at the header of a file. */
export function atHeader(title: string, message: string): Violation {
  return { ...makeViolation([0, title], message), property: `header, column ${shorten(title)}` };
}

const SHOWN_LENGTH = 64;

/** A text of the client in a message. */
export function shorten(text: string): string {
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}...`;
}

/** Collects rows of cells. Memory grows with the rows that arrive, not with those that are announced. */
export class CaseTableWriter {
  readonly #columns: number;
  readonly #codes = new Map<string, number>();
  #values = new Float64Array();
  #marks = new Int32Array();
  #length = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  get rows(): number {
    return Math.floor(this.#length / this.#columns);
  }

  number(value: number): void {
    this.#push(toPositiveZero(value), 0);
  }

  empty(): void {
    this.#push(0, EMPTY);
  }

  /** False if the table already has too many different texts. */
  text(sent: string): boolean {
    // A longer one cannot be a name; two that begin alike are the same to whoever reads the message.
    const text = sent.length > KEPT_LENGTH ? sent.slice(0, KEPT_LENGTH + 1) : sent;
    let code = this.#codes.get(text);
    if (code === undefined) {
      if (this.#codes.size === MAXIMUM_TEXTS) return false;
      code = this.#codes.size + 1;
      this.#codes.set(text, code);
    }
    this.#push(0, code);
    return true;
  }

  take(): Pick<CaseTable, 'values' | 'marks' | 'texts'> {
    const { rows } = this;
    const length = rows * this.#columns;
    return {
      values: new Matrix(rows, this.#columns, this.#values.slice(0, length)),
      marks: this.#marks.slice(0, length),
      texts: [...this.#codes.keys()],
    };
  }

  #push(value: number, mark: number): void {
    if (this.#length === this.#values.length) this.#grow();
    this.#values[this.#length] = value;
    this.#marks[this.#length] = mark;
    this.#length += 1;
  }

  #grow(): void {
    const capacity = Math.max(1_024, 2 * this.#values.length);
    const values = new Float64Array(capacity);
    const marks = new Int32Array(capacity);
    values.set(this.#values);
    marks.set(this.#marks);
    this.#values = values;
    this.#marks = marks;
  }
}

export const TOO_MANY_TEXTS = `is one text too many: a table can have ${MAXIMUM_TEXTS} different ones; only categories are text.`;
