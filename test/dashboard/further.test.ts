/** Tests the answers to further questions, as far as the page computes them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Front } from '../../clients/typescript/src/index.ts';
import { describeDifference, distanceBetween } from '../../src/dashboard/views/objective/further/differences.ts';
import { frontVolumes } from '../../src/dashboard/views/objective/further/front-volumes.ts';
import { hypervolume } from '../../src/optimizer/numerics/hypervolume.ts';

const inputs = {
  inputTypes: ['float', 'integer', 'category', 'boolean'],
  minimums: [0, 1, 1, 0],
  maximums: [10, 5, 3, 1],
  categories: [[], [], ['A', 'B', 'C'], []],
  inputNames: ['Length', 'Passes', 'Alloy', 'Coated'],
  inputUnits: ['m', '', '', ''],
} as unknown as Parameters<typeof describeDifference>[0];

describe('two inputs', () => {
  it('are described by what differs most, with units and names', () => {
    expect(describeDifference(inputs, [1, 2, 1, 0], [3.12345, 2, 3, 0])).toBe('Alloy C, Length +2.12 m');
    expect(describeDifference(inputs, [5, 4, 1, 0], [2, 1, 1, 1])).toBe('Coated yes, Passes −3, Length −3 m');
    expect(describeDifference(inputs, [1, 2, 1, 0], [1.05, 2, 1, 0])).toBe('hardly');
  });

  it('lie apart by the root mean square of shares of the ranges', () => {
    expect(distanceBetween(inputs, [1, 2, 1, 0], [1, 2, 1, 0])).toBe(0);
    expect(distanceBetween(inputs, [0, 1, 1, 0], [5, 1, 3, 0])).toBeCloseTo(Math.sqrt((0.25 + 1) / 4), 12);
  });
});

/** @param most  what the last output may be at most */
const columnsOf = (
  runs: readonly (readonly number[] | null)[],
  { excluded = [] as readonly number[], most = Number.POSITIVE_INFINITY } = {},
) => ({
  count: runs.length,
  outputs: [0, 1, 2].map((j) => Float64Array.from(runs, (run) => run?.[j] ?? Number.NaN)),
  misses: [0, 0, 1].map((share) => Float64Array.from(runs, (run) => share * Number((run?.[2] ?? Number.NaN) > most))),
  excluded: Uint8Array.from(runs, (_, row) => Number(excluded.includes(row))),
  inverseIds: Float64Array.from(runs, (_, row) => 100 + row),
});

const goal = { objectiveTypes: ['minimize' as const, 'maximize' as const, 'lessthan_equal' as const] };

const front = (points: Front['points'], reference: number[] | null) =>
  ({ outputs: [0, 1], points, reference }) as unknown as Front;

describe('the hypervolume of a front', () => {
  it('grows with runs that are not beaten and meet the targets, from the known cases on', () => {
    const known = {
      caseNumber: 1,
      inverseId: null,
      objectiveId: null,
      objectiveNumber: null,
      iteration: null,
      input: [0],
      output: [4, 1, 0],
    };
    const runs = [[3, 2, 0], null, [2, 9, 6], [2, 9, 5], [1, 8, 0], [1.5, 8, 0]];
    const volumes = frontVolumes(goal, columnsOf(runs, { excluded: [4], most: 5 }), front([known], [5, 0]));
    // (5 - 4) * 1, then (5 - 3) * 2, the same without output and with a miss, then (5 - 2) * 9, an excluded one, and one beside.
    expect(Array.from(volumes)).toEqual([4, 4, 4, 27, 27, 27 + 0.5 * 8]);
    expect(Array.from(frontVolumes(goal, columnsOf(runs), front([], null)))).toEqual(new Array(6).fill(0));
  });

  it('ends at what the service computes', () => {
    const coordinate = fc.integer({ min: -20, max: 20 });
    fc.assert(
      fc.property(fc.array(fc.tuple(coordinate, coordinate, coordinate), { minLength: 1, maxLength: 12 }), (runs) => {
        const types = ['minimize', 'maximize', 'minimize'] as const;
        const all = { ...front([], [15, -15, 15]), outputs: [0, 1, 2] };
        const volumes = frontVolumes({ objectiveTypes: [...types] }, columnsOf(runs), all);
        const expected = hypervolume(
          runs.map(([a, b, c]) => [a, -b, c]),
          [15, 15, 15],
        );
        expect(volumes.at(-1)).toBeCloseTo(expected, 9);
      }),
    );
  });
});
