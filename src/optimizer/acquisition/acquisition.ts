import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import type { Interval } from '../targets.ts';
import { logImprovementBelow } from './expected-improvement.ts';
import type { Hazards } from './hazards.ts';
import { type LogTerm, logIntervalProbability } from './interval-probability.ts';

/** Share of the width of a two-sided interval that is added to its spread: aims at the middle, not just inside. */
const WIDTH_SHARE = 0.25;
/** Widths below this, in standardized units, are rounding. */
const SMALLEST_WIDTH = 1e-13;

/** With more features the curvature of the means costs more than it gains. */
const MOST_BENT = 40;
/** Least frozen spread of an output to improve: a narrower one lets the search creep away from the incumbent. */
const IMPROVEMENT_SPREAD = 0.1;

/** What is asked of one output: its interval, an improvement on the best value so far, or nothing. */
export type Aim = 'interval' | 'ignore' | { readonly incumbent: number };

/** The interval of each output, as far as it has an end. */
export function intervalAims(intervals: readonly Interval[]): Aim[] {
  return intervals.map(({ lower, upper }) =>
    Number.isFinite(lower) || Number.isFinite(upper) ? 'interval' : 'ignore',
  );
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
  /**
   * p x p, lower triangle: what the Hessian model misses because the means of directed outputs curve, which matters
   * once their ends are out of reach (a least squares problem with a large residual). null without such outputs.
   */
  readonly bend: Float64Array | null;
  /** Sum over the outputs of log P at u. With `frozen` (length m) those spreads replace the predicted ones. */
  evaluate(u: Float64Array, frozen: Float64Array | null, gradient: boolean): number;
  /** Adds what `gradient` leaves out, at u, where `evaluate` was called last, with the same `frozen`. */
  differentiate(u: Float64Array, frozen: Float64Array | null): void;
  /** Least frozen spread of each output. */
  readonly frozenFloor: Float64Array;
  /** Length m: the summands of the last evaluation. */
  readonly terms: Float64Array;
}

/**
 * A(u) = sum_j log P(lower_j <= y_j(u) <= upper_j): scale free, one formula for all types of target. It weights
 * outputs by how well they are known, exploits where success is predicted and prefers large sigma where it is not.
 * The log chance that a run succeeds at all is added. An aim other than 'interval' replaces the term of an output.
 */
export function makeAcquisition(
  surrogate: Surrogate,
  predictor: Predictor,
  aims: readonly Aim[],
  intervals: readonly Pick<Interval, 'directed'>[],
  hazards: Hazards | null,
): Acquisition {
  const { m, p, mean, sigma, meanGradient, sigmaGradient } = predictor;
  const isDirected = intervals.map(({ directed }) => directed);
  const lower = new Float64Array(m);
  const upper = new Float64Array(m);
  const floor = new Float64Array(m);
  const frozenFloor = new Float64Array(m);
  surrogate.outputs.forEach((output, j) => {
    const least = SMALLEST_WIDTH * Math.max(1, Math.abs(output.lower));
    const short = Number.isFinite(output.upper) && output.upper - output.lower < least;
    lower[j] = short ? output.lower - least / 2 : output.lower;
    upper[j] = short ? output.upper + least / 2 : output.upper;
    if (typeof aims[j] === 'object') frozenFloor[j] = IMPROVEMENT_SPREAD;
    else if (Number.isFinite(upper[j]! - lower[j]!)) frozenFloor[j] = floor[j] = WIDTH_SHARE * (upper[j]! - lower[j]!);
  });
  const gradient = new Float64Array(p);
  const terms = new Float64Array(m);
  const bend = p <= MOST_BENT && isDirected.includes(true) ? new Float64Array(p * p) : null;
  const curvature = new Float64Array(m);
  const byMean = new Float64Array(m);
  const bySigma = new Float64Array(m);
  const term: LogTerm = { value: 0, byMean: 0, bySpread: 0, curvature: 0 };

  /** Improvement above an incumbent is improvement below it after a change of sign. */
  function improvement(j: number, spread: number, incumbent: number): void {
    const sign = Number.isFinite(upper[j]!) ? 1 : -1;
    logImprovementBelow(sign * mean[j]!, spread, sign * incumbent, term);
    term.byMean *= sign;
  }

  function evaluate(u: Float64Array, frozen: Float64Array | null, withGradient: boolean): number {
    predictor.predict(u, false, frozen === null);
    let value = hazards ? hazards.logSuccess(u, null) : 0;
    for (let j = 0; j < m; j++) {
      const aim = aims[j]!;
      curvature[j] = byMean[j] = bySigma[j] = terms[j] = 0;
      if (aim === 'ignore') continue;
      const spread = frozen ? frozen[j]! : Math.sqrt(sigma[j]! * sigma[j]! + floor[j]! * floor[j]!);
      if (aim === 'interval') logIntervalProbability(mean[j]!, spread, lower[j]!, upper[j]!, term);
      else improvement(j, spread, aim.incumbent);
      value += term.value;
      terms[j] = term.value;
      curvature[j] = term.curvature;
      byMean[j] = term.byMean;
      if (!frozen) bySigma[j] = (term.bySpread * sigma[j]!) / spread;
    }
    if (withGradient) differentiate(u, frozen);
    return value;
  }

  function differentiate(u: Float64Array, frozen: Float64Array | null): void {
    predictor.differentiate(u, frozen === null);
    gradient.fill(0);
    bend?.fill(0);
    hazards?.logSuccess(u, gradient);
    for (let j = 0; j < m; j++) {
      if (aims[j] === 'ignore') continue;
      if (bend && isDirected[j]) predictor.addMeanHessian(j, byMean[j]!, bend);
      for (let f = 0; f < p; f++) gradient[f]! += byMean[j]! * meanGradient[j * p + f]!;
      if (bySigma[j] !== 0) for (let f = 0; f < p; f++) gradient[f]! += bySigma[j]! * sigmaGradient[j * p + f]!;
    }
  }
  return { m, p, gradient, jacobian: meanGradient, curvature, bend, frozenFloor, terms, evaluate, differentiate };
}
