/** Whether a figure grows: a straight line through its samples, with the error of its slope. */

export interface Trend {
  /** Of the samples looked at. */
  readonly mean: number;
  /** Per unit of x, with its standard error. */
  readonly slope: number;
  readonly error: number;
  /** Along the line, over all of the samples. */
  readonly growth: number;
  readonly isFlat: boolean;
}

/**
 * Growth below this share of the mean, over all of the samples, is no leak that they could show: resident memory settles for a
 * long time after the heap has.
 */
const MATERIAL = 0.05;

/**
 * Least squares through at least 3 points. It is not flat when the slope is above 0 by more than two standard errors and the
 * growth is material. Samples that follow each other are alike, so that the error is rather too small: the second condition
 * keeps that from being taken for a leak.
 */
export function trendOf(points: readonly (readonly [x: number, y: number])[]): Trend {
  const n = points.length;
  if (n < 3) throw new RangeError('a trend takes at least 3 points');
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
