import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { History } from '../../clients/typescript/src/index.ts';
import {
  bestAt,
  bestSource,
  bestSteps,
  compare,
  inputRows,
  outputRows,
  readIds,
  runTable,
} from '../../src/dashboard/views/compare/comparison.ts';
import {
  axisChoices,
  type Direction,
  directionOf,
  intervalsAt,
  nonDominated,
  pointsOf,
  rangeOf,
} from '../../src/dashboard/views/compare/trade-offs.ts';

function history(changed: Partial<History>): History {
  const ends = { lowerOpen: false, upperOpen: false };
  return {
    objectiveId: 7,
    number: 1,
    modelId: 1,
    modelName: 'Exchanger',
    projectId: 1,
    projectName: 'Tube',
    trialId: 1,
    trialNumber: 1,
    createdAt: '2026-11-20T10:00:00.000Z',
    continues: null,
    parallelism: 1,
    openIterations: [],
    revision: 0,
    stopReason: 0,
    attemptCount: 3,
    maximumAttempts: 500,
    every: 1,
    optimalIteration: null,
    bestIteration: 3,
    bestCaseNumber: null,
    bestInput: [1.5, 2],
    bestOutput: [9.5, 21],
    bestMisses: [4, 5],
    bestMissedBy: [-0.4, 1],
    objectives: [10, 20],
    objectiveTypes: ['percent', 'minimize'],
    desiredL1Norm: 0,
    minimumBounds: [-1, null],
    maximumBounds: [1, null],
    l1Threshold: null,
    intervals: [
      { ...ends, lower: 9.9, upper: 10.1 },
      { ...ends, lower: null, upper: 20 },
    ],
    tolerances: [0.1, 0.2],
    inputTypes: ['float', 'category'],
    minimums: [0, 1],
    maximums: [4, 2],
    scales: null,
    categories: [[], ['steel', 'copper']],
    inputNames: ['T', 'alloy'],
    inputUnits: ['K', ''],
    outputNames: ['power', 'drop'],
    outputUnits: ['kW', 'Pa'],
    iterations: [1, 2, 3],
    inverseIds: [11, 12, 13],
    statuses: ['active', 'failed', 'active'],
    loadedAt: [null, null, null],
    computeTimes: [0, 0, 0],
    failureReasons: {},
    repeatOf: {},
    excluded: [],
    corrected: [],
    withJacobian: [],
    inputs: [
      [1, 1],
      [2, 1],
      [1.5, 2],
    ],
    outputs: [[9, 30], null, [9.5, 21]],
    misses: [[9, 50], null, [4, 5]],
    missedBy: [[-0.9, 10], null, [-0.4, 1]],
    insight: null,
    diagnosis: null,
    ...changed,
  } as History;
}

const other = history({
  objectiveId: 9,
  number: 2,
  bestIteration: null,
  bestCaseNumber: 4,
  outputNames: ['drop', 'cost'],
  outputUnits: ['Pa', null] as never,
  objectiveTypes: ['minimize', 'minimize'],
  objectives: [15, 1],
  intervals: [
    { lower: null, upper: 15, lowerOpen: false, upperOpen: false },
    { lower: null, upper: 1, lowerOpen: false, upperOpen: false },
  ],
  bestOutput: [14, 3],
  bestMisses: [0, 200],
  bestMissedBy: [0, 2],
  excluded: [1],
});

describe('the query', () => {
  it.each([
    ['7,9', [7, 9]],
    ['9, 7,9', [9, 7]],
    ['1,2,3,4,5,6', [1, 2, 3, 4, 5, 6]],
  ])('%s names objectives', (text, ids) => expect(readIds(text)).toEqual(ids));

  it.each([null, '', '7', '7,7', '1,2,3,4,5,6,7', '7,x', '7,-1', '0,1', '1e3,2'])(
    '%s names too few or too many',
    (text) => {
      expect(readIds(text)).toBeUndefined();
    },
  );
});

