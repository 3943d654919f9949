import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeBoxes, hypervolume } from '../../../src/optimizer/numerics/hypervolume.ts';

const rows = (d: number) =>
  fc.array(fc.array(fc.integer({ min: 0, max: 6 }), { minLength: d, maxLength: d }), { minLength: 1, maxLength: 8 });
const fronts = fc
  .integer({ min: 1, max: 3 })
  .chain((d) => fc.tuple(rows(d), fc.constant(Array.from({ length: d }, () => 6))));

/** Unit cells below 6 in every coordinate that some point dominates, by their lower corners. */
function cells(points: readonly (readonly number[])[], d: number, isDominated: boolean): number[][] {
  const all = Array.from({ length: 6 ** d }, (_, i) => Array.from({ length: d }, (_, j) => Math.floor(i / 6 ** j) % 6));
  return all.filter((cell) => points.some((point) => point.every((value, j) => value <= cell[j]!)) === isDominated);
}

describe('fronts', () => {
  it('have the volume of the cells that they dominate', () => {
    fc.assert(
      fc.property(fronts, ([points, reference]) => {
        expect(hypervolume(points, reference)).toBe(cells(points, reference.length, true).length);
      }),
    );
  });

  it('leave boxes free that are disjoint and cover every other cell', () => {
    fc.assert(
      fc.property(fronts, ([points, reference]) => {
        const boxes = freeBoxes(points, reference);
        const holding = (cell: readonly number[]) =>
          boxes.filter(({ lower, upper }) => cell.every((value, j) => value >= lower[j]! && value + 1 <= upper[j]!))
            .length;
        const d = reference.length;
        for (const cell of cells(points, d, false)) expect(holding(cell)).toBe(1);
        for (const cell of cells(points, d, true)) expect(holding(cell)).toBe(0);
      }),
    );
  });

  it('without points leave everything below the reference', () => {
    expect(hypervolume([], [1, 1])).toBe(0);
    expect(freeBoxes([], [1, 2])).toEqual([{ lower: [-Infinity, -Infinity], upper: [1, 2] }]);
  });
});
