import { describe, expect, it } from 'vitest';
import type { History } from '../../clients/typescript/src/index.ts';
import {
  type Columns,
  emptyColumns,
  insertRows,
  repeatText,
  replaceRows,
  rowFrom,
  rowOf,
  stateOf,
  vectorAt,
} from '../../src/presentation/columns.ts';

type Row = Partial<{
  status: History['statuses'][number];
  input: number[] | null;
  output: number[] | null;
  reason: string;
}>;

/** The lists of an answer; the head is not looked at. */
function answerOf(
  rows: Readonly<Record<number, Row>>,
  marks: Partial<Pick<History, 'excluded' | 'corrected' | 'repeatOf' | 'loadedAt'>> = {},
) {
  const entries = Object.entries(rows).map(([iteration, row]) => ({ iteration: Number(iteration), ...row }));
  const reasons = entries.filter(({ reason }) => reason !== undefined);
  const lists = {
    iterations: entries.map(({ iteration }) => iteration),
    inverseIds: entries.map(({ iteration }) => 1000 + iteration),
    statuses: entries.map(({ status }) => status ?? 'active'),
    loadedAt: entries.map(({ output }) => (output === null ? null : '2026-11-21T10:00:00.000Z')),
    computeTimes: entries.map(() => 2e9),
    failureReasons: Object.fromEntries(reasons.map(({ iteration, reason }) => [iteration, reason!])),
    repeatOf: {},
    excluded: [],
    corrected: [],
    withJacobian: [],
    inputs: entries.map(({ iteration, input }) => (input === undefined ? [iteration, 2] : input)),
    outputs: entries.map(({ iteration, output }) => (output === undefined ? [iteration / 10] : output)),
    misses: entries.map(({ output }) => (output === null ? null : [0])),
    missedBy: entries.map(({ output }) => (output === null ? null : [0])),
    ...marks,
  };
  return lists as unknown as History;
}

const columnsOf = (rows: Readonly<Record<number, Row>>, marks = {}) =>
  replaceRows(emptyColumns(2, 1), 0, answerOf(rows, marks));

const iterationsOf = ({ iterations }: Columns) => Array.from(iterations);

describe('the columns of a history', () => {
  it('hold every number of the answer, and NaN where there is none', () => {
    const columns = columnsOf({ 1: {}, 2: { output: null }, 3: { input: null, output: null } }, { corrected: [1] });
    expect(columns.count).toBe(3);
    expect(columns.inputs.map((column) => Array.from(column))).toEqual([
      [1, 2, Number.NaN],
      [2, 2, Number.NaN],
    ]);
    expect(Array.from(columns.outputs[0]!)).toEqual([0.1, Number.NaN, Number.NaN]);
    expect(Array.from(columns.loadedAt)).toEqual([Date.UTC(2026, 10, 21, 10), Number.NaN, Number.NaN]);
    expect(Array.from(columns.corrected)).toEqual([1, 0, 0]);
    expect([vectorAt(columns.inputs, 0), vectorAt(columns.outputs, 1)]).toEqual([[1, 2], undefined]);
    expect(columns.computeTimes[0]).toBe(2);
  });

  it('take over the rows from one on, and drop what is no longer there', () => {
    const before = columnsOf({
      1: {},
      2: {},
      3: { status: 'failed', output: null, reason: 'broke' },
      4: { output: null },
    });
    const after = replaceRows(before, 2, answerOf({ 3: { output: [7] }, 4: {}, 5: { output: null } }));
    expect(iterationsOf(after)).toEqual([1, 2, 3, 4, 5]);
    expect(after.outputs[0]![2]).toBe(7);
    expect(after.failureReasons.size).toBe(0);
    expect(iterationsOf(replaceRows(after, 3, answerOf({})))).toEqual([1, 2, 3]);
  });

  it('grow row by row without losing any', () => {
    let columns = emptyColumns(2, 1);
    for (let iteration = 1; iteration <= 500; iteration++) {
      columns = replaceRows(columns, columns.count, answerOf({ [iteration]: {} }));
    }
    expect(iterationsOf(columns)).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
    expect(columns.outputs[0]!.every((value, i) => value === (i + 1) / 10)).toBe(true);
    // Room is taken ahead, so that most rows copy nothing.
    expect(columns.iterations.buffer.byteLength).toBeGreaterThan(500 * 4);
  });

  it('find rows by iteration, also where iterations are left out', () => {
    const columns = columnsOf({ 1: {}, 4: {}, 7: {} });
    expect([1, 4, 7].map((iteration) => rowOf(columns, iteration))).toEqual([0, 1, 2]);
    expect([0, 2, 8].map((iteration) => rowOf(columns, iteration))).toEqual([-1, -1, -1]);
    expect([0, 2, 8].map((iteration) => rowFrom(columns, iteration))).toEqual([0, 1, 3]);
  });

  it('take in rows that a thinned history left out, in order and once', () => {
    const columns = columnsOf({ 1: {}, 4: {}, 7: {} });
    const answer = answerOf({ 5: { output: null, status: 'failed', reason: 'broke' }, 7: {} });
    const more = insertRows(columns, answer);
    expect(iterationsOf(more)).toEqual([1, 4, 5, 7]);
    expect(Array.from(more.outputs[0]!)).toEqual([0.1, 0.4, Number.NaN, 0.7]);
    expect(more.failureReasons.get(1005)).toBe('broke');
    expect(insertRows(more, answer)).toBe(more);
    // The columns that were there are still what they were.
    expect(iterationsOf(columns)).toEqual([1, 4, 7]);
  });

  it('know which runs repeat an input, and forget it with the row', () => {
    const columns = columnsOf({ 1: {}, 2: {}, 3: {}, 4: {} }, { repeatOf: { 2: 1001, 3: null, 4: 7 } });
    expect([0, 1, 2, 3].map((row) => repeatText(columns, row))).toEqual([
      undefined,
      'run 1',
      'an earlier run',
      'an earlier run',
    ]);
    const replaced = replaceRows(columns, 1, answerOf({ 2: {}, 3: {} }, { repeatOf: { 3: 1002 } }));
    expect([...replaced.repeatOf]).toEqual([[1003, 1002]]);
    const inserted = insertRows(columnsOf({ 1: {} }), answerOf({ 2: {} }, { repeatOf: { 2: 1001 } }));
    expect(repeatText(inserted, 1)).toBe('run 1');
  });

  it('distinguish the last one of an objective, which was not run, from a late output', () => {
    const row = { 1: { status: 'stopped' } } as const;
    expect(stateOf(columnsOf(row, { loadedAt: [null] }), 0)).toBe('summary');
    expect(stateOf(columnsOf(row), 0)).toBe('loaded');
  });

  it.each([
    [{ input: null, output: null }, 'computing'],
    [{ output: null }, 'waiting'],
    [{}, 'loaded'],
    [{ status: 'converged' }, 'met'],
    [{ status: 'failed', output: null }, 'failed'],
    [{ status: 'stopped', output: null }, 'given up'],
    [{ status: 'max_iterations' }, 'loaded'],
  ] as const)('%j is %s', (row, state) => {
    expect(stateOf(columnsOf({ 1: row as Row }), 0)).toBe(state);
  });
});
