/**
 * Rows of cases or runs as a workbook (.xlsx) of one sheet, written while they are read. Numbers are numbers, and texts are never
 * formulas.
 */
import { Readable } from 'node:stream';
import type { CaseColumn } from '../../domain/data/case-columns.ts';
import { categoryOf } from '../../domain/problem/names.ts';
import { type RowTable, titlesOf, toList } from './row-table.ts';
import type { NextSlice } from './write-json.ts';

type CellValue = string | number | boolean | null;

/** Milliseconds between which other requests are served. */
const SLICE_MS = 1;
const SHEET = 'Runs';
/** Limit of the text of a cell. */
const LONGEST_TEXT = 32_767;

export function writeWorkbook(table: RowTable, nextSlice: NextSlice): Readable {
  return Readable.from(piecesOf(table, nextSlice), { highWaterMark: 1 });
}

async function* piecesOf(table: RowTable, nextSlice: NextSlice): AsyncGenerator<Uint8Array, void> {
  // Few answers need it.
  const { writeXlsxStream } = await import('hucre/xlsx');
  yield* writeXlsxStream(cellsOf(table, nextSlice), { name: SHEET, freezePane: { rows: 1 } });
}

async function* cellsOf(table: RowTable, nextSlice: NextSlice): AsyncGenerator<CellValue[], void> {
  const { columns, before, hasVerdicts, batches } = table;
  const { inputs, outputs } = columns;
  const nothing = (count: number) => new Array<CellValue>(count).fill(null);
  yield titlesOf(table).map(textOf);
  let sliceStartedAt = performance.now();
  for await (const batch of batches) {
    for (const { input, output, facts, met } of batch) {
      const told = facts.map((fact) => (typeof fact === 'string' ? textOf(fact) : fact));
      yield [
        ...(toList(input)?.map((value, i) => inputCell(inputs[i]!, Number(value))) ?? nothing(inputs.length)),
        ...(toList(output)?.map(Number) ?? nothing(outputs.length)),
        ...told.slice(0, before.length),
        ...(hasVerdicts ? (met ?? nothing(outputs.length)) : []),
        ...told.slice(before.length),
      ];
      if (performance.now() - sliceStartedAt < SLICE_MS) continue;
      const leave = await nextSlice();
      leave();
      sliceStartedAt = performance.now();
    }
  }
}

function inputCell(column: CaseColumn, value: number): CellValue {
  const name = categoryOf(column, value);
  return name === undefined ? value : textOf(name);
}

/** Without what XML cannot hold, and not longer than a cell. */
function textOf(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .slice(0, LONGEST_TEXT);
}
