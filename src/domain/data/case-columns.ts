/**
 * Columns of cases in CSV: what an export writes and what a load reads or ignores, so that every export can be loaded again.
 *
 * A row has the inputs, then the outputs, each titled with its name and its unit in square brackets (without names x1, x2, ...
 * and y1, y2, ...), then columns about the row, which a load ignores but for `status` and `excluded`; see fateOfRow.
 */
import { InputType } from '../problem/input-space.ts';
import { inputNamesOf, outputNamesOf } from '../problem/names.ts';
import { RUN_VIEWS, sentName } from './run-fields.ts';

/** An input or an output as its column names it. */
export interface CaseColumn {
  readonly name: string;
  readonly unit: string | null;
  readonly type: InputType;
  /** Names of its values, the first that of the number `minimum`; empty unless it is a category. */
  readonly categories: readonly string[];
  readonly minimum: number;
}

export interface CaseColumns {
  readonly inputs: readonly CaseColumn[];
  readonly outputs: readonly CaseColumn[];
}

/** Statements about the columns; null says nothing. */
export interface StatedColumns {
  readonly inputCount: number;
  readonly outputCount: number;
  readonly inputNames: readonly string[] | null;
  readonly inputUnits: readonly string[] | null;
  readonly outputNames: readonly string[] | null;
  readonly outputUnits: readonly string[] | null;
  readonly categories: readonly (readonly string[])[];
  /** Needed to write values; names and units do without. */
  readonly inputTypes?: readonly InputType[];
  readonly minimums?: readonly number[];
}

export function toCaseColumns(stated: StatedColumns): CaseColumns {
  const { inputNames, inputUnits, outputNames, outputUnits, categories, inputTypes, minimums } = stated;
  const unitOf = (units: readonly string[] | null, i: number) => units?.[i] || null;
  return {
    inputs: inputNamesOf(stated.inputCount, inputNames).map((name, i) => ({
      name,
      unit: unitOf(inputUnits, i),
      type: inputTypes?.[i] ?? InputType.float,
      categories: categories[i] ?? [],
      minimum: minimums?.[i] ?? 0,
    })),
    outputs: outputNamesOf(stated.outputCount, outputNames).map((name, j) => ({
      name,
      unit: unitOf(outputUnits, j),
      type: InputType.float,
      categories: [],
      minimum: 0,
    })),
  };
}

/** The title of a column: `Power [kW]`, or the name alone without a unit. */
export function columnTitle({ name, unit }: Pick<CaseColumn, 'name' | 'unit'>): string {
  return unit === null || unit === '' ? name : `${name} [${unit}]`;
}

/** Columns about a row, which a load must not take for inputs or outputs. */
export const ROW_COLUMNS = [
  'source',
  'objective',
  'number',
  ...RUN_VIEWS.before.map(sentName),
  ...RUN_VIEWS.after.map(sentName),
  ...RUN_VIEWS.last.map(sentName),
] as const;
export type RowColumn = (typeof ROW_COLUMNS)[number];

const VERDICT = 'met:';
const DERIVATIVE = 'd:';
/** Set before the title of a column about the row when an input or an output has that title. */
const ROW = 'row:';

/** Titles of a column that differ from its name: the one that is written, then those of earlier releases. */
const TITLES: Partial<Readonly<Record<RowColumn, readonly [string, ...string[]]>>> = { iteration: ['run', 'inverse'] };

/** The title of a column about the row: people call an iteration a run. */
export function titleOfRow(column: string): string {
  return TITLES[column as RowColumn]?.[0] ?? column;
}

/** Title of the column that says whether the output meets its objective. */
export function verdictTitle(outputName: string): string {
  return `${VERDICT}${outputName}`;
}

/** Title of the column with the derivative of an output by an input. */
export function derivativeTitle(outputName: string, inputName: string): string {
  return `${DERIVATIVE}${outputName}/${inputName}`;
}

/** A title for a column about the row that no input or output has. */
export function rowTitle(title: string, taken: ReadonlySet<string>): string {
  let free = title;
  while (taken.has(free)) free = `${ROW}${free}`;
  return free;
}

/**
 * Meaning of a title among the columns about the row: one of ROW_COLUMNS, or another that is ignored. undefined: none,
 * so the title must be that of an input or an output. A load looks for those first: an input may be called status.
 */
export function rowColumnOf(title: string): RowColumn | 'ignored' | undefined {
  const bare = title.replace(/^(?:row:)+/, '');
  if (bare.startsWith(VERDICT) || bare.startsWith(DERIVATIVE)) return 'ignored';
  return ROW_COLUMNS.find((column) => column === bare || TITLES[column]?.includes(bare));
}

/** The `status` of a row whose run failed; others are those of cases (`completed`) and of inverses. */
export const FAILED_ROW = 'failed';
export const COMPLETED_ROW = 'completed';

/**
 * Result of loading a row: a case with its outputs, a failed run, or nothing. A row that an export marked as excluded, or
 * whose run has no result yet (no outputs and a status other than failed), is left out, as is one without an input.
 *
 * @param status, excluded  the cells of these columns, undefined when the file lacks them
 */
export function fateOfRow(row: {
  readonly hasInput: boolean;
  readonly hasOutput: boolean;
  readonly status: string | undefined;
  readonly excluded: string | undefined;
}): 'case' | 'failed' | 'left-out' {
  const { hasInput, hasOutput, status, excluded } = row;
  if (excluded === 'true') return 'left-out';
  if (hasOutput) return 'case';
  if (status === undefined || status === '') return 'failed';
  return hasInput && status === FAILED_ROW ? 'failed' : 'left-out';
}

/** Spreadsheets take a cell that begins with one of these for a formula. */
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** A text as a cell that no spreadsheet runs as a formula: with an apostrophe before it where one would. */
export function guardText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The text that guardText made a cell of. */
export function unguardText(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell;
}
