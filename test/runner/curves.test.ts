/** Curves on a grid of their own: one table gives one set of numbers, or one refusal, in the client, the command and the one in Python. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { CurveError } from '../../clients/typescript/src/solve/curve.ts';
import { fitText, fit as fitValues, readCurve } from '../../clients/typescript/src/solve/fit.ts';
import { readDocument } from '../../src/runner/files/exchange.ts';
import { makeOutputReader } from '../../src/runner/files/read-output.ts';
import CASES from '../clients/curve-cases.json' with { type: 'json' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-curves-'));
  return () => rm(folder, { recursive: true });
});

type Cell = number | string | null;
const tableOf = (x: readonly Cell[], y: readonly Cell[]) =>
  ['time,level', ...x.map((cell, i) => `${cell ?? ''},${y[i] ?? ''}`)].join('\n');

function expectedAt(at: readonly number[]) {
  const data = fitValues(
    at.map(() => 1),
    { x: at },
  );
  return { data, expected: { names: ['level'], fits: new Map([['level', data]]) } };
}

async function readTable(text: string, at: readonly number[]) {
  await writeFile(path.join(folder, 'out.csv'), text);
  const reader = makeOutputReader([], [{ name: 'level', csv: 'out.csv', x: 'time', y: 'level' }]);
  return await reader.read(folder, expectedAt(at).expected);
}

test.each(CASES.curves)('$about', async (one) => {
  const { grid, values, at, expected, refused } = one as {
    readonly grid: readonly Cell[];
    readonly values: readonly Cell[];
    readonly at: readonly number[];
    readonly expected?: readonly number[];
    readonly refused?: string;
  };
  const wanted = expectedAt(at);
  const readings = [readDocument(JSON.stringify({ level: [grid, values] }), wanted.expected, 'stdout')];
  // A table has as many cells in both columns.
  if (grid.length === values.length) readings.push(await readTable(tableOf(grid, values), at));
  const read = () => readCurve('level', wanted.data, [grid, values]);
  if (expected !== undefined) {
    expect(read()).toEqual(expected);
    for (const reading of readings) expect(reading).toEqual({ kind: 'output', output: expected });
    return;
  }
  expect(read).toThrow(CurveError);
  expect(read).toThrow(refused!);
  for (const reading of readings) {
    expect(reading).toEqual({ kind: 'unreadable', reason: expect.stringContaining(refused!) });
  }
});

test.each(CASES.texts)('$x are told apart, or refused, in results and in data', async (one) => {
  const { x, row, refused } = one as {
    readonly x: readonly string[];
    readonly row?: number;
    readonly refused?: string;
  };
  const text = tableOf(
    x,
    x.map((_, i) => i),
  );
  const reading = await readTable(text, [Number(x.at(-1))]);
  if (refused === undefined) {
    expect(reading).toEqual({ kind: 'output', output: [x.length - 1] });
    expect(fitText(text, 'data.csv', { x: 'time', y: 'level' }).count).toBe(x.length);
    return;
  }
  const reason = `Row ${row} of the grid of the output level ${refused}`;
  expect(reading).toEqual({ kind: 'unreadable', reason: expect.stringContaining(reason) });
  expect(() => fitText(text, 'data.csv', { x: 'time', y: 'level' })).toThrow(`data.csv, line ${row! + 1}: time`);
  expect(() => fitText(text, 'data.csv', { x: 'time', y: 'level' })).toThrow(refused);
});
