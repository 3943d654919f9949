import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Space, Variable } from '../../src/optimizer/interface/problem.ts';
import { decode, type Encoding, encode, makeEncoding } from '../../src/optimizer/space/encoding.ts';
import { spaces } from './arbitraries.ts';

const anyFeatures = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 60, maxLength: 60 });

function isAdmissible({ kind, minimum, maximum }: Variable, x: number): boolean {
  return x >= minimum && x <= maximum && (kind === 'float' || Number.isInteger(x));
}

/** The encoding of a space, and the input that features of any values decode to. */
function decoded(space: Space, values: readonly number[]) {
  const encoding = makeEncoding(space);
  const features = Float64Array.from({ length: encoding.p }, (_, f) => values[f % values.length]!);
  const x = new Float64Array(encoding.n);
  decode(encoding, features, x);
  return { encoding, x };
}

function featuresOf(encoding: Encoding, x: Float64Array): Float64Array {
  const u = new Float64Array(encoding.p);
  encode(encoding, x, 0, u, 0);
  return u;
}

describe('the encoding of an input space', () => {
  it('decodes any features to an admissible input', () => {
    fc.assert(
      fc.property(spaces, anyFeatures, (space, values) => {
        const { x } = decoded(space, values);
        expect(space.variables.every((variable, v) => isAdmissible(variable, x[v]!))).toBe(true);
      }),
    );
  });

  it('decodes an encoded input to itself, up to rounding for floats', () => {
    fc.assert(
      fc.property(spaces, anyFeatures, (space, values) => {
        const { encoding, x } = decoded(space, values);
        const back = new Float64Array(encoding.n);
        decode(encoding, featuresOf(encoding, x), back);
        space.variables.forEach(({ kind, minimum, maximum }, v) => {
          const slack =
            kind === 'float' ? 4e-16 * Math.max(Math.abs(minimum), Math.abs(maximum), maximum - minimum) : 0;
          expect(Math.abs(back[v]! - x[v]!)).toBeLessThanOrEqual(slack);
        });
      }),
    );
  });

  it('maps admissible inputs into the box of the features', () => {
    fc.assert(
      fc.property(spaces, anyFeatures, (space, values) => {
        const { encoding, x } = decoded(space, values);
        const u = featuresOf(encoding, x);
        expect(u.every((value, f) => value >= encoding.lower[f]! - 1e-12 && value <= encoding.upper[f]! + 1e-12)).toBe(
          true,
        );
      }),
    );
  });

  it('The encoding of an input space gives a category of four levels a feature per level, and a constant a feature that never moves', () => {
    const encoding = makeEncoding({
      variables: [
        { kind: 'category', minimum: 0, maximum: 3 },
        { kind: 'float', minimum: 2, maximum: 2 },
        { kind: 'category', minimum: 5, maximum: 6 },
      ],
    });
    expect(encoding.p).toBe(6);
    expect(Array.from(encoding.movable)).toEqual([1, 0, 1]);
    expect(encoding.size).toBe(8);
    const u = featuresOf(encoding, Float64Array.of(2, 2, 6));
    expect(Array.from(u)).toEqual([-0.25, -0.25, 0.75, -0.25, 0, 1]);
  });

  it('decodes a box as wide as the range of doubles without overflow', () => {
    const encoding = makeEncoding({ variables: [{ kind: 'float', minimum: -1.7e308, maximum: 1.7e308 }] });
    const x = new Float64Array(1);
    for (const u of [-1, -0.5, 0, 0.7, 1]) {
      decode(encoding, Float64Array.of(u), x);
      expect(x[0]! / 1.7e308).toBeCloseTo(u, 12);
    }
  });

  it('The encoding of an input space throws RangeError for bounds that are not finite or out of order', () => {
    for (const [minimum, maximum] of [
      [0, Number.POSITIVE_INFINITY],
      [1, 0],
      [Number.NaN, 1],
    ] as const) {
      expect(() => makeEncoding({ variables: [{ kind: 'float', minimum, maximum }] })).toThrow(RangeError);
    }
  });
});
