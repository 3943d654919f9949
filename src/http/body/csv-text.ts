/**
 * From the bytes of a CSV file (RFC 4180) to a table of cases. Commas separate the cells, or semicolons, as spreadsheets write
 * them where a comma is the decimal mark: then numbers may have decimal commas. A file uses one decimal mark throughout.
 */
import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import {
  atRow,
  type CaseTable,
  CaseTableWriter,
  LISTED_CASE_VIOLATIONS,
  shorten,
  TOO_MANY_TEXTS,
} from '../../domain/data/case-table.ts';
import { type DecimalMark, decimalMarkOf, parseDecimal } from '../../domain/decimal.ts';
import { makeViolation, type Violation } from '../../domain/errors.ts';
import { MAXIMUM_INPUT_COUNT } from '../../domain/problem/project.ts';
import { MAXIMUM_CASE_COUNT, MAXIMUM_OUTPUT_COUNT } from '../wire/limits.ts';
import type { Parsed } from '../wire/violations.ts';
import type { ParsedText } from './json-text.ts';

/** Inputs, outputs, a verdict per output, and what else a file says about its rows. */
const MAXIMUM_COLUMN_COUNT = MAXIMUM_INPUT_COUNT + 2 * MAXIMUM_OUTPUT_COUNT + 100;

/** Several times the length of a row of long names; only a file with an open quote has longer ones. */
const MAXIMUM_ROW_BYTES = 1024 * 1024;

/**
 * Line ends are CRLF, LF or CR; empty lines, and rows whose cells are all empty, count for nothing. A BOM is ignored.
 *
 * @param values  the most cells
 */
export function parseCsvText(
  bytes: Uint8Array,
  { values }: { readonly values: number },
): ParsedText<Parsed<CaseTable>> {
  const layout = scan(bytes);
  if (layout.cells > values) {
    return { kind: 'unreadable', message: `The file must have at most ${values} cells, has ${layout.cells}.` };
  }
  // UTF-16, which some programs write, is full of NUL.
  if (!isUtf8(bytes) || bytes.includes(0)) {
    return {
      kind: 'unreadable',
      message: 'The file is not text in UTF-8; save it as CSV UTF-8, without NUL characters, and send it again.',
    };
  }
  const reader = new CellReader(layout.separator, 'CSV file');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (layout.longRow !== undefined) {
    const lines = buffer.toString('latin1', 0, layout.longRow).split(/\r\n|\n|\r/).length;
    reader.refuseText('CSV_MAX_RECORD_SIZE', lines);
    return { kind: 'value', value: reader.finish() };
  }
  try {
    parse(buffer, {
      bom: true,
      delimiter: layout.separator,
      record_delimiter: ['\r\n', '\n', '\r'],
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: MAXIMUM_ROW_BYTES,
      on_record: (cells: readonly string[], { lines }) => {
        reader.read(cells, lines);
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) reader.refuseText(error.code, Number('lines' in error ? error.lines : 1));
    else if (!(error instanceof ReadingEnded)) throw error;
  }
  return { kind: 'value', value: reader.finish() };
}

type Separator = ',' | ';';

const QUOTE = 0x22;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

interface Layout {
  /** Separator of the first line that has one. */
  readonly separator: Separator;
  /** At least as many as there are. */
  readonly cells: number;
  /** The start of a row that is too long; the parser takes seconds for the spaces of one. */
  readonly longRow: number | undefined;
}

/** Properties of a file that follow from the bytes outside quotes. */
function scan(bytes: Uint8Array): Layout {
  let start = 0;
  let longRow: number | undefined;
  const endRow = (end: number) => {
    if (end - start > MAXIMUM_ROW_BYTES) longRow ??= start;
    start = end + 1;
  };
  let commas = 0;
  let semicolons = 0;
  let lines = 1;
  let separator: Separator | undefined;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      // A doubled quote inside quotes ends them and begins others.
      i = bytes.indexOf(QUOTE, i + 1);
      if (i === -1) {
        // The parser reports the position of the open quote.
        start = bytes.length;
        break;
      }
    } else if (byte === COMMA) commas++;
    else if (byte === SEMICOLON) semicolons++;
    else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
      if (byte === LINE_FEED || bytes[i + 1] !== LINE_FEED) lines++;
      endRow(i);
      if (commas + semicolons > 0) separator ??= separatorOf(commas, semicolons);
    }
  }
  endRow(bytes.length);
  separator ??= separatorOf(commas, semicolons);
  return { separator, cells: lines + (separator === ',' ? commas : semicolons), longRow };
}

function separatorOf(commas: number, semicolons: number): Separator {
  return commas === 0 && semicolons > 0 ? ';' : ',';
}

/** Thrown out of the parser when the rest of a file is not worth reading; never leaves this file. */
export class ReadingEnded extends Error {}

