import { describe, expect, it } from 'vitest';
import { contradicting } from '../../bench/insight/infeasible.ts';
import type { Problem } from '../../bench/problems/problem.ts';

/** Values of a float that are searched. */
const GRID = 60;

/** The least over the inputs of the worst miss of a limit, relative to the limit; what is to be minimized or maximized is no limit. */
function leastMiss({ variables, objectives, evaluate }: Problem): number {
  let least = Number.POSITIVE_INFINITY;
  const visit = (x: readonly number[]): void => {
    const variable = variables[x.length];
    if (variable === undefined) {
      const output = evaluate(x, { seed: 1, index: 0 })!;
      const misses = objectives.map(({ type, target }, j) => {
        const over = (output[j]! - target) / target;
        if (type === 'lessthan_equal') return over;
        return type === 'greaterthan_equal' ? -over : 0;
      });
      least = Math.min(least, Math.max(...misses));
      return;
    }
    const { kind, minimum, maximum } = variable;
    const last = kind === 'float' ? GRID : maximum - minimum;
    for (let k = 0; k <= last; k++) visit([...x, minimum + ((maximum - minimum) * k) / last]);
  };
  visit([]);
  return least;
}

describe('the contradicting problems', () => {
  it.each(contradicting)('$name has limits that no input meets together', (problem) => {
    expect(leastMiss(problem)).toBeGreaterThan(0.05);
  });
});
