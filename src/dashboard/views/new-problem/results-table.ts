/** The designed points as a table to take to a spreadsheet, and their outputs pasted back. Needs no browser. */
import { hasHeader, isTitleOf, type Rows, withoutUnit } from '../../parts/paste.ts';
import { type Draft, type InputDraft, namesOfRows, splitCategories } from './draft.ts';

const CASE = 'case';

/** A value of an input as people read it. */
export function inputText(input: InputDraft, value: number): string {
  if (input.type === 'boolean') return value === 0 ? 'no' : 'yes';
  if (input.type === 'category') return splitCategories(input.categories)[value - 1] ?? String(value);
  return String(value);
}

/** Header and rows: number of the case, inputs, and outputs as far as they are there. */
export function pointsTable(draft: Draft): {
  readonly header: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
} {
  const { inputs, outputs, results } = draft;
  const titled = (names: readonly string[], rows: readonly { readonly unit: string }[]) =>
    names.map((name, i) => (rows[i]!.unit.trim() === '' ? name : `${name} [${rows[i]!.unit.trim()}]`));
  const points = draft.project?.points ?? [];
  return {
    header: [CASE, ...titled(namesOfRows(inputs, 'x'), inputs), ...titled(namesOfRows(outputs, 'y'), outputs)],
    rows: points.map((point, r) => [
      r + 1,
      ...point.map((value, i) => (isWritten(inputs[i]!) ? inputText(inputs[i]!, value) : value)),
      ...outputs.map((_, j) => results[r]?.[j] ?? ''),
    ]),
  };
}

function isWritten({ type }: InputDraft): boolean {
  return type === 'boolean' || type === 'category';
}

export type Pasted =
  | { readonly results: readonly (readonly string[])[]; readonly fault?: undefined }
  | { readonly results?: undefined; readonly fault: string };

/**
 * The outputs with those in the rows: a column per output, or a table with a header that names them. A column "case" says which
 * row belongs to which point; otherwise they count from the first. A blank row is a run that failed.
 */
export function pasteResults(rows: Rows, draft: Draft): Pasted {
  const { inputs, outputs } = draft;
  const pointCount = draft.project?.points?.length ?? 0;
  if (rows.length === 0) return { fault: 'There is nothing to paste.' };
  const names = namesOfRows(outputs, 'y');
  const isTitled = hasHeader(rows);
  const data = isTitled ? rows.slice(1) : rows;
  const columns = isTitled
    ? names.map((name) => findTitle(rows[0]!, name))
    : lastColumns(widthOf(data), inputs.length, outputs.length);
  if (columns === undefined || columns.some((column) => column < 0)) {
    const missing = isTitled ? `: ${names.filter((_, j) => columns![j]! < 0).join(', ')} is missing` : '';
    const count = outputs.length === 1 ? 'one column' : `${outputs.length} columns`;
    return { fault: `Paste ${count}, one per output, or a table with their names in a header${missing}.` };
  }
  const columnBefore = widthOf(data) === 1 + inputs.length + outputs.length ? 0 : -1;
  const caseColumn = isTitled ? findTitle(rows[0]!, CASE) : columnBefore;
  const results = Array.from({ length: pointCount }, (_, r) => [...(draft.results[r] ?? [])]);
  for (const [k, row] of data.entries()) {
    const isBlank = row.every((cell) => cell === '');
    const number = caseColumn < 0 || isBlank ? k + 1 : Number(row[caseColumn]);
    if (!Number.isInteger(number) || number < 1) return { fault: `Row ${k + 1} has no case number.` };
    if (number > pointCount) {
      return { fault: `There are ${pointCount} cases; row ${k + 1} of the text belongs to case ${number}.` };
    }
    if (!(isBlank && caseColumn >= 0)) results[number - 1] = columns.map((column) => row[column] ?? '');
  }
  return { results };
}

function widthOf(rows: readonly (readonly string[])[]): number {
  return rows.reduce((widest, row) => Math.max(widest, row.length), 0);
}

/** Outputs alone, or behind the inputs, with or without the number of the case. */
function lastColumns(width: number, inputCount: number, outputCount: number): readonly number[] | undefined {
  const before = width - outputCount;
  if (before !== 0 && before !== inputCount && before !== inputCount + 1) return undefined;
  return Array.from({ length: outputCount }, (_, j) => before + j);
}

function findTitle(titles: readonly string[], name: string): number {
  const exact = titles.findIndex((title) => isTitleOf(title, name));
  return exact >= 0 ? exact : titles.findIndex((title) => withoutUnit(title).toLowerCase() === name.toLowerCase());
}

/** Pastes cells into the table, beginning at one cell; cells beyond the table are ignored. */
export function fillFrom(
  results: readonly (readonly string[])[],
  size: { readonly rows: number; readonly columns: number },
  from: { readonly row: number; readonly column: number },
  cells: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  return Array.from({ length: size.rows }, (_, r) =>
    Array.from({ length: size.columns }, (_, c) => {
      const pasted = r >= from.row && c >= from.column ? cells[r - from.row]?.[c - from.column] : undefined;
      return pasted ?? results[r]?.[c] ?? '';
    }),
  );
}
