import fc from 'fast-check';
import type { Space, Target, Variable } from '../../src/optimizer/interface/problem.ts';

const width = fc.integer({ min: -12, max: 12 }).map((exponent) => 10 ** exponent);

const float: fc.Arbitrary<Variable> = fc
  .tuple(fc.constantFrom(0, 0, 1, -1e3, 1e6), width)
  .map(([minimum, w]) => ({ kind: 'float' as const, minimum, maximum: minimum + w }));

const integer: fc.Arbitrary<Variable> = fc
  .tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: 0, max: 12 }))
  .map(([minimum, w]) => ({ kind: 'integer' as const, minimum, maximum: minimum + w }));

const category: fc.Arbitrary<Variable> = fc
  .integer({ min: 0, max: 5 })
  .map((maximum) => ({ kind: 'category' as const, minimum: 0, maximum }));

const boolean = fc.constant<Variable>({ kind: 'boolean', minimum: 0, maximum: 1 });
const constant = fc.constant<Variable>({ kind: 'float', minimum: 0.25, maximum: 0.25 });

/** One to five variables of any kind, widths from 1e-12 to 1e12, constants included. */
export const spaces: fc.Arbitrary<Space> = fc
  .array(fc.oneof(float, float, integer, category, boolean, constant), { minLength: 1, maxLength: 5 })
  .map((variables) => ({ variables }));

/** One to three discrete variables, at most 125 points. */
export const finiteSpaces: fc.Arbitrary<Space> = fc
  .array(
    fc.oneof(
      boolean,
      fc.integer({ min: 0, max: 3 }).map((maximum): Variable => ({ kind: 'category', minimum: 0, maximum })),
      fc.integer({ min: 0, max: 4 }).map((maximum): Variable => ({ kind: 'integer', minimum: 0, maximum })),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((variables) => ({ variables }));

const scale = fc.integer({ min: -9, max: 12 }).map((exponent) => 10 ** exponent);

/** One target of any form at any scale. */
export const targets: fc.Arbitrary<Target> = fc
  .tuple(
    fc.constantFrom('within', 'below', 'above', 'minimize', 'maximize', 'point', 'least', 'most'),
    scale,
    fc.double({ min: -2, max: 2, noNaN: true }),
  )
  .map(([form, size, share]): Target => {
    const t = size * share;
    const open = {
      lower: Number.NEGATIVE_INFINITY,
      upper: Number.POSITIVE_INFINITY,
      lowerOpen: false,
      upperOpen: false,
    };
    if (form === 'below') return { ...open, upper: t, upperOpen: true, direction: 'none' };
    if (form === 'above') return { ...open, lower: t, lowerOpen: true, direction: 'none' };
    if (form === 'minimize') return { ...open, upper: t, direction: 'minimize' };
    if (form === 'maximize') return { ...open, lower: t, direction: 'maximize' };
    if (form === 'least') return { ...open, direction: 'minimize' };
    if (form === 'most') return { ...open, direction: 'maximize', reference: t };
    const half = form === 'point' ? 0 : 0.01 * size;
    return { lower: t - half, upper: t + half, lowerOpen: false, upperOpen: false, direction: 'none' };
  });
