import { LOG_SQRT_TWO_PI, logNormalCdf } from '../numerics/normal.ts';

/** One summand of an acquisition: value, derivatives by mean and spread, negative curvature along the mean (>= 0). */
export interface LogTerm {
  value: number;
  byMean: number;
  bySpread: number;
  curvature: number;
}

/** Narrower than this, the interval is a point times its width. */
const NARROW = 1e-2;

/**
 * Log of the probability that a normal variable lies in [lower, upper], with its derivatives, into `out`.
 *
 * Either end may be infinite. Accurate in both tails: the mass is reflected into the left one, where log Phi keeps
 * its relative accuracy. `spread` > 0, `upper` > `lower`.
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
