import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeMissMeasure, type WeighedDefinition } from '../../../src/domain/search/nearest.ts';
import type { NearestSoFar } from '../../../src/domain/search/objective.ts';
import { chooseIterations, makeTrend } from '../../../src/domain/search/trend.ts';

const objective: WeighedDefinition & NearestSoFar = {
  objectives: [10, 0],
  objectiveTypes: ['percent', 'lessthan_equal'],
  minimumBounds: [-1, null],
  maximumBounds: [1, null],
  desiredL1Norm: 0,
  convergence: 1e-6,
  options: null,
  nearestCase: null,
  nearestCaseInput: null,
  nearestCaseOutput: null,
  nearestIteration: null,
  judgedThrough: 1,
};

describe('a trend', () => {
  it.each([
    [1, 24, [1]],
    [5, 24, [1, 2, 3, 4, 5]],
    [10, 5, [2, 4, 6, 8, 10]],
    [11, 3, [4, 7, 11]],
  ])('Of %i iterations at most %i are looked at, evenly spaced', (last, points, expected) => {
    expect(chooseIterations(objective, last, points)).toEqual(expected);
  });

  it('Where outputs are long, fewer are looked at, in any case the last', () => {
    const chosenOf = (length: number) =>
      chooseIterations({ ...objective, objectives: new Array(length).fill(1) }, 100, 24);
    expect(chosenOf(100)).toHaveLength(10);
    expect(chosenOf(1_000)).toEqual([100]);
    expect(chosenOf(5_000)).toEqual([100]);
  });

  it('A trend never rises and ends at the nearest run', () => {
    const number = fc.double({ noNaN: true, min: -1e6, max: 1e6 });
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number), { minLength: 1 }), (outputs) => {
        const runs = outputs.map((output, i) => ({ iteration: i + 1, output }));
        const { iterations, misses } = makeTrend(objective, null, runs);
        expect(iterations).toEqual(runs.map(({ iteration }) => iteration));
        expect(misses).toEqual([...misses].sort((a, b) => b - a));
        const { measure } = makeMissMeasure(objective);
        expect(misses.at(-1)).toBe(Math.min(...outputs.map((output) => measure(output).worst)));
      }),
    );
  });

  it('Where priorities make another run the nearest, a trend tells the worst miss of that run', () => {
    const options = { priorities: [1, 2] };
    const runs = [
      [10.3, 0],
      [10.2, 0.05],
      [10, 0.07],
      [10, 0.06],
    ].map((output, i) => ({ iteration: i + 1, output }));
    const { misses } = makeTrend({ ...objective, options }, null, runs);
    expect(misses).toEqual([2, 5, 7, 6].map((miss) => expect.closeTo(miss)));
  });

  it('The nearest case comes first, as iteration 0, and the best run of all is part of it', () => {
    const definition = { ...objective, nearestCaseOutput: [10.3, 0] };
    const best = {
      source: { kind: 'inverse', id: 1, iteration: 2 },
      input: [0],
      output: [10, 0],
      misses: [0, 0],
      missedBy: [0, 0],
    } as const;
    const runs = [{ iteration: 3, output: [10.2, 0] }];
    expect(makeTrend(definition, best, runs)).toEqual({
      iterations: [0, 2, 3],
      misses: [expect.closeTo(2), 0, 0],
      misfits: null,
    });
    expect(makeTrend(definition, null, runs)).toEqual({
      iterations: [0, 3],
      misses: [expect.closeTo(2), expect.closeTo(1)],
      misfits: null,
    });
  });
});
