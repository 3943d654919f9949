import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../../src/domain/problem/expression.ts';
import { isConditionMet } from '../../../src/numbers/conditions.ts';
import { CompiledCondition } from '../../../src/optimizer/constraints/compiled-condition.ts';
import { makeConditions } from '../../../src/optimizer/constraints/conditions.ts';
import type { Condition, Variable } from '../../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../../src/optimizer/numerics/random.ts';
import { decode, makeEncoding } from '../../../src/optimizer/space/encoding.ts';

function parse(text: string, n: number): Condition {
  const names = new Map(Array.from({ length: n }, (_, v) => [`x${v + 1}`, v]));
  const parsed = parseCondition(text, names);
  if (parsed.kind === 'refused') throw new Error(parsed.fault.message);
  return parsed.condition;
}

const float = (minimum: number, maximum: number): Variable => ({ kind: 'float', minimum, maximum });
const integer = (minimum: number, maximum: number): Variable => ({ kind: 'integer', minimum, maximum });
const bool: Variable = { kind: 'boolean', minimum: 0, maximum: 1 };
const category = (levels: number): Variable => ({ kind: 'category', minimum: 0, maximum: levels - 1 });

function make(variables: readonly Variable[], texts: readonly string[], seed = 1) {
  const encoding = makeEncoding({ variables });
  const given = texts.map((text) => parse(text, variables.length));
  return { encoding, given, made: makeConditions(encoding, given, makeRandom(seed)) };
}

/** Regions with a point by construction: a sum that the middle of the box satisfies, and what is drawn around it. */
const problems: fc.Arbitrary<readonly [string, readonly Variable[], readonly string[]]> = fc.constantFrom(
  [
    'a mixture',
    [float(0, 1), float(0, 1), float(0, 1)],
    ['x1 + x2 + x3 = 1', '2*x1 - x2 <= 0.3', 'x3 >= 0.1'],
  ] as const,
  [
    'scales far apart',
    [float(0, 1e6), float(0, 1e-3), float(-1, 1)],
    ['x1/1000000 + 1000*x2 = 1', 'x3 <= x1'],
  ] as const,
  ['a disc cut by a hyperbola', [float(-2, 2), float(-2, 2)], ['x1^2 + x2^2 <= 1', 'x1*x2 >= 0.2']] as const,
  [
    'whole numbers',
    [integer(0, 10), integer(0, 10), integer(0, 10)],
    ['x1 + x2 + x3 = 15', 'x1 + 2*x2 + 3*x3 <= 28'],
  ] as const,
  [
    'all kinds',
    [integer(0, 5), bool, category(3), float(0, 10), float(0, 10)],
    ['x1 + 2*x2 + x4 + x5 = 10', 'x4 >= 2*x5', 'sqrt(x4) <= 2.9'],
  ] as const,
  ['a held input', [float(2, 2), float(0, 10)], ['x1 * 3 + x2 <= 9', 'x1 + x2 >= 4']] as const,
);

describe('the conditions of a space', () => {
  it('are met by every drawn point and by the admissible point near any other, whole and inside the bounds', () => {
    fc.assert(
      fc.property(problems, fc.nat(), ([, variables, texts], seed) => {
        const { encoding, given, made } = make(variables, texts, seed);
        if (made.kind !== 'conditions') throw new Error(made.kind);
        const { conditions } = made;
        const random = makeRandom(seed, 2);
        const points = conditions.draw(10, random);
        expect(points.length).toBeGreaterThan(5);
        for (let k = 0; k < 10; k++) {
          const u = Float64Array.from({ length: encoding.p }, () => 3 * random.uniform() - 1.5);
          const near = conditions.admissibleNear(u, random);
          if (near !== null) points.push(near);
        }
        expect(points.length).toBeGreaterThan(15);
        const x = new Float64Array(encoding.n);
        for (const u of points) {
          decode(encoding, u, x);
          x.set(conditions.settled(x));
          for (const condition of given) {
            if (condition.relation === '=') expect(isConditionMet(condition, x, variables)).toBe(true);
            else expect(new CompiledCondition(condition, variables).excessAt(x)).toBeLessThanOrEqual(0);
          }
          variables.forEach(({ kind, minimum, maximum }, v) => {
            expect(x[v]).toBeGreaterThanOrEqual(minimum);
            expect(x[v]).toBeLessThanOrEqual(maximum);
            if (kind !== 'float') expect(Number.isInteger(x[v])).toBe(true);
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('find the nearest whole numbers where rounding one by one leaves the region', () => {
    const { encoding, made } = make([integer(0, 10), integer(0, 10)], ['x1 + x2 = 7', 'x1 >= 2*x2']);
    if (made.kind !== 'conditions') throw new Error(made.kind);
    const x = new Float64Array(2);
    // (3.4, 3.6) rounds to (3, 4), which breaks the second condition; (5, 2) is the nearest that meets both.
    decode(encoding, made.conditions.admissibleNear(Float64Array.of(-0.32, -0.28), makeRandom(1))!, x);
    expect([...x]).toEqual([5, 2]);
  });

  it('that contradict each other are named, without the one that does not take part', () => {
    const { made } = make([float(0, 1), float(0, 1)], ['x1 + x2 >= 1.5', 'x1 <= 0.5', 'x2 <= 0.5', 'x1 - x2 <= 1']);
    expect(made).toEqual({ kind: 'empty', conditions: [0, 1, 2], variables: [] });
  });

  it('that the bounds contradict are named with the inputs', () => {
    const { made } = make([float(0, 1), float(0, 1), float(0, 1)], ['x3 <= 0.5', 'x1 + x2 >= 3']);
    expect(made).toEqual({ kind: 'empty', conditions: [1], variables: [0, 1] });
  });

  it.each([
    ['2*x1 + 2*x2 = 5', true],
    ['x1^2 + x2^2 <= -1', false],
  ])('without an admissible point, as in %s, say so', (text, isForWholeNumbers) => {
    expect(make([integer(0, 10), integer(0, 10)], [text]).made).toEqual({ kind: 'nothing-found', isForWholeNumbers });
  });

  it('refuse a nonlinear equation, and take one that is written as a sum of multiples', () => {
    const square = [float(0, 1), float(0, 1)];
    expect(make(square, ['x1 <= 1', 'x1^2 = x2']).made).toEqual({ kind: 'nonlinear-equation', condition: 1 });
    expect(make(square, ['(x1 + x2)/2 = sqrt(0.25)']).made.kind).toBe('conditions');
  });

  it('count as broken where an expression has no value', () => {
    const box = [float(-1, 1)];
    const { given } = make(box, ['log(x1) <= 1']);
    const compiled = new CompiledCondition(given[0]!, box);
    expect([-1, 1].map((x) => compiled.isMetAt(Float64Array.of(x)))).toEqual([false, true]);
  });
});
