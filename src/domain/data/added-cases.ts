/** Makes cases of a table that a client sent: its columns become the inputs and outputs of the project, its cells their values. */

import { decimalMarkOf, parseDecimal } from '../decimal.ts';
import type { Violation } from '../errors.ts';
import { Matrix } from '../matrix.ts';
import { type InputSpace, InputType, Scale } from '../problem/input-space.ts';
import { type ProjectNames, readInputValue } from '../problem/names.ts';
import { checkInput } from '../problem/project.ts';
import { fateOfRow, type RowColumn, toCaseColumns, unguardText } from './case-columns.ts';
import { ColumnMatcher, type MatchedColumns } from './case-header.ts';
import { atCell, type CaseTable, EMPTY, LISTED_CASE_VIOLATIONS, shorten } from './case-table.ts';

/** The project that cases belong to, with the outputs of their trial. */
export interface CaseProject {
  readonly space: InputSpace;
  readonly outputCount: number;
  readonly names: ProjectNames;
  /**
   * For a file with a column sourceName: only the rows of this source of the project are read, null for the black box
   * itself. Absent: all rows.
   */
  readonly only?: { readonly source: string | null; readonly sources: readonly string[] };
}

export interface AddedCases {
  /** rows x inputs. */
  readonly inputs: Matrix;
  /** rows x outputs; zeros for a failed run. */
  readonly outputs: Matrix;
  /** Zero-based, ascending. */
  readonly failed: readonly number[];
  /** Rows that are no cases, according to what the file says about them. */
  readonly leftOut: number;
}

type ReadCases =
  | { readonly kind: 'cases'; readonly cases: AddedCases }
  | { readonly kind: 'violations'; readonly violations: readonly Violation[] };

/** The cases, or the first 50 things that are wrong with them. */
export function readAddedCases(table: CaseTable, project: CaseProject): ReadCases {
  const matched = matchColumns(table, project);
  if (matched.violations.length > 0) {
    return { kind: 'violations', violations: matched.violations.slice(0, LISTED_CASE_VIOLATIONS) };
  }
  return new CaseReader(table, project, matched).read();
}

/** For each input, output and column about the row, the column of the table that holds it. */
function matchColumns(
  table: CaseTable,
  project: CaseProject,
): MatchedColumns & { readonly violations: readonly Violation[] } {
  const { space, outputCount, names } = project;
  const columns = toCaseColumns({ ...names, inputCount: space.inputCount, outputCount, categories: space.categories });
  const matcher = new ColumnMatcher(columns);
  for (const [j, heading] of table.headings.entries()) matcher.match(heading, j);
  return matcher.finish(table);
}

class CaseReader {
  readonly #table: CaseTable;
  readonly #space: InputSpace;
  readonly #outputCount: number;
  readonly #project: CaseProject;
  readonly #columns: MatchedColumns;
  readonly #violations: Violation[] = [];
  /** Codes of categories whose names look like numbers, by that number, for each input. */
  readonly #numericNames: readonly ReadonlyMap<number, number>[];

