import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outermostDouble } from '../../src/domain/double-order.ts';
import { finiteDouble } from '../support/arbitraries.ts';

const side = fc.constantFrom<1 | -1>(1, -1);

describe('outermostDouble', () => {
  it('It finds the exact end of a half-line from any estimate', () => {
    fc.assert(
      fc.property(finiteDouble, finiteDouble, side, (end, estimate, towards) => {
        const found = outermostDouble(estimate, towards, (x) => towards * x <= towards * end);
        expect(found! + 0).toBe(end + 0);
      }),
      { numRuns: 1000 },
    );
  });

  it('It finds an end between two doubles', () => {
    expect(outermostDouble(0, 1, (x) => x * x <= 2)).toBe(Math.SQRT2 - Number.EPSILON);
    expect(outermostDouble(5, 1, (x) => x < 1)).toBe(1 - Number.EPSILON / 2);
    expect(outermostDouble(5, -1, (x) => x > 0)).toBe(Number.MIN_VALUE);
    expect(outermostDouble(-5, 1, (x) => x < 0)).toBe(-Number.MIN_VALUE);
  });

  it('It stops at the largest double if every double satisfies the rule', () => {
    fc.assert(
      fc.property(finiteDouble, side, (estimate, towards) => {
        expect(outermostDouble(estimate, towards, () => true)).toBe(towards * Number.MAX_VALUE);
      }),
    );
  });

  it('It returns undefined if no double satisfies the rule', () => {
    fc.assert(
      fc.property(finiteDouble, side, (estimate, towards) => {
        expect(outermostDouble(estimate, towards, () => false)).toBeUndefined();
      }),
    );
  });

  it('It evaluates the rule at most 130 times', () => {
    fc.assert(
      fc.property(finiteDouble, finiteDouble, side, (end, estimate, towards) => {
        let asked = 0;
        outermostDouble(estimate, towards, (x) => {
          asked++;
          return towards * x <= towards * end;
        });
        expect(asked).toBeLessThanOrEqual(130);
      }),
    );
  });
});
