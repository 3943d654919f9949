import { LOG_SQRT_TWO_PI, logNormalCdf } from '../numerics/normal.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import type { Hazards } from './hazards.ts';

/** Derivatives of one log P: by the mean, by the spread, and the curvature of -log P along the mean (>= 0). */
export interface LogProbability {
  value: number;
  byMean: number;
  bySpread: number;
  curvature: number;
}

/** Share of the width of a two-sided interval that is added to its spread: aims at the middle, not just inside. */
const WIDTH_SHARE = 0.25;
/** Narrower than this, the interval is a point times its width. */
const NARROW = 1e-2;
/** Widths below this, in standardized units, are rounding. */
const SMALLEST_WIDTH = 1e-13;

/**
 * Log of the probability that a normal variable lies in [lower, upper], with its derivatives, into `out`.
 *
 * Either end may be infinite. Accurate in both tails: the mass is reflected into the left one, where log Phi keeps
 * its relative accuracy. `spread` > 0, `upper` > `lower`.
 */
export function logIntervalProbability(
  mean: number,
  spread: number,
  lower: number,
  upper: number,
  out: LogProbability,
): void {
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

/** The function the inner solver maximizes, with what a Newton step needs. */
export interface Acquisition {
  readonly m: number;
  readonly p: number;
  /** Length p: gradient at the last point evaluated with `gradient`. */
  readonly gradient: Float64Array;
  /** m x p Jacobian of the means and length m curvatures: the Hessian model is J' diag(curvature) J. */
  readonly jacobian: Float64Array;
  readonly curvature: Float64Array;
  /** Sum over the outputs of log P at u. With `frozen` (length m) those spreads replace the predicted ones. */
  evaluate(u: Float64Array, frozen: Float64Array | null, gradient: boolean): number;
  /** Spread floor of each output, from the width of its interval. */
  readonly floor: Float64Array;
}

/**
 * A(u) = sum_j log P(lower_j <= y_j(u) <= upper_j): scale free, one formula for all types of target. It weights
 * outputs by how well they are known, exploits where success is predicted and prefers large sigma where it is not. The log chance that a run succeeds at all is added.
 */
export function makeAcquisition(surrogate: Surrogate, predictor: Predictor, hazards: Hazards | null): Acquisition {
  const { m, p, mean, sigma, meanGradient, sigmaGradient } = predictor;
  const lower = new Float64Array(m);
  const upper = new Float64Array(m);
  const floor = new Float64Array(m);
  surrogate.outputs.forEach((output, j) => {
    const least = SMALLEST_WIDTH * Math.max(1, Math.abs(output.lower));
    const short = Number.isFinite(output.upper) && output.upper - output.lower < least;
    lower[j] = short ? output.lower - least / 2 : output.lower;
    upper[j] = short ? output.upper + least / 2 : output.upper;
    floor[j] = Number.isFinite(upper[j]! - lower[j]!) ? WIDTH_SHARE * (upper[j]! - lower[j]!) : 0;
  });
  const gradient = new Float64Array(p);
  const curvature = new Float64Array(m);
  const term: LogProbability = { value: 0, byMean: 0, bySpread: 0, curvature: 0 };

  function evaluate(u: Float64Array, frozen: Float64Array | null, withGradient: boolean): number {
    predictor.predict(u, withGradient, frozen === null);
    if (withGradient) gradient.fill(0);
    let value = hazards ? hazards.logSuccess(u, withGradient ? gradient : null) : 0;
    for (let j = 0; j < m; j++) {
      if (lower[j] === Number.NEGATIVE_INFINITY && upper[j] === Number.POSITIVE_INFINITY) {
        curvature[j] = 0;
        continue;
      }
      const spread = frozen ? frozen[j]! : Math.sqrt(sigma[j]! * sigma[j]! + floor[j]! * floor[j]!);
      logIntervalProbability(mean[j]!, spread, lower[j]!, upper[j]!, term);
      value += term.value;
      if (!withGradient) continue;
      curvature[j] = term.curvature;
      const alongSigma = frozen ? 0 : (term.bySpread * sigma[j]!) / spread;
      for (let f = 0; f < p; f++) gradient[f]! += term.byMean * meanGradient[j * p + f]!;
      if (alongSigma !== 0) for (let f = 0; f < p; f++) gradient[f]! += alongSigma * sigmaGradient[j * p + f]!;
    }
    return value;
  }
  return { m, p, gradient, jacobian: meanGradient, curvature, floor, evaluate };
}
