/** Judges whether a figure grows, from a straight line through its samples and the error of the slope. */

export interface Trend {
  /** Mean of all samples. */
  readonly mean: number;
  /** Per unit of x, with its standard error. */
  readonly slope: number;
  readonly error: number;
  /** Along the line, from the first to the last sample. */
  readonly growth: number;
  readonly isFlat: boolean;
}

/** Growth below this share of the mean is not evidence of a leak: resident memory settles long after the heap. */
const MATERIAL = 0.05;

/**
 * Least squares through at least 3 points. The trend is not flat if the slope exceeds 0 by more than two standard errors and
 * the growth is material. Successive samples are correlated, which makes the error too small; the second condition keeps that
 * from passing as a leak.
 */
export function trendOf(points: readonly (readonly [x: number, y: number])[]): Trend {
  const n = points.length;
  if (n < 3) throw new RangeError('a trend needs at least 3 points');
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / n;
  const mean = points.reduce((sum, [, y]) => sum + y, 0) / n;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - mean), 0) / spread;
  const residual = points.reduce((sum, [x, y]) => sum + (y - mean - slope * (x - meanX)) ** 2, 0);
  const error = Math.sqrt(residual / (n - 2) / spread);
  const growth = slope * (points.at(-1)![0] - points[0]![0]);
  const isFlat = slope <= 2 * error || growth <= MATERIAL * Math.abs(mean);
  return { mean, slope, error, growth, isFlat };
}
