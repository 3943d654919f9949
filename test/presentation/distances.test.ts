import { describe, expect, it } from 'vitest';
import {
  countMet,
  distanceOf,
  distancesOfOutput,
  judgedCount,
  measureRuns,
  smallestSoFar,
  spanOf,
  sumOfDistances,
  worstFirst,
} from '../../src/presentation/distances.ts';
import { bestText } from '../../src/presentation/nearness.ts';

const NONE = Number.NaN;

describe('distances', () => {
  it('are the worst miss, the sum and the outputs that are met, and missing where the output is', () => {
    const misses = [Float64Array.of(NONE, 0, 0.5), Float64Array.of(NONE, 2.4, 0.25)];
    const { worst, sum, metCounts } = measureRuns({ count: 3, misses });
    expect([worst, sum, metCounts].map((column) => Array.from(column))).toEqual([
      [NONE, 2.4, 0.5],
      [NONE, 2.4, 0.75],
      [NONE, 1, 0],
    ]);
  });

  it('count no output of a fit as met', () => {
    const misses = [Float64Array.of(NONE, 0, 0), Float64Array.of(NONE, 0, 0.25), Float64Array.of(NONE, 0, 0)];
    const objectiveTypes = ['fit' as const, 'lessthan' as const, 'fit' as const];
    expect(Array.from(measureRuns({ count: 3, misses }, objectiveTypes).metCounts)).toEqual([NONE, 1, 0]);
    expect(judgedCount({ objectiveTypes })).toBe(1);
  });

  it('of an output are in its unit, and not 0 at a limit that is not part of its interval', () => {
    const runs = {
      misses: [Float64Array.of(NONE, 0, 2, Number.MIN_VALUE)],
      missedBy: [Float64Array.of(NONE, 0, -6, 0)],
    };
    expect(Array.from(distancesOfOutput(runs, 0))).toEqual([NONE, 0, 6, Number.MIN_VALUE]);
    expect([distanceOf(0, 0), distanceOf(2, -6)]).toEqual([0, 6]);
    expect(sumOfDistances([0.2, -1])).toBeCloseTo(1.2);
  });

  it('become the best so far without runs that may not be the answer', () => {
    const values = Float64Array.of(4, NONE, 5, 1, 7, 3, 2);
    const columns = {
      excluded: Uint8Array.of(0, 0, 0, 1, 0, 0, 0),
      iterations: Int32Array.of(1, 2, 3, 4, 5, 6, 7),
      inverseIds: Float64Array.of(11, 12, 13, 14, 15, 16, 17),
      sources: new Map([[17, 'coarse']]),
    };
    const so = (startBreaksLimit: boolean) => Array.from(smallestSoFar(values, columns, { startBreaksLimit }));
    expect(so(false)).toEqual([4, 4, 4, 4, 4, 3, 3]);
    expect(so(true)).toEqual([NONE, NONE, 5, 5, 5, 3, 3]);
  });

  it('order the outputs, the worst first', () => {
    const objectives = [0, 0, 10];
    const best = { bestMisses: [0, 3, 2], bestMissedBy: [0, 6, 9] };
    expect(worstFirst({ objectives, ...best })).toEqual([1, 2, 0]);
    // The outputs of exact objectives miss together.
    expect(worstFirst({ objectives, bestMisses: [1, 1, 1], bestMissedBy: [0.1, -0.3, 0.2] })).toEqual([1, 2, 0]);
    expect(worstFirst({ objectives, bestMisses: null, bestMissedBy: null })).toEqual([0, 1, 2]);
  });

  it('span what was seen', () => {
    expect(spanOf(Float64Array.of(NONE, 3, -1))).toEqual({ low: -1, high: 3 });
    expect(spanOf(Float64Array.of(NONE))).toBeUndefined();
  });
});

it('Every view counts the same outputs as met: none of a fit, and none without a target', () => {
  const asked = { objectiveTypes: ['value', 'minimize', 'fit', 'maximize'] as const, objectives: [1, null, 2, 3] };
  const { objectiveTypes, objectives } = {
    objectiveTypes: [...asked.objectiveTypes],
    objectives: [...asked.objectives],
  };
  const misses = [
    [0, 2],
    [0, 0],
    [0, 0],
    [0, 1],
  ];
  const columns = misses.map((column) => Float64Array.from(column));
  const { metCounts } = measureRuns({ count: 2, misses: columns }, objectiveTypes, objectives);
  const head = {
    objectiveTypes,
    objectives,
    bestIteration: 1,
    bestCaseNumber: null,
    optimalIteration: null,
    l1Threshold: null,
    outputNames: null,
    outputUnits: null,
    confidence: null,
    confidenceOf: null,
    standing: null,
  };
  for (const row of [0, 1]) {
    const satisfied = misses.map((column) => column[row] === 0);
    const counted = countMet({ objectiveTypes, objectives }, (j) => satisfied[j]!);
    expect(metCounts[row]).toBe(counted);
    const own = {
      ...head,
      bestMisses: misses.map((column) => column[row]!),
      bestMissedBy: misses.map((column) => column[row]!),
    };
    if (row === 1)
      expect(bestText(own)).toContain(`, ${counted} of ${judgedCount({ objectiveTypes, objectives })} met`);
  }
  expect([...metCounts, judgedCount({ objectiveTypes, objectives })]).toEqual([2, 0, 2]);
});