describe('a comparison', () => {
  const compared = compare([history({}), other]);

  it('calls objectives as short as tells them apart', () => {
    const labels = (...histories: History[]) => compare(histories).map(({ label }) => label);
    expect(labels(history({}), other)).toEqual(['objective 1', 'objective 2']);
    expect(labels(history({}), history({ trialId: 2, trialNumber: 2 }))).toEqual([
      'trial 1, objective 1',
      'trial 2, objective 1',
    ]);
    const elsewhere = history({ objectiveId: 8, projectId: 2, trialId: 3 });
    expect(labels(history({}), elsewhere)).toEqual([
      'Tube, trial 1, objective 1 (7)',
      'Tube, trial 1, objective 1 (8)',
    ]);
  });

  it('sets outputs of the best runs against what is wanted', () => {
    expect(outputRows(compared)).toMatchObject([
      {
        title: 'power (kW)',
        areTargetsSame: false,
        cells: [{ wanted: '9.9 … 10.1 kW', isMet: false, value: 9.5 }, null],
      },
      {
        title: 'drop (Pa)',
        areTargetsSame: false,
        cells: [{ wanted: 'minimize, ≤ 20 Pa', isMet: false }, { isMet: true }],
      },
      { title: 'cost', areTargetsSame: false, cells: [null, { shown: { text: '3' }, isMet: false }] },
    ]);
    expect(outputRows(compare([history({}), history({ objectiveId: 8 })])).map((row) => row.areTargetsSame)).toEqual([
      true,
      true,
    ]);
  });

  it('sets inputs beside each other', () => {
    expect(inputRows(compare([history({}), history({ bestInput: null, bestIteration: null })]))).toEqual([
      { title: 'T (K)', isSame: false, cells: [{ text: '1.5', full: '1.5' }, null] },
      { title: 'alloy', isSame: false, cells: [{ text: 'copper', full: 'copper' }, null] },
    ]);
    expect(compared.map(({ head }) => bestSource(head))).toEqual(['run 3', 'case 4']);
  });

  it('follows the best distance so far, over failed and excluded runs', () => {
    const [first] = compared;
    expect(Array.from(first!.best)).toEqual([50, 50, 5].map((value) => expect.closeTo(value, 9)));
    expect(bestSteps(first!).iterations).toEqual([1, 3]);
    expect(Number.isNaN(compared[1]!.best[0])).toBe(true);
  });

  it('lists every run for files', () => {
    const { header, rows } = runTable(compared);
    expect(header).toEqual([
      'objective',
      'run',
      'T (K)',
      'alloy',
      'power (kW)',
      'drop (Pa)',
      'cost',
      'distance',
      'best distance so far',
      'excluded',
    ]);
    expect(rows[1]).toEqual([7, 2, 2, 'steel', null, null, null, null, expect.closeTo(50, 9), false]);
    expect(rows[3]!.slice(0, 7)).toEqual([9, 1, 1, 'steel', null, 9, 30]);
    expect(rows[3]![9]).toBe(true);
  });

  it('finds the runs and intervals of two axes', () => {
    expect(axisChoices(compared).map(({ title }) => title)).toEqual([
      'power (kW)',
      'drop (Pa)',
      'cost',
      'T (K)',
      'alloy',
    ]);
    expect(pointsOf(compared, 'x:T', 'y:drop')).toEqual([
      { of: 0, iteration: 1, x: 1, y: 30 },
      { of: 0, iteration: 3, x: 1.5, y: 21 },
      { of: 1, iteration: 3, x: 1.5, y: 9.5 },
    ]);
    expect(pointsOf(compared, 'y:power', 'y:cost')).toEqual([]);
    expect(intervalsAt(compared, 'y:drop').map(({ upper }) => upper)).toEqual([20, 15]);
    expect(intervalsAt(compared, 'x:T')).toEqual([]);
    expect(['y:drop', 'y:cost', 'y:power', 'x:T'].map((key) => directionOf(compared, key as 'y:drop'))).toEqual([
      'minimize',
      'minimize',
      undefined,
      undefined,
    ]);
  });
});

describe('runs that no other beats in both', () => {
  const value = fc.integer({ min: -4, max: 4 });
  const points = fc.array(fc.record({ x: value, y: value }), { maxLength: 25 });
  const direction = fc.constantFrom<Direction>('minimize', 'maximize');

  it('are those of the definition', () => {
    fc.assert(
      fc.property(points, direction, direction, (all, x, y) => {
        const better = (way: Direction, a: number, b: number) => (way === 'minimize' ? a < b : a > b);
        const beats = (a: (typeof all)[number], b: (typeof all)[number]) =>
          !better(x, b.x, a.x) && !better(y, b.y, a.y) && (better(x, a.x, b.x) || better(y, a.y, b.y));
        const expected = all.filter((one) => !all.some((challenger) => beats(challenger, one)));
        const found = nonDominated(all, { x, y });
        expect(new Set(found)).toEqual(new Set(expected));
        expect(found).toHaveLength(expected.length);
      }),
    );
  });
});

describe('the range of an axis', () => {
  const points = [2, 4, 3].map((x) => ({ x, y: 0 }));
  const band = (from: number | null, to: number | null) => ({ axis: 'x' as const, from, to });

  it('has all points and some room', () => {
    const { from, to } = rangeOf('x', points, []);
    expect([from < 2, from > 1.5, to > 4, to < 4.5]).toEqual([true, true, true, true]);
    const single = rangeOf('y', points, []);
    expect(single.to).toBeGreaterThan(single.from);
    expect(rangeOf('x', [], [])).toEqual({ from: -0.06, to: 1.06 });
  });

  it('has what satisfies, unless that is far away', () => {
    expect(rangeOf('x', points, [band(null, 6)]).to).toBeGreaterThan(6);
    expect(rangeOf('x', points, [band(1e6, null)]).to).toBeLessThan(5);
  });

  it('is finite for the largest numbers', () => {
    const { from, to } = rangeOf(
      'x',
      [
        { x: -1.7e308, y: 0 },
        { x: 1.7e308, y: 0 },
      ],
      [],
    );
    expect(Number.isFinite(to - from)).toBe(true);
  });
});

describe('the best so far at a run', () => {
  const [one] = compare([history({})]);

  it('holds until the next one', () => {
    const { iterations, values } = bestSteps(one!);
    expect(bestAt(one!, 0)).toBeUndefined();
    expect(iterations.map((iteration) => bestAt(one!, iteration))).toEqual(values);
    expect(bestAt(one!, 1_000)).toBe(values.at(-1));
  });
});