  constructor(table: CaseTable, project: CaseProject, columns: MatchedColumns) {
    const { space, outputCount } = project;
    this.#table = table;
    this.#project = project;
    this.#space = space;
    this.#outputCount = outputCount;
    this.#columns = columns;
    // In a file a number may be a name; JSON tells them apart.
    this.#numericNames = space.categories.map((names, i) =>
      table.lines === null ? new Map() : numericNames(names, space.minimums[i]!),
    );
  }

  read(): ReadCases {
    const { values, failed } = this.#table;
    const { inputCount } = this.#space;
    const m = this.#outputCount;
    const inputs = new Float64Array(values.rows * inputCount);
    const outputs = new Float64Array(values.rows * m);
    const listed = new Set(failed);
    const failedRows: number[] = [];
    let count = 0;
    for (let row = 0; row < values.rows && this.#violations.length < LISTED_CASE_VIOLATIONS; row++) {
      const fate = this.#fateOf(row, listed);
      if (fate === 'left-out') continue;
      this.#readInput(row, inputs.subarray(count * inputCount, (count + 1) * inputCount));
      if (fate === 'failed') failedRows.push(count);
      else this.#readOutput(row, outputs.subarray(count * m, (count + 1) * m));
      count++;
    }
    if (this.#violations.length > 0) {
      return { kind: 'violations', violations: this.#violations.slice(0, LISTED_CASE_VIOLATIONS) };
    }
    const cases = {
      inputs: new Matrix(count, inputCount, inputs.slice(0, count * inputCount)),
      outputs: new Matrix(count, m, outputs.slice(0, count * m)),
      failed: failedRows,
      leftOut: values.rows - count,
    };
    return { kind: 'cases', cases };
  }

  #markOf(row: number, column: number): number {
    return this.#table.marks[row * this.#table.headings.length + column]!;
  }

  #valueOf(row: number, column: number): number {
    return this.#table.values.values[row * this.#table.headings.length + column]!;
  }

  #textOf(row: number, column: number): string | undefined {
    const mark = this.#markOf(row, column);
    return mark > 0 ? this.#table.texts[mark - 1] : undefined;
  }

  #fateOf(row: number, listed: ReadonlySet<number>): ReturnType<typeof fateOfRow> {
    const { inputs, outputs, about } = this.#columns;
    if (this.#table.lines === null) return listed.has(row) ? 'failed' : 'case';
    const isFilled = (column: number) => this.#markOf(row, column) !== EMPTY;
    const cell = (name: RowColumn) => {
      const column = about.get(name);
      return column === undefined ? undefined : (this.#textOf(row, column) ?? '').toLowerCase();
    };
    const { only } = this.#project;
    const named = about.has('sourceName') ? this.#textOf(row, about.get('sourceName')!) : undefined;
    const source = only?.sources.find((one) => one === named) ?? null;
    if (only !== undefined && source !== only.source) return 'left-out';
    return fateOfRow({
      hasInput: inputs.some(isFilled),
      hasOutput: outputs.some(isFilled),
      status: cell('status'),
      excluded: cell('excluded'),
    });
  }

  #refuse(row: number, column: number, message: string): void {
    this.#violations.push(atCell(this.#table, row, column, message));
  }

  #readInput(row: number, into: Float64Array): void {
    const { inputs } = this.#columns;
    for (let i = 0; i < inputs.length; i++) {
      const column = inputs[i]!;
      const mark = this.#markOf(row, column);
      if (mark === EMPTY) this.#refuse(row, column, 'is empty: every case needs all inputs.');
      else if (mark > 0) this.#readText(row, column, i, into);
      else into[i] = this.#numericNames[i]!.get(this.#valueOf(row, column)) ?? this.#valueOf(row, column);
      if (mark !== EMPTY) this.#checkCode(row, column, i, into[i]!);
    }
  }

  #readText(row: number, column: number, i: number, into: Float64Array): void {
    const text = this.#textOf(row, column)!;
    const type = this.#space.inputTypes[i]!;
    // A valid code, so that the cell is refused once.
    into[i] = this.#space.minimums[i]!;
    if (type !== InputType.category && !(type === InputType.boolean && isTruth(text))) {
      this.#refuse(row, column, describeNoNumber(text, type, this.#table.lines !== null));
      return;
    }
    const names = this.#space.categories[i]!;
    const sent = type === InputType.category && !names.includes(text) ? unguardText(text) : text;
    const read = readInputValue(this.#space, i, type === InputType.boolean ? sent.toLowerCase() === 'true' : sent);
    if (read.kind === 'number') into[i] = read.number;
    else this.#refuse(row, column, `is ${shorten(text)}; it ${read.message}`);
  }

  /** Numbers outside the bounds are cases too; codes and whole numbers are what they are. */
  #checkCode(row: number, column: number, i: number, value: number): void {
    const { inputTypes, minimums, maximums, details } = this.#space;
    const type = inputTypes[i]!;
    if (type !== InputType.float && !Number.isInteger(value)) {
      this.#refuse(row, column, `must be a whole number (the input is ${type}), is ${value}.`);
    } else if (
      (type === InputType.boolean || type === InputType.category) &&
      !isBetween(value, minimums[i]!, maximums[i]!)
    ) {
      const wanted =
        type === InputType.boolean
          ? '0, 1, true or false'
          : `a name of its categories or its number, ${minimums[i]} to ${maximums[i]}`;
      this.#refuse(row, column, `must be ${wanted}, is ${value}.`);
    } else if (details?.scales?.[i] === Scale.log && !(value > 0)) {
      this.#refuse(row, column, `must be positive: the scale of the input is log, is ${value}.`);
    }
  }

  #readOutput(row: number, into: Float64Array): void {
    const { outputs } = this.#columns;
    for (let j = 0; j < outputs.length; j++) {
      const column = outputs[j]!;
      const mark = this.#markOf(row, column);
      if (mark === 0) into[j] = this.#valueOf(row, column);
      else if (mark === EMPTY) {
        const message =
          'is empty while other outputs of the row are not: fill it in, or leave all of them empty for a failed run.';
        this.#refuse(row, column, message);
      } else {
        const isFile = this.#table.lines !== null;
        const advice = isFile ? ' If the run failed, leave all outputs of the row empty.' : '';
        this.#refuse(row, column, `${describeNoNumber(this.#textOf(row, column)!, InputType.float, isFile)}${advice}`);
      }
    }
  }
}

function isTruth(text: string): boolean {
  return /^(?:true|false)$/i.test(text);
}

function isBetween(value: number, minimum: number, maximum: number): boolean {
  return value >= minimum && value <= maximum;
}

function numericNames(names: readonly string[], minimum: number): ReadonlyMap<number, number> {
  const codes = new Map<number, number>();
  for (const [k, name] of names.entries()) {
    const value = parseDecimal(name, '.');
    // NaN, which is no code, marks a number that several names write: none of them is meant for certain.
    if (value !== undefined) codes.set(value, codes.has(value) ? Number.NaN : minimum + k);
  }
  return codes;
}

/** Describes the fault of a text where a number is needed. */
function describeNoNumber(text: string, type: InputType, isFile: boolean): string {
  const wanted = type === InputType.boolean ? '0, 1, true or false' : 'a finite number';
  const shown = isFile ? shorten(text) : `the string "${shorten(text)}"`;
  const value = parseDecimal(text, '.');
  if (value !== undefined && !Number.isFinite(value)) {
    return `must be ${wanted}, ${shown} is beyond the range of a double precision number.`;
  }
  if (isFile && decimalMarkOf(text) === '.') {
    return `must be ${wanted}, is ${shown}: numbers before it have decimal commas; use one decimal mark in a file.`;
  }
  if (isFile && decimalMarkOf(text) === ',') {
    return `must be ${wanted}, is ${shown}: write a decimal point, or separate the cells by semicolons if numbers have decimal commas.`;
  }
  return `must be ${wanted}, is ${shown}.`;
}

/** Whether an input, whose codes are valid, lies outside the bounds of the space. */
export function isOutsideBounds(space: InputSpace, input: Float64Array): boolean {
  return checkInput(space, input, []).length > 0;
}
