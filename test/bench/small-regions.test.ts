import { describe, expect, it } from 'vitest';
import { problemsOf } from '../../bench/problems/sets.ts';
import { shareFeasible } from './feasible-share.ts';

describe.each(problemsOf('small-regions').map((problem) => [problem.name, problem] as const))('%s', (_, problem) => {
  it('at most a millionth of its box meets the requirements', () => {
    expect(shareFeasible(problem, 200, 1, 1e-6)).toBeLessThan(1e-6);
  });

  it('it has 5 to 20 inputs and only one-sided requirements', () => {
    expect(problem.variables.length).toBeGreaterThanOrEqual(5);
    expect(problem.variables.length).toBeLessThanOrEqual(20);
    expect(problem.objectives.every(({ type }) => ['lessthan_equal', 'greaterthan_equal'].includes(type))).toBe(true);
  });
});

describe('the estimate of the feasible share', () => {
  it('agrees with the volume of a cube of known size', () => {
    const [first] = problemsOf('small-regions');
    const cube = {
      ...first!,
      objectives: first!.variables.map(() => ({
        type: 'lessthan_equal' as const,
        target: 0.05,
        minimumBound: null,
        maximumBound: null,
      })),
      evaluate: (x: readonly number[]) => x.map((value) => Math.abs(value - 0.3)),
    };
    const share = 0.05 ** first!.variables.length;
    const estimate = shareFeasible(cube, 400, 1);
    expect(Math.abs(Math.log10(estimate / share))).toBeLessThan(0.5);
  });
});
