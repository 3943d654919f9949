/**
 * Rows of cases or runs as CSV (RFC 4180) or as lines of JSON, written while they are read: memory does not grow with
 * their number. domain/case-columns.ts states the columns.
 */
import {
  type CaseColumn,
  type CaseColumns,
  columnTitle,
  guardText,
  rowTitle,
  titleOfRow,
  verdictTitle,
} from '../../domain/case-columns.ts';
import { InputType } from '../../domain/input-space.ts';
import { categoryOf } from '../../domain/names.ts';
import type { Answer } from '../operation.ts';
import { type AnswerFormat, MEDIA_TYPES } from '../wire/formats.ts';
import { inSlices } from './write-json.ts';

/** A number, or its text with all digits. */
type NumberText = number | string;

/** Numbers, or their texts with commas in between. */
type Numbers = readonly NumberText[] | string;

export interface ExportedRow {
  /** Categories by number. null: not known yet. */
  readonly input: Numbers | null;
  readonly output: Numbers | null;
  /** One per column of the table. */
  readonly facts: readonly (string | number | boolean | null)[];
  /** Whether each output meets its objective; null without an output, or in a table without verdicts. */
  readonly met: readonly boolean[] | null;
}

export interface RowTable {
  readonly columns: CaseColumns;
  /** Columns about the row, before the verdicts and after them. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly hasVerdicts: boolean;
  readonly batches: AsyncIterable<readonly ExportedRow[]>;
}

/** Answers 200 with all rows of the table. */
export function answerRows(
  format: Exclude<AnswerFormat, 'json'>,
  table: RowTable,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const isCsv = format === 'csv';
  const type = `${MEDIA_TYPES[format]}; charset=utf-8${isCsv ? '; header=present' : ''}`;
  return {
    status: 200,
    headers: { ...headers, 'content-type': type, vary: 'Accept' },
    pieces: (nextSlice) => inSlices(isCsv ? csvLines(table) : jsonLines(table), nextSlice),
  };
}

const END = '\r\n';

async function* csvLines(table: RowTable): AsyncGenerator<string, void> {
  const { columns, before, after, hasVerdicts, batches } = table;
  const { inputs, outputs } = columns;
  const titles = [...inputs, ...outputs].map(columnTitle);
  // A load knows an input by its name, too: `status [K]` is the input status.
  const taken = new Set([...titles, ...[...inputs, ...outputs].map(({ name }) => name)]);
  const verdicts = hasVerdicts ? outputs.map(({ name }) => verdictTitle(name)) : [];
  const others = [...before.map(titleOfRow), ...verdicts, ...after].map((title) => rowTitle(title, taken));
  yield [...titles, ...others].map(textCell).join(',') + END;
  const noInput = new Array(inputs.length).fill('').join(',');
  const noOutput = new Array(outputs.length).fill('').join(',');
  const isPlain = inputs.every(({ categories }) => categories.length === 0);
  for await (const batch of batches) {
    for (const { input, output, facts, met } of batch) {
      const named = () => toList(input)!.map((value, i) => inputCell(inputs[i]!, value));
      const cells: string[] = [
        input === null ? noInput : toText(isPlain ? input : named()),
        output === null ? noOutput : toText(output),
      ];
      for (let i = 0; i < before.length; i++) cells.push(factCell(facts[i]!));
      if (hasVerdicts) cells.push(met?.join(',') ?? noOutput);
      for (let i = before.length; i < facts.length; i++) cells.push(factCell(facts[i]!));
      yield cells.join(',') + END;
    }
  }
}

function toList(numbers: Numbers | null): readonly NumberText[] | null {
  return typeof numbers === 'string' ? numbers.split(',') : numbers;
}

function toText(numbers: Numbers): string {
  return typeof numbers === 'string' ? numbers : numbers.join(',');
}

function inputCell(column: CaseColumn, value: NumberText): NumberText {
  const name = categoryOf(column, Number(value));
  return name === undefined ? value : textCell(name);
}

function factCell(fact: string | number | boolean | null): string {
  if (fact === null) return '';
  return typeof fact === 'string' ? textCell(fact) : String(fact);
}

/** Quoted where the commas, quotes, line breaks or outer spaces of the text could be misread. */
function textCell(text: string): string {
  const guarded = guardText(text);
  return /[",\r\n]|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

async function* jsonLines(table: RowTable): AsyncGenerator<string, void> {
  const { columns, before, after, hasVerdicts, batches } = table;
  const inputKeys = keysOf(columns.inputs);
  const outputKeys = keysOf(columns.outputs);
  const factKeys = [...before, ...after].map((name) => `${JSON.stringify(name)}:`);
  const isPlain = columns.inputs.every(({ type }) => type !== InputType.category && type !== InputType.boolean);
  for await (const batch of batches) {
    for (const { input, output, facts, met } of batch) {
      const values = toList(input);
      const shown = isPlain ? values : (values?.map((value, i) => jsonOf(columns.inputs[i]!, value)) ?? null);
      const fields = [
        ...facts.slice(0, before.length).map((fact, i) => factKeys[i] + JSON.stringify(fact)),
        `"input":${objectOf(inputKeys, shown)}`,
        `"output":${objectOf(outputKeys, toList(output))}`,
        ...(hasVerdicts ? [`"met":${objectOf(outputKeys, met)}`] : []),
        ...facts.slice(before.length).map((fact, i) => factKeys[before.length + i] + JSON.stringify(fact)),
      ];
      yield `{${fields.join(',')}}\n`;
    }
  }
}

/** Categories by name, booleans as such. */
function jsonOf(column: CaseColumn, value: NumberText): NumberText {
  if (column.type === InputType.boolean) return Number(value) === 0 ? 'false' : 'true';
  const name = categoryOf(column, Number(value));
  return name === undefined ? value : JSON.stringify(name);
}

function keysOf(columns: readonly CaseColumn[]): readonly string[] {
  return columns.map(({ name }) => `${JSON.stringify(name)}:`);
}

/** `values` are JSON, or numbers and their texts, which are JSON too. */
function objectOf(keys: readonly string[], values: readonly (NumberText | boolean)[] | null): string {
  if (values === null) return 'null';
  let text = '';
  for (let i = 0; i < keys.length; i++) text += `${i === 0 ? '' : ','}${keys[i]}${values[i]}`;
  return `{${text}}`;
}
