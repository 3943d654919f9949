import type { Interval } from '../goal/targets.ts';
import type { Goal } from '../interface/problem.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { slopeAt } from '../surrogate/warps.ts';
import { MAX_HESSIAN_FEATURES } from './acquisition.ts';
import type { FailureModel } from './failure-model.ts';

/** Largest miss that is told apart, so that nothing overflows. */
const LARGEST = 1e12;

/** The units in which misses are measured. */
export interface MissUnits {
  readonly intervals: readonly Interval[];
  /** Length m: see `Misses`. */
  readonly units: Float64Array;
  readonly l1: Goal['l1'];
}

/**
 * Minus the worst miss that the models expect, as a function to climb: a compromise of targets that cannot be met together is where it is
 * largest. Misses are signed: inside an interval they are negative, so where all targets can be met it leads well inside.
 *
 * The maximum of the misses v_k, two per two-sided interval, is smoothed:
 *   A(u) = -log sum_k exp(v_k(u) / T)
 * differs from -max_k v_k / T by at most log(2 m). For an exact goal the sum of the distances, each smoothed as sqrt(d^2 + T^2), takes
 * its place. The Hessian is exact but for the curvature of the spreads.
 *
 * Source: Xu 2001, Smoothing method for minimax problems, Computational Optimization and Applications 20.
 */
export class WorstMiss {
  readonly m: number;
  /** Rows of p, two per output: the gradients of v / T. */
  readonly jacobian: Float64Array;
  /** One per row. */
  readonly curvature: Float64Array;
  readonly gradient: Float64Array;
  readonly meanHessian: Float64Array | null;
  /** Length m: the signed miss of each output at the point evaluated last; for an exact goal its distance from the centre. */
  readonly terms: Float64Array;
  /** Required by `Acquisition`; spreads play no part here. */
  readonly frozenFloor: Float64Array;
  /** T, in tolerances. */
  temperature = 1;
  readonly #surrogate: Surrogate;
  readonly #predictor: Predictor;
  readonly #measure: MissUnits;
  readonly #failures: FailureModel | null;
  readonly #optimism: number;
  /** Length 2 m each: signed misses and their slopes by mean and sigma. */
  readonly #miss: Float64Array;
  readonly #byMean: Float64Array;
  readonly #bySigma: Float64Array;
  /** Length 2 m: shares of the gradient. */
  readonly #share: Float64Array;
  readonly #at: Float64Array;
  readonly #constants: Float64Array;

  /**
   * @param constants length m: the values of outputs that never varied
   * @param failures null when no run has failed
   * @param optimism so many predicted standard deviations are taken off every miss
   */
  constructor(
    surrogate: Surrogate,
    predictor: Predictor,
    measure: MissUnits,
    constants: Float64Array,
    failures: FailureModel | null,
    optimism = 0,
  ) {
    const { m, p } = predictor;
    this.m = m;
    this.jacobian = new Float64Array(2 * m * p);
    this.curvature = new Float64Array(2 * m);
    this.gradient = new Float64Array(p);
    this.meanHessian = p <= MAX_HESSIAN_FEATURES ? new Float64Array(p * p) : null;
    this.terms = new Float64Array(m);
    this.frozenFloor = new Float64Array(m);
    this.#surrogate = surrogate;
    this.#predictor = predictor;
    this.#measure = measure;
    this.#constants = constants;
    this.#failures = failures;
    this.#optimism = optimism;
    this.#miss = new Float64Array(2 * m);
    this.#byMean = new Float64Array(2 * m);
    this.#bySigma = new Float64Array(2 * m);
    this.#share = new Float64Array(2 * m);
    this.#at = new Float64Array(p);
  }

  /** The worst signed miss at the point evaluated last, not smoothed; for an exact goal the L1 norm beyond the threshold. */
  get worst(): number {
    const { l1 } = this.#measure;
    if (!l1) return this.#miss.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
    return this.terms.reduce((sum, one) => sum + Math.max(0, one), 0) - 1;
  }

