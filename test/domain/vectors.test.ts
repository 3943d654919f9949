import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { absoluteSum, areEqualVectors, checkLength, toFinite, withoutNegativeZero } from '../../src/domain/vectors.ts';
import { finiteDouble } from '../support/arbitraries.ts';

const vector = fc.array(finiteDouble, { maxLength: 10 });

describe('withoutNegativeZero', () => {
  it('Every vector without -0 survives JSON byte for byte', () => {
    fc.assert(
      fc.property(vector, (values) => {
        const stored = withoutNegativeZero(values);
        const back = JSON.parse(JSON.stringify(stored)) as number[];
        expect(back.every((value, i) => Object.is(value, stored[i]))).toBe(true);
      }),
    );
  });

  it('Only -0 changes', () => {
    fc.assert(fc.property(vector, (values) => areEqualVectors(withoutNegativeZero(values), values)));
    expect(Object.is(withoutNegativeZero([-0])[0], 0)).toBe(true);
  });
});

describe('toFinite', () => {
  it('Finite values stay unchanged', () => {
    fc.assert(fc.property(finiteDouble, (value) => Object.is(toFinite(value), value)));
  });

  test.each([
    [Infinity, Number.MAX_VALUE],
    [-Infinity, -Number.MAX_VALUE],
  ])('%d becomes %d', (value, expected) => {
    expect(toFinite(value)).toBe(expected);
  });
});

describe('absoluteSum', () => {
  it('A sum of absolute values is finite, not negative, and at least as large as every entry', () => {
    fc.assert(
      fc.property(vector, (values) => {
        const sum = absoluteSum(values);
        expect(Number.isFinite(sum)).toBe(true);
        for (const value of values) expect(sum).toBeGreaterThanOrEqual(Math.abs(value));
      }),
    );
  });

  test.each([
    [[], 0],
    [[-0], 0],
    [[1, -2, 3], 6],
    [[Number.MAX_VALUE, -Number.MAX_VALUE], Number.MAX_VALUE],
  ])('The absolute sum of %j is %d', (values, expected) => {
    expect(absoluteSum(values)).toBe(expected);
  });
});

describe('areEqualVectors', () => {
  test.each([
    [[1, 2], [1, 2], true],
    [[1, 2], [1, 3], false],
    [[1, 2], [1], false],
    [[1], [1, 2], false],
    [[], [], true],
    [[0], [-0], true],
  ])('Comparing %j and %j gives %s', (a, b, expected) => {
    expect(areEqualVectors(a, b)).toBe(expected);
  });
});

describe('checkLength', () => {
  it('The right length is accepted', () => {
    expect(checkLength(['objectives'], [1, 2], 2, 'output')).toEqual([]);
  });

  it('The violation names both lengths and the unit', () => {
    expect(checkLength(['outputCases', 3], [1], 2, 'output')).toEqual([
      {
        property: 'outputCases[3]',
        pointer: '/outputCases/3',
        message: 'must have one value per output (2), has 1.',
      },
    ]);
  });
});
