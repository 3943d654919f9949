/** Tables of the user's own runs: the input or output of each column, and the values of the cells. Needs no browser. */

import { short } from '../../../presentation/formats.ts';
import { unguardText } from '../../parts/formula.ts';
import { hasHeader, isTitleOf, type Rows, withoutUnit } from '../../parts/paste.ts';
import { readNumber } from '../../parts/read-number.ts';
import { boundsOfInput } from './bounds.ts';
import { type Draft, type InputDraft, namesOfRows, type OwnData, splitCategories } from './draft.ts';

/** Matches columns by their titles, or by position where there are none but as many columns as inputs and outputs. */
export function readOwnTable(rows: Rows, { inputs, outputs }: Pick<Draft, 'inputs' | 'outputs'>): OwnData {
  const filled = rows.filter((row) => row.some((cell) => cell !== ''));
  const width = filled.reduce((widest, row) => Math.max(widest, row.length), 0);
  const isTitled = hasTitles(filled);
  const data = (isTitled ? filled.slice(1) : filled).map((row) => padded(row, width));
  const titles = isTitled ? padded(filled[0]!, width) : Array.from({ length: width }, (_, c) => `Column ${c + 1}`);
  if (isTitled) return { titles, uses: matchTitles(titles, inputs, outputs), rows: data };
  const inOrder = [...inputs.map((_, i) => `x${i}`), ...outputs.map((_, j) => `y${j}`)];
  return { titles, uses: width === inOrder.length ? inOrder : Array<string>(width).fill(''), rows: data };
}

/** Titles are no numbers; a first row of data that only has categories and blanks is taken for titles as well. */
function hasTitles(rows: Rows): boolean {
  return hasHeader(rows.map((row) => row.filter((cell) => cell !== '')));
}

function padded(row: readonly string[], width: number): readonly string[] {
  return Array.from({ length: width }, (_, c) => row[c] ?? '');
}

/** Upper and lower case and a unit in brackets make no difference, unless a title fits exactly. */
function matchTitles(titles: readonly string[], inputs: Draft['inputs'], outputs: Draft['outputs']): readonly string[] {
  const names = [
    ...namesOfRows(inputs, 'x').map((name, i) => ({ name, use: `x${i}` })),
    ...namesOfRows(outputs, 'y').map((name, j) => ({ name, use: `y${j}` })),
  ];
  const uses = Array<string>(titles.length).fill('');
  const isFree = (c: number) => uses[c] === '';
  const rules: readonly ((title: string, name: string) => boolean)[] = [
    (title, name) => title === name,
    isTitleOf,
    (title, name) => withoutUnit(title).toLowerCase() === name.toLowerCase(),
  ];
  for (const matches of rules) {
    for (const { name, use } of names) {
      if (uses.includes(use)) continue;
      const column = titles.findIndex((title, c) => isFree(c) && matches(title, name));
      if (column >= 0) uses[column] = use;
    }
  }
  return uses;
}

export type CellRead =
  | { readonly value: number; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string };

const YES = ['yes', 'true', '1', 'ja', 'oui', 'y'];
const NO = ['no', 'false', '0', 'nein', 'non', 'n'];

/** The number in an input's cell: a category by its name or number, yes and no in some languages. */
export function readInputCell(input: InputDraft, cell: string): CellRead {
  const text = cell.trim();
  if (text === '') return { fault: 'An input is missing.' };
  if (input.type === 'boolean') {
    if (YES.includes(text.toLowerCase())) return { value: 1 };
    return NO.includes(text.toLowerCase()) ? { value: 0 } : { fault: 'Write yes or no.' };
  }
  if (input.type === 'category') return readCategory(splitCategories(input.categories), text);
  const read = readNumber(text);
  if (read.value === undefined) return { fault: read.fault };
  if (input.type === 'integer' && !Number.isInteger(read.value)) return { fault: 'Must be a whole number.' };
  const [lower, upper] = boundsOfInput(input).map((bound) => readNumber(bound).value);
  if (lower !== undefined && upper !== undefined && (read.value < lower || read.value > upper)) {
    return { fault: `Is outside ${short(lower)} … ${short(upper)}.` };
  }
  return read;
}

function readCategory(names: readonly string[], text: string): CellRead {
  const exact = names.includes(text) ? names.indexOf(text) : names.indexOf(unguardText(text));
  const position = exact >= 0 ? exact : names.findIndex((name) => name.toLowerCase() === text.toLowerCase());
  if (position >= 0) return { value: position + 1 };
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= names.length) return { value: number };
  return { fault: `Must be one of ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}.` };
}

interface OwnCases {
  readonly inputCases: readonly (readonly number[])[];
  readonly outputCases: readonly (readonly number[])[];
  readonly failedCases: readonly number[];
  /** By cell of the table: `own/row/column`. */
  readonly faults: Readonly<Record<string, string>>;
}

/** The cases of the table; a row without outputs is a run that failed. */
export function readOwnCases({ own, inputs, outputs }: Draft): OwnCases {
  const faults: Record<string, string> = {};
  if (own === null || own.rows.length === 0) {
    return { inputCases: [], outputCases: [], failedCases: [], faults: { own: 'Paste your runs, or choose a file.' } };
  }
  const columnOf = (use: string) => own.uses.indexOf(use);
  const missing = [
    ...namesOfRows(inputs, 'x').filter((_, i) => columnOf(`x${i}`) < 0),
    ...namesOfRows(outputs, 'y').filter((_, j) => columnOf(`y${j}`) < 0),
  ];
  if (missing.length > 0) faults['columns'] = `Choose the column of ${listOf(missing)}.`;
  const failedCases: number[] = [];
  const read = (r: number, c: number, cell: CellRead) => {
    if (cell.fault !== undefined && c >= 0) faults[`own/${r}/${c}`] = cell.fault;
    return cell.value ?? 0;
  };
  const inputCases = own.rows.map((row, r) =>
    inputs.map((input, i) => {
      const c = columnOf(`x${i}`);
      return read(r, c, readInputCell(input, row[c] ?? ''));
    }),
  );
  const outputCases = own.rows.map((row, r) => {
    const columns = outputs.map((_, j) => columnOf(`y${j}`));
    const cells = columns.map((c) => row[c] ?? '');
    if (cells.every((cell) => cell.trim() === '')) {
      failedCases.push(r);
      return cells.map(() => 0);
    }
    return cells.map((cell, j) => read(r, columns[j]!, readNumber(cell)));
  });
  if (missing.length === 0 && failedCases.length === own.rows.length) {
    faults['own'] = 'No row has outputs. Add the outputs of at least one run: the search starts from the best one.';
  }
  return { inputCases, outputCases, failedCases, faults };
}

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