  /** The value at the features u (length p). */
  evaluate(u: Float64Array): number {
    this.#at.set(u);
    if (this.#optimism > 0) this.#predictor.predict(u);
    else this.#predictor.predictMeans(u);
    for (let j = 0; j < this.m; j++) this.#judge(j);
    const success = this.#failures ? this.#failures.logSuccess(u) : 0;
    return success + (this.#measure.l1 ? this.#sum() : this.#maximum());
  }

  #maximum(): number {
    const T = this.temperature;
    let top = Number.NEGATIVE_INFINITY;
    for (const one of this.#miss) top = Math.max(top, one);
    if (!Number.isFinite(top)) return 0;
    let total = 0;
    this.#miss.forEach((one, k) => {
      this.#share[k] = Math.exp((one - top) / T);
      total += this.#share[k]!;
    });
    this.#share.forEach((one, k) => {
      this.curvature[k] = this.#share[k] = one / total;
    });
    return -top / T - Math.log(total);
  }

  #sum(): number {
    const T = this.temperature;
    let sum = 0;
    for (let j = 0; j < this.m; j++) {
      const d = this.#miss[2 * j]!;
      const root = Math.hypot(d, T);
      sum += root;
      this.#share[2 * j] = d / root;
      this.curvature[2 * j] = T / root;
    }
    return -sum / T;
  }

  /** Fills the derivatives at the point evaluated last. */
  differentiate(): void {
    const { gradient, jacobian, meanHessian } = this;
    const p = gradient.length;
    const { meanGradient, sigmaGradient } = this.#predictor;
    if (this.#optimism > 0) this.#predictor.differentiate();
    else this.#predictor.differentiateMeans();
    gradient.fill(0);
    jacobian.fill(0);
    meanHessian?.fill(0);
    const T = this.temperature;
    for (let k = 0; k < 2 * this.m; k++) {
      const j = k >> 1;
      const byMean = this.#byMean[k]! / T;
      const bySigma = this.#bySigma[k]! / T;
      if (byMean === 0) continue;
      const share = this.#share[k]!;
      for (let f = 0; f < p; f++) {
        const slope = byMean * meanGradient[j * p + f]! + (bySigma === 0 ? 0 : bySigma * sigmaGradient[j * p + f]!);
        jacobian[k * p + f] = slope;
        gradient[f]! -= share * slope;
      }
      if (meanHessian && share !== 0) this.#predictor.addMeanHessian(j, -share * byMean, meanHessian);
    }
    // Corrects the curvature for the maximum, which curves less than the sum of its parts; a sum (L1) needs none.
    if (meanHessian && !this.#measure.l1) {
      for (let a = 0; a < p; a++) {
        for (let b = 0; b <= a; b++) meanHessian[a * p + b]! += gradient[a]! * gradient[b]!;
      }
    }
    this.#failures?.addGradient(this.#at, gradient);
  }

  /** The misses of output j at both ends of its interval, less what optimism allows. */
  #judge(j: number): void {
    const { intervals, units, l1 } = this.#measure;
    const { lower, upper, center } = intervals[j]!;
    const unit = units[j]!;
    this.#set(2 * j, Number.NEGATIVE_INFINITY, 0, 0);
    this.#set(2 * j + 1, Number.NEGATIVE_INFINITY, 0, 0);
    this.terms[j] = Number.NEGATIVE_INFINITY;
    if (!Number.isFinite(unit)) return;
    const { mean, sigma } = this.#predictor;
    const off = this.#optimism * sigma[j]!;
    if (l1) {
      const gap = mean[j]! - (this.#surrogate.outputs[j]!.fitted?.warp.toZ(center) ?? 0);
      const less = Math.sign(gap) * Math.min(Math.abs(gap), off);
      this.#fill(2 * j, j, mean[j]! - less, (y) => (y - center) / unit, 0);
      this.terms[j] = Math.abs(this.#miss[2 * j]!);
      return;
    }
    if (Number.isFinite(upper)) this.#fill(2 * j, j, mean[j]! - off, (y) => (y - upper) / unit, -this.#optimism);
    if (Number.isFinite(lower)) this.#fill(2 * j + 1, j, mean[j]! + off, (y) => (lower - y) / unit, this.#optimism);
    this.terms[j] = Math.max(this.#miss[2 * j]!, this.#miss[2 * j + 1]!);
  }

  #fill(k: number, j: number, z: number, missOf: (y: number) => number, bySigma: number): void {
    const { fitted } = this.#surrogate.outputs[j]!;
    if (!fitted) {
      this.#set(k, missOf(this.#constants[j]!), 0, 0);
      return;
    }
    const { fromZ } = fitted.warp;
    const slope = slopeAt((at) => missOf(fromZ(at)), z);
    this.#set(k, missOf(fromZ(z)), Number.isFinite(slope) ? slope : 0, bySigma);
  }

  #set(k: number, miss: number, slope: number, bySigma: number): void {
    this.#miss[k] = miss === Number.NEGATIVE_INFINITY ? miss : Math.min(LARGEST, Math.max(-LARGEST, miss));
    this.#byMean[k] = slope;
    this.#bySigma[k] = slope * bySigma;
    this.#share[k] = this.curvature[k] = 0;
  }
}
