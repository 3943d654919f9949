/** A trend as a line of a few pixels. Needs no browser. */

/** Misses below this look like this one: they are met, or as good as. */
const FLOOR = 1e-3;

export interface Box {
  readonly width: number;
  readonly height: number;
}

export interface Dot {
  readonly x: number;
  readonly y: number;
}

interface Trend {
  readonly iterations: readonly number[];
  readonly misses: readonly number[];
}

/**
 * Corners of the line, from left to right, y pointing down: the logarithm of the miss over the iterations, the largest one at the
 * top and 0 at the bottom. A miss holds until a nearer run, so the line has steps.
 */
export function cornersOf({ iterations, misses }: Trend, { width, height }: Box): readonly Dot[] {
  const first = iterations[0] ?? 0;
  const span = Math.max(1, (iterations.at(-1) ?? 0) - first);
  const low = Math.log(FLOOR);
  const range = Math.max(Math.log(Math.max(...misses, FLOOR)) - low, 1e-9);
  const dots = iterations.map((iteration, i) => ({
    x: ((iteration - first) / span) * width,
    y: (1 - (Math.log(Math.max(misses[i]!, FLOOR)) - low) / range) * height,
  }));
  return dots.flatMap((dot, i) => {
    const before = dots[i - 1];
    return before === undefined || before.y === dot.y ? [dot] : [{ x: dot.x, y: before.y }, dot];
  });
}
