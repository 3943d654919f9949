/** A trend as a line of a few pixels. Needs no browser. */

/** Misses below this look like this one: they are met, or as good as. */
const MET = 1e-3;

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
  /** An older process of the service, during an upgrade, does not send them. */
  readonly misfits?: readonly number[] | null;
}

/** Values that the line shows: the misfit of a fit, otherwise the worst miss. */
export function valuesOf({ misses, misfits }: Trend): readonly number[] {
  return misfits ?? misses;
}

/** The bottom of the line: met, or the least misfit, which is never 0 with real data. */
function floorOf({ misfits }: Trend): number {
  return misfits ? Math.max(Number.MIN_VALUE, Math.min(...misfits)) : MET;
}

/**
 * Corners of the line, from left to right, y pointing down: the logarithm of the values over the iterations, the largest one at
 * the top. A value holds until a nearer run, so the line has steps.
 */
export function cornersOf(trend: Trend, { width, height }: Box): readonly Dot[] {
  const { iterations } = trend;
  const values = valuesOf(trend);
  const floor = floorOf(trend);
  const first = iterations[0] ?? 0;
  const span = Math.max(1, (iterations.at(-1) ?? 0) - first);
  const low = Math.log(floor);
  const range = Math.max(Math.log(Math.max(...values, floor)) - low, 1e-9);
  const dots = iterations.map((iteration, i) => ({
    x: ((iteration - first) / span) * width,
    y: (1 - (Math.log(Math.max(values[i]!, floor)) - low) / range) * height,
  }));
  return dots.flatMap((dot, i) => {
    const before = dots[i - 1];
    return before === undefined || before.y === dot.y ? [dot] : [{ x: dot.x, y: before.y }, dot];
  });
}