/** Makes a table of cases from the cells of a CSV file or a sheet, row by row. */
export class CellReader {
  readonly #separator: Separator | undefined;
  readonly #what: string;
  readonly #violations: Violation[] = [];
  readonly #lines: number[] = [];
  #titles: readonly string[] | undefined;
  #writer: CaseTableWriter | undefined;
  /** Sign of the first number that has one; with commas as separators it is known. */
  #mark: DecimalMark | undefined;
  #rows = 0;

  /** @param layout  what separates the cells of a text; a decimal sign where nothing does */
  constructor(layout: Separator | '.', what: 'CSV file' | 'workbook') {
    this.#separator = layout === '.' ? undefined : layout;
    this.#what = what;
    if (layout !== ';') this.#mark = '.';
  }

  read(cells: readonly string[], line: number): void {
    if (cells.every((cell) => cell === '')) return;
    if (this.#titles === undefined) this.#readHeader(cells);
    else this.#readRow(cells, line);
  }

  #readHeader(titles: readonly string[]): void {
    this.#titles = titles;
    this.#writer = new CaseTableWriter(titles.length);
    if (titles.length <= MAXIMUM_COLUMN_COUNT) return;
    const message = `must have at most ${MAXIMUM_COLUMN_COUNT} columns, has ${titles.length}.`;
    this.#end({ ...makeViolation([0], message), property: 'header' });
  }

  #readRow(cells: readonly string[], line: number): void {
    if (this.#rows === MAXIMUM_CASE_COUNT) {
      const message = `is one too many: a file may have ${MAXIMUM_CASE_COUNT} rows; send the others in another request.`;
      this.#end(atRow(this.#rows, line, null, message));
    }
    this.#rows += 1;
    const titles = this.#titles!;
    if (cells.length !== titles.length) {
      this.refuse(atRow(this.#rows - 1, line, null, this.#describeCount(cells, titles.length)));
      return;
    }
    this.#lines.push(line);
    for (let j = 0; j < cells.length; j++) this.#readCell(cells[j]!, line, titles[j]!);
  }

  #describeCount(cells: readonly string[], wanted: number): string {
    const hasCommas = this.#separator === ',' && cells.length > wanted;
    const advice = hasCommas
      ? ' Write decimal points (1.5, not 1,5), or separate the cells by semicolons; put a text with a comma in double quotes.'
      : '';
    return `must have as many cells as the header (${wanted}), has ${cells.length}.${advice}`;
  }

  #readCell(cell: string, line: number, title: string): void {
    const writer = this.#writer!;
    if (cell === '') {
      writer.empty();
      return;
    }
    if (this.#mark === undefined) this.#mark = decimalMarkOf(cell);
    const value = parseDecimal(cell, this.#mark ?? '.');
    if (value !== undefined && Number.isFinite(value)) writer.number(value);
    else if (!writer.text(cell)) this.#end(atRow(this.#rows - 1, line, title, TOO_MANY_TEXTS));
  }

  /** After a misplaced quote the parser reads nothing sensible. */
  /** @param code  of the parser */
  refuseText(code: string, line: number): void {
    const advice = 'put the whole cell in double quotes, and write a quote inside it twice.';
    const faults: Readonly<Record<string, string>> = {
      CSV_QUOTE_NOT_CLOSED: `opens a double quote that nothing closes; ${advice}`,
      CSV_MAX_RECORD_SIZE: `begins or ends a row of more than ${MAXIMUM_ROW_BYTES} bytes; is a double quote open?`,
    };
    const message = faults[code] ?? `has a stray double quote; ${advice}`;
    this.#violations.push({ ...makeViolation([], message), property: `line ${line}` });
  }

  /** Throws ReadingEnded when enough is wrong. */
  refuse(violation: Violation): void {
    this.#violations.push(violation);
    if (this.#violations.length >= LISTED_CASE_VIOLATIONS) throw new ReadingEnded();
  }

  #end(violation: Violation): never {
    this.#violations.push(violation);
    throw new ReadingEnded();
  }

  finish(): Parsed<CaseTable> {
    const violations = [...this.#violations];
    if (violations.length === 0 && this.#rows === 0) violations.push(this.#describeNothing());
    if (violations.length > 0) return { kind: 'violations', violations };
    const value = {
      headings: this.#titles!.map((title, position) => ({ field: null, position, title })),
      ...this.#writer!.take(),
      failed: [],
      lines: this.#lines,
      source: null,
    };
    return { kind: 'value', value };
  }

  #describeNothing(): Violation {
    const titles = this.#titles;
    const found = titles === undefined ? 'it is empty' : `it has only a header (${shorten(titles.join(', '))})`;
    return makeViolation([], `must be a ${this.#what} with a header of names and at least one row, ${found}.`);
  }
}
