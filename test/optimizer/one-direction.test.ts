import { describe, expect, it } from 'vitest';
import { withOneDirection } from '../../src/optimizer/goal/one-direction.ts';
import type { SuggestRequest, Target } from '../../src/optimizer/interface/problem.ts';

const free = { lower: -Infinity, upper: Infinity, lowerOpen: false, upperOpen: false } as const;
const smallest: Target = { ...free, direction: 'minimize' };
const largest: Target = { ...free, direction: 'maximize' };
const atMostOne: Target = { ...free, upper: 1, direction: 'none' };

/** Runs of n inputs with two outputs each; null for a failed run. */
function requestOf(first: Target, runs: readonly ([number, number] | null)[], n = 1): SuggestRequest {
  return {
    space: { variables: Array.from({ length: n }, () => ({ kind: 'float', minimum: 0, maximum: 1 })) },
    goal: { targets: [first, atMostOne], l1: null },
    history: {
      count: runs.length,
      X: Float64Array.from({ length: n * runs.length }, (_, i) => i / (n * runs.length)),
      Y: Float64Array.from(runs.flatMap((run) => run ?? [0, 0])),
      failed: Uint8Array.from(runs, (run) => (run === null ? 1 : 0)),
    },
    firstSuggested: 0,
    convergence: 1e-6,
    seed: 1,
    workLimit: 1e3,
  };
}

const aimOf = (first: Target, runs: readonly ([number, number] | null)[]) =>
  withOneDirection(requestOf(first, runs)).goal.targets[0]!;

/** As `aimOf`, of the first output alone. */
function aimAlone(first: Target, runs: readonly [number, number][], n = 1): Target {
  const { goal, history, ...rest } = requestOf(first, runs, n);
  const Y = Float64Array.from(runs, ([y]) => y);
  return withOneDirection({ ...rest, goal: { ...goal, targets: [first] }, history: { ...history, Y } }).goal
    .targets[0]!;
}

describe('the aim of one output without aspiration', () => {
  it('lies a thousandth of the range beyond the best value where all runs keep the limits', () => {
    expect(aimOf(smallest, [[-5, 0], [5, 1], null])).toMatchObject({ upper: -5.01, lower: -Infinity });
    expect(aimOf(largest, [[-5, 0], [5, 1], null])).toMatchObject({ lower: 5.01, upper: Infinity });
  });

  it('lies half way from the best value within the limits to the best of all', () => {
    const runs: [number, number][] = [
      [-1, 0],
      [1, 0],
      [-9, 3],
    ];
    expect(aimOf(smallest, runs).upper).toBeCloseTo((-1.002 - 9.01) / 2, 12);
    expect(
      aimOf(
        largest,
        runs.map(([y, limit]) => [-y, limit]),
      ).lower,
    ).toBeCloseTo((1.002 + 9.01) / 2, 12);
  });

  it('lies beyond the best of all while no run keeps the limits', () => {
    expect(
      aimOf(smallest, [
        [-1, 2],
        [-9, 3],
      ]).upper,
    ).toBeCloseTo(-9.008, 12);
  });

  it('comes nearer with the best values where the output is alone', () => {
    const runs: [number, number][] = Array.from({ length: 30 }, (_, i) => [i < 12 ? 7 + i / 10 : 1e9 * i, 0]);
    expect(aimAlone(smallest, runs)).toMatchObject({ upper: 7 - 0.022, isUnstated: true });
    expect(
      aimAlone(
        largest,
        runs.map(([y]) => [-y, 0]),
      ),
    ).toMatchObject({ lower: -7 + 0.022, isUnstated: true });
    expect(aimAlone(smallest, [[3, 0]]).upper).toBeCloseTo(2.94, 12);
    expect(aimAlone(smallest, runs, 4).upper).toBeCloseTo(7 - 0.11, 12);
  });

  it('is left alone before a run succeeds', () => {
    const request = requestOf(smallest, [null]);
    expect(withOneDirection(request)).toBe(request);
  });
});
