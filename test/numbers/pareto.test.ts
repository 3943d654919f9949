import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { kneeOf, nonDominated } from '../../src/numbers/pareto.ts';

const point = (d: number) => fc.array(fc.integer({ min: -3, max: 3 }), { minLength: d, maxLength: d });
const points = fc.integer({ min: 1, max: 4 }).chain((d) => fc.array(point(d), { maxLength: 12 }));

const beats = (a: readonly number[], b: readonly number[]) =>
  a.every((value, c) => value <= b[c]!) && a.some((value, c) => value < b[c]!);
const isEqual = (a: readonly number[], b: readonly number[]) => a.every((value, c) => value === b[c]!);

it('A front holds the points that no other beats, the first of equal ones', () => {
  fc.assert(
    fc.property(points, (all) => {
      const expected = Array.from(all.keys()).filter(
        (i) => !all.some((one, k) => beats(one, all[i]!) || (k < i && isEqual(one, all[i]!))),
      );
      expect(nonDominated(all)).toEqual(expected);
    }),
  );
});

test.each([
  [
    'is the point near the best of both',
    [
      [0, 10],
      [1, 1],
      [10, 0],
    ],
    1,
  ],
  [
    'measures each coordinate by its range',
    [
      [0, 1e-6],
      [4e5, 4e-7],
      [1e6, 0],
    ],
    1,
  ],
  [
    'is the one with the smaller first coordinate of two',
    [
      [1, 0],
      [0, 1],
    ],
    1,
  ],
  [
    'does not depend on a coordinate without range',
    [
      [3, 2, 5],
      [3, 1, 6],
      [3, 1.2, 5.3],
    ],
    2,
  ],
  ['is the only point', [[7]], 0],
  [
    'exists where a range exceeds the largest number',
    [
      [-1.7e308, 1],
      [1.7e308, 0],
    ],
    0,
  ],
  ['is none without points', [], -1],
])('The knee %s', (_, front, knee) => {
  expect(kneeOf(front)).toBe(knee);
});

it('The knee is the same point in every order of the points', () => {
  const shuffled = points.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, ([all, others]) => {
      expect(others[kneeOf(others)]).toEqual(all[kneeOf(all)]);
    }),
  );
});
