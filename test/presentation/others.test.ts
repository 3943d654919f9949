import { describe, expect, test } from 'vitest';
import type { TrialRun } from '../../clients/typescript/src/index.ts';
import { emptyColumns, factAt, joinColumns, replaceRows, stateOf, vectorAt } from '../../src/presentation/columns.ts';
import { NO_OTHERS, placeOfOther } from '../../src/presentation/distance-data.ts';
import { sourceOrder, toOthers } from '../../src/presentation/others.ts';

const nothing = {
  sourceName: null,
  number: null,
  iteration: null,
  objectiveId: null,
  objectiveNumber: null,
  inverseId: null,
  met: null,
  misses: null,
  missedBy: null,
  loadedAt: null,
  failureReason: null,
  excluded: false,
  corrected: false,
};
/** With the facts that the tests look at; others count as not there. */
const runs = [
  { ...nothing, position: 1, source: 'designed', number: 1, status: 'completed', input: [1], output: [10, 20] },
  {
    ...nothing,
    position: 2,
    source: 'added',
    sourceName: 'rig',
    number: 2,
    status: 'failed',
    input: [2],
    output: null,
  },
  {
    ...nothing,
    position: 1_000_009,
    source: 'objective',
    objectiveId: 5,
    objectiveNumber: 2,
    inverseId: 9,
    iteration: 3,
    status: 'converged',
    input: [3],
    output: [30, 40],
    misses: [0, 4],
    failureReason: 'collapsed',
    missedBy: [0, -8],
    excluded: true,
  },
] as readonly Partial<TrialRun>[] as readonly TrialRun[];
const own = replaceRows(emptyColumns(1, 2), 0, {
  iterations: [1],
  inverseIds: [70],
  statuses: ['active'],
  loadedAt: [null],
  computeTimes: [0],
  inputs: [[4]],
  outputs: [[50, 60]],
  misses: [[5, 6]],
  missedBy: [[0.5, 6]],
  failureReasons: { 1: 'broke' },
  repeatOf: {},
  excluded: [],
  corrected: [],
  withJacobian: [],
} as never);

describe('the other runs of a trial', () => {
  const others = toOthers(runs, 1, 2);

  test('say what they are and where they come from', () => {
    expect(others.sources.map(({ name, from }) => [name, from])).toEqual([
      ['case 1', 'first cases'],
      ['case 2', 'added: rig'],
      ['run 3 of objective 2', 'objective 2'],
    ]);
  });

  test('are rows before those of the objective, with their outputs and states', () => {
    const { columns } = others;
    const all = joinColumns(columns, own);
    expect(all.count).toBe(4);
    expect([0, 1, 2, 3].map((row) => vectorAt(all.outputs, row))).toEqual([[10, 20], undefined, [30, 40], [50, 60]]);
    expect([0, 1, 2, 3].map((row) => stateOf(all, row))).toEqual(['loaded', 'failed', 'met', 'loaded']);
    expect([0, 2, 3].map((row) => vectorAt(all.misses, row))).toEqual([undefined, [0, 4], [5, 6]]);
    expect([0, 2, 3].map((row) => factAt(all, 'failureReasons', row))).toEqual([undefined, 'collapsed', 'broke']);
    expect([...all.excluded]).toEqual([0, 0, 1, 0]);
    expect([...sourceOrder(others, 4)]).toEqual([0, 1, 3, Number.MAX_SAFE_INTEGER]);
  });

  test('cost nothing where there are none', () => {
    expect(joinColumns(toOthers([], 1, 2).columns, own)).toBe(own);
  });

  test('come before run 1 in the chart', () => {
    const three = { ...NO_OTHERS, values: new Float64Array(3) };
    expect([0, 1, 2].map((row) => placeOfOther(three, row))).toEqual([-2, -1, 0]);
  });
});
