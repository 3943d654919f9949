import type { Cases } from '../goal/cases.ts';
import { type Interval, toleranceOf } from '../goal/targets.ts';
import type { Goal } from '../problem.ts';
import type { OutputModel, Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import type { FailureModel } from './failure-model.ts';

/** Smoothing, in tolerances: with frozen spreads, for a wide basin, and at the end. */
const SMOOTHING = { wide: 0.3, final: 0.03 };
/** Smaller tolerances, in standardized units, are rounding. */
const MIN_UNIT = 1e-13;
/** With more features the Hessian of the means costs more than it gains. */
const MAX_HESSIAN_FEATURES = 40;
/** Difference of means over which a warp is differentiated. */
const DIFFERENCE = 1e-6;

/** The interval of an output and its tolerance, standardized. */
interface Limit {
  readonly lower: number;
  readonly upper: number;
  readonly unit: number;
}

/**
 * Minus how far the predicted means are from meeting all targets, in tolerances, for searches at the edge of what can be
 * reached and beyond it: a sum of log probabilities trades a sure miss of one output for better places of others.
 *   -mu log sum_j exp(miss_j / mu),  or  -(sum_j sqrt(d_j^2 + (mu D / m)^2) / D - 1)  for an exact goal of L1 norm D,
 * divided by mu, so that both count in nats. The miss of an output is its distance beyond the end of its interval, negative
 * inside, in the tolerances of `toleranceOf`.
 *
 * Source: Xu (2001), Smoothing method for minimax problems, Computational Optimization and Applications 20. The Hessian is
 * modelled without the negative part of that of the logarithm, so that steps are rather too short.
 */
export class LeastWorstMiss {
  readonly m: number;
  readonly p: number;
  readonly frozenFloor: Float64Array;
  /** Length m: minus the miss of each output at the point evaluated last, in tolerances. */
  readonly terms: Float64Array;
  readonly gradient: Float64Array;
  readonly jacobian: Float64Array;
  readonly curvature: Float64Array;
  readonly meanHessian: Float64Array | null;
  readonly #predictor: Predictor;
  readonly #outputs: readonly OutputModel[];
  readonly #limits: readonly (Limit | null)[];
  readonly #l1: Goal['l1'];
  readonly #failures: FailureModel | null;
  readonly #byMean: Float64Array;
  readonly #at: Float64Array;

  /** @param failures null when no run has failed */
  constructor(surrogate: Surrogate, predictor: Predictor, cases: Cases, goal: Goal, failures: FailureModel | null) {
    const { m, p } = predictor;
    this.m = m;
    this.p = p;
    this.frozenFloor = new Float64Array(m);
    this.terms = new Float64Array(m);
    this.gradient = new Float64Array(p);
    this.jacobian = predictor.meanGradient;
    this.curvature = new Float64Array(m);
    this.meanHessian = p <= MAX_HESSIAN_FEATURES ? new Float64Array(p * p) : null;
    this.#predictor = predictor;
    this.#outputs = surrogate.outputs;
    this.#limits = surrogate.outputs.map((output, j) => limitOf(output, cases.intervals[j]!));
    this.#l1 = goal.l1;
    this.#failures = failures;
    this.#byMean = new Float64Array(m);
    this.#at = new Float64Array(p);
  }

  /** The value at the features u (length p). @param frozen any but null for the wide smoothing */
  evaluate(u: Float64Array, frozen: Float64Array | null): number {
    const mu = frozen ? SMOOTHING.wide : SMOOTHING.final;
    this.#at.set(u);
    this.#predictor.predictMeans(u);
    const value = this.#l1 ? this.#sumOfMisses(this.#l1, mu) : this.#worstMiss(mu);
    return value + (this.#failures?.logSuccess(u) ?? 0);
  }

  /** Fills the derivatives at the point evaluated last. */
  differentiate(): void {
    const { gradient, meanHessian, p } = this;
    this.#predictor.differentiateMeans();
    gradient.fill(0);
    meanHessian?.fill(0);
    this.#failures?.addGradient(this.#at, gradient);
    for (let j = 0; j < this.m; j++) {
      const byMean = this.#byMean[j]!;
      if (byMean === 0) continue;
      if (meanHessian) this.#predictor.addMeanHessian(j, byMean, meanHessian);
      for (let f = 0; f < p; f++) gradient[f]! += byMean * this.jacobian[j * p + f]!;
    }
  }

  /** The worst miss at the point evaluated last, in tolerances; at most 0 where all targets are met. */
  get worst(): number {
    return -Math.min(...this.terms);
  }

  #worstMiss(mu: number): number {
    const { mean } = this.#predictor;
    const { terms } = this;
    const missOf = (one: Limit | null, j: number) =>
      one === null ? Number.NEGATIVE_INFINITY : Math.max(mean[j]! - one.upper, one.lower - mean[j]!) / one.unit;
    this.#limits.forEach((one, j) => {
      terms[j] = -missOf(one, j);
    });
    const { worst } = this;
    if (!Number.isFinite(worst)) return 0;
    let total = 0;
    this.#limits.forEach((one, j) => {
      this.#byMean[j] = this.curvature[j] = 0;
      if (one === null) return;
      const above = Math.exp(((mean[j]! - one.upper) / one.unit - worst) / mu);
      const below = Math.exp(((one.lower - mean[j]!) / one.unit - worst) / mu);
      total += above + below;
      this.#byMean[j] = (below - above) / (mu * one.unit);
      this.curvature[j] = (below + above) / (mu * one.unit) ** 2;
    });
    for (let j = 0; j < this.m; j++) {
      this.#byMean[j]! /= total;
      this.curvature[j]! /= total;
    }
    return -worst / mu - Math.log(total);
  }

  #sumOfMisses({ center, threshold }: NonNullable<Goal['l1']>, mu: number): number {
    const norm = Math.max(threshold, Number.MIN_VALUE);
    let sum = 0;
    let plain = 0;
    this.#outputs.forEach(({ fitted }, j) => {
      this.#byMean[j] = this.curvature[j] = 0;
      if (fitted === null) return;
      const { fromZ } = fitted.warp;
      const z = this.#predictor.mean[j]!;
      const slope = (fromZ(z + DIFFERENCE) - fromZ(z - DIFFERENCE)) / (2 * DIFFERENCE);
      const d = fromZ(z) - center[j]!;
      const root = Math.hypot(d, (mu * norm) / this.m);
      sum += root;
      plain += Math.abs(d);
      this.#byMean[j] = (-d / root) * (slope / (norm * mu));
      this.curvature[j] = (slope / root) * (slope / (norm * mu));
    });
    this.terms.fill(1 - plain / norm);
    return (1 - sum / norm) / mu;
  }
}

/** null for an output that asks for nothing, or that never varied. */
function limitOf({ fitted, lower, upper }: OutputModel, interval: Interval): Limit | null {
  if (fitted === null || (!Number.isFinite(lower) && !Number.isFinite(upper))) return null;
  if (Number.isFinite(upper - lower)) return { lower, upper, unit: Math.max(MIN_UNIT, (upper - lower) / 2) };
  const end = Number.isFinite(interval.upper) ? interval.upper : interval.lower;
  const { toZ } = fitted.warp;
  // Away from zero, where a logarithm has a value.
  const unit = Math.abs(toZ(end + Math.sign(end || 1) * toleranceOf(interval)) - toZ(end));
  return { lower, upper, unit: Math.max(MIN_UNIT, unit) };
}
