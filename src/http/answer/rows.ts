/**
 * Rows of cases or runs as CSV (RFC 4180) or as lines of JSON, written while they are read: memory does not grow with
 * their number. domain/data/case-columns.ts states the columns.
 */

import { z } from 'zod';
import { type CaseColumn, guardText } from '../../domain/data/case-columns.ts';
import { InputType } from '../../domain/problem/input-space.ts';
import { categoryOf } from '../../domain/problem/names.ts';
import type { Answer, Call } from '../operation/operation.ts';
import { MEDIA_TYPES, type RowFormat } from '../wire/formats.ts';
import { type Numbers, type NumberText, type RowTable, titlesOf, toList } from './row-table.ts';
import { writeWorkbook } from './workbook.ts';
import { inSlices } from './write-json.ts';

/** The query parameters of operations that write rows, all about CSV. */
export const ROW_TEXTS = {
  decimal: {
    schema: z.enum(['point', 'comma']),
    description:
      'For CSV: comma writes 1,5 instead of 1.5 and separates the cells by semicolons, as spreadsheets expect where the decimal sign is a comma.',
  },
} as const;
export const ROW_FLAGS = {
  bom: 'For CSV: whether to begin with a byte order mark, by which spreadsheets know that the file is in UTF-8.',
} as const;

type Asked = Pick<Call<unknown, unknown>, 'format' | 'texts' | 'flags' | 'nextSlice'>;

/** Answers 200 with all rows of the table, in the format that the call asks for, which is not JSON. */
export function answerRows(call: Asked, table: RowTable, headers: Readonly<Record<string, string>> = {}): Answer {
  const format = call.format as RowFormat;
  const withType = (type: string) => ({ ...headers, 'content-type': type, vary: 'Accept' });
  if (format === 'xlsx') {
    return { status: 200, headers: withType(MEDIA_TYPES.xlsx), body: writeWorkbook(table, call.nextSlice) };
  }
  const style = { hasComma: call.texts['decimal'] === 'comma', hasMark: call.flags['bom'] === true };
  const lines = format === 'csv' ? csvLines(table, style) : jsonLines(table);
  return {
    status: 200,
    headers: withType(`${MEDIA_TYPES[format]}; charset=utf-8${format === 'csv' ? '; header=present' : ''}`),
    pieces: (nextSlice) => inSlices(lines, nextSlice),
  };
}

const END = '\r\n';
const MARK = '\uFEFF';

interface CsvStyle {
  /** Whether the decimal sign is a comma, and semicolons separate the cells. */
  readonly hasComma: boolean;
  readonly hasMark: boolean;
}

async function* csvLines(table: RowTable, { hasComma, hasMark }: CsvStyle): AsyncGenerator<string, void> {
  const { columns, before, hasVerdicts, batches } = table;
  const { inputs, outputs } = columns;
  const separator = hasComma ? ';' : ',';
  const write = (value: NumberText) => (hasComma ? String(value).replace('.', ',') : value);
  const join = (values: Numbers) => (hasComma ? toList(values)!.map(write).join(separator) : toText(values));
  yield `${hasMark ? MARK : ''}${titlesOf(table).map(textCell).join(separator)}${END}`;
  const noInput = new Array(inputs.length).fill('').join(separator);
  const noOutput = new Array(outputs.length).fill('').join(separator);
  const isPlain = inputs.every(({ categories }) => categories.length === 0);
  const inputCell = (column: CaseColumn, value: NumberText): NumberText => {
    const name = categoryOf(column, Number(value));
    return name === undefined ? write(value) : textCell(name);
  };
  const inputCells = (input: Numbers) =>
    isPlain
      ? join(input)
      : toList(input)!
          .map((value, i) => inputCell(inputs[i]!, value))
          .join(separator);
  const factCell = (fact: string | number | boolean | null): NumberText => {
    if (fact === null) return '';
    return typeof fact === 'string' ? textCell(fact) : write(String(fact));
  };
  for await (const batch of batches) {
    for (const { input, output, facts, met } of batch) {
      const cells: NumberText[] = [
        input === null ? noInput : inputCells(input),
        output === null ? noOutput : join(output),
      ];
      for (let i = 0; i < before.length; i++) cells.push(factCell(facts[i]!));
      if (hasVerdicts) cells.push(met?.join(separator) ?? noOutput);
      for (let i = before.length; i < facts.length; i++) cells.push(factCell(facts[i]!));
      yield cells.join(separator) + END;
    }
  }
}

function toText(numbers: Numbers): string {
  return typeof numbers === 'string' ? numbers : numbers.join(',');
}

/** Quoted where the separators, quotes, line breaks or outer spaces of the text could be misread. */
function textCell(text: string): string {
  const guarded = guardText(text);
  return /[",;\r\n]|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
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
