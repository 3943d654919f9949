import { LOG_SQRT_TWO_PI, logNormalCdf } from '../numerics/normal.ts';

/** One term of an acquisition: its value, derivatives by mean and spread, and minus the second derivative by the mean. */
export interface LogTerm {
  value: number;
  byMean: number;
  bySpread: number;
  /** >= 0. */
  curvature: number;
}

/** The probability of an interval of fewer standard deviations is its width times the density at its middle. */
const NARROW = 1e-2;

/**
 * Writes the log of the probability that a normal variable lies in [lower, upper], and its derivatives, to `out`.
 *
 * Either end may be infinite. Accurate in both tails: an interval in the right one is reflected to the left, where log Phi
 * keeps its relative accuracy. `spread` > 0 is the standard deviation; `upper` > `lower`.
 */
export function logIntervalProbability(mean: number, spread: number, lower: number, upper: number, out: LogTerm): void {
  let A = (lower - mean) / spread;
  let B = (upper - mean) / spread;
  if (B - A < NARROW) {
    const M = (A + B) / 2;
    out.value = -0.5 * M * M - LOG_SQRT_TWO_PI + Math.log((upper - lower) / spread);
    out.byMean = M / spread;
    out.bySpread = (M * M - 1) / spread;
    out.curvature = 1 / (spread * spread);
    return;
  }
  let sign = 1;
  if (A + B > 0) {
    [A, B] = [-B, -A];
    sign = -1;
  }
  const logB = logNormalCdf(B);
  const value = A === Number.NEGATIVE_INFINITY ? logB : logB + Math.log1p(-Math.exp(logNormalCdf(A) - logB));
  const densityA = A === Number.NEGATIVE_INFINITY ? 0 : Math.exp(-0.5 * A * A - LOG_SQRT_TWO_PI - value);
  const densityB = Math.exp(-0.5 * B * B - LOG_SQRT_TWO_PI - value);
  const moment = B * densityB - (densityA === 0 ? 0 : A * densityA);
  const byMean = -(densityB - densityA) / spread;
  out.value = value;
  out.byMean = sign * byMean;
  out.bySpread = -moment / spread;
  out.curvature = Math.max(0, moment / (spread * spread) + byMean * byMean);
}
