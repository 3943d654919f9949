import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Counts, countLines, paintCounts, strengthOf } from '../../src/dashboard/views/objective/state/raster.ts';

const SIZE = { width: 11, height: 10 };
const axes = (from: readonly number[], to: readonly number[]) => [
  { x: 0, rows: Float32Array.from(from) },
  { x: 10, rows: Float32Array.from(to) },
];
const column = ({ values, height }: Counts, x: number) => Array.from(values.subarray(x * height, (x + 1) * height));

describe('counts of lines', () => {
  it('A level line crosses one pixel of every column, and lines add up', () => {
    const counts = countLines(SIZE, axes([3, 3, 7], [3, 3, 7]));
    for (let x = 0; x < SIZE.width; x++) expect(column(counts, x)).toEqual([0, 0, 0, 2, 0, 0, 0, 1, 0, 0]);
  });

  it('A steep line has no gaps: every row between its ends is crossed', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 9, noNaN: true }),
        fc.double({ min: 0, max: 9, noNaN: true }),
        (from, to) => {
          const counts = countLines(SIZE, axes([from], [to]));
          const crossed = new Set<number>();
          for (let x = 0; x < SIZE.width; x++) {
            const rows = column(counts, x).flatMap((count, y) => (count > 0 ? [y] : []));
            expect(rows.length).toBeGreaterThan(0);
            // Connected within the column.
            expect(rows.at(-1)! - rows[0]!).toBe(rows.length - 1);
            for (const y of rows) crossed.add(y);
          }
          const [low, high] = [Math.min(from, to), Math.max(from, to)].map((row) => Math.floor(Math.fround(row)));
          for (let y = low!; y <= high!; y++) expect(crossed).toContain(y);
        },
      ),
    );
  });

  it('Lines without a value on an axis are broken there, and only chosen lines are drawn', () => {
    const missing = countLines(SIZE, axes([1, Number.NaN, 5], [1, 2, Number.NaN]));
    expect(missing.values.reduce((sum, count) => sum + count, 0)).toBe(SIZE.width);
    const chosen = countLines(SIZE, axes([1, 2, 5], [1, 2, 5]), Uint8Array.of(0, 1, 0));
    expect(column(chosen, 4)).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('A column between three axes is counted once', () => {
    const rows = Float32Array.of(4);
    const counts = countLines(
      SIZE,
      [0, 5, 10].map((x) => ({ x, rows })),
    );
    for (let x = 0; x < SIZE.width; x++) expect(column(counts, x)[4]).toBe(1);
  });

  it('What lies outside of the picture is cut off', () => {
    const counts = countLines(SIZE, axes([-40], [50]));
    expect(counts.values.every((count) => count <= 1)).toBe(true);
    expect(column(counts, 0).some((count) => count > 0)).toBe(false);
  });
});

describe('painted counts', () => {
  it('One line at full strength has its colour, the ground stays where no line is', () => {
    const pixels = new Uint8ClampedArray(4 * SIZE.width * SIZE.height).fill(255);
    paintCounts(pixels, countLines(SIZE, axes([3], [3])), [10, 20, 30], 1);
    const at = (x: number, y: number) =>
      Array.from(pixels.subarray(4 * (y * SIZE.width + x), 4 * (y * SIZE.width + x) + 4));
    expect(at(6, 3)).toEqual([10, 20, 30, 255]);
    expect(at(6, 4)).toEqual([255, 255, 255, 255]);
  });

  it('More lines cover more, and fewer lines of many are seen less', () => {
    const painted = (lines: number) => {
      const pixels = new Uint8ClampedArray(4 * SIZE.width * SIZE.height).fill(255);
      const rows = new Array(lines).fill(3);
      paintCounts(pixels, countLines(SIZE, axes(rows, rows)), [0, 0, 0], 0.1);
      return pixels[4 * (3 * SIZE.width + 6)]!;
    };
    expect(painted(1)).toBeGreaterThan(painted(3));
    expect(painted(3)).toBeGreaterThan(painted(400));
    expect(painted(400)).toBe(0);
    expect(strengthOf(3)).toBe(1);
    expect(strengthOf(100)).toBeLessThan(1);
    expect(strengthOf(1e6)).toBeGreaterThan(0);
  });
});
