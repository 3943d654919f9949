import type { Interval } from '../goal/targets.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { slopeAt } from '../surrogate/warps.ts';
import { LEAST_GAIN, MAX_HESSIAN_FEATURES } from './acquisition.ts';
import { type LogTerm, logIntervalProbability } from './interval-probability.ts';

/** Narrower intervals of limits are rounding, standardized. */
const LEAST_WIDTH = 1e-9;
/** Largest residual that is told apart, so that nothing overflows. */
const LARGEST = 1e12;

/**
 * Minus half the sum of squares that the means of the models say, as a function to climb; limits are walls:
 *   A(u) = -1/2 sum_k r_k(u)^2 + sum_j log P(output j meets its limit)
 * Its Newton step is that of Gauss and Newton with the curvature of the means.
 */
export class PredictedMisfit {
  readonly leastGain = LEAST_GAIN.ofMeans;
  readonly m: number;
  readonly jacobian: Float64Array;
  readonly curvature: Float64Array;
  readonly gradient: Float64Array;
  readonly meanHessian: Float64Array | null;
  /** Length m: the residuals at the point evaluated last; 0 for limits. */
  readonly terms: Float64Array;
  readonly frozenFloor: Float64Array;
  /** Spread by which a limit acts as a wall, standardized: the wider, the farther the least value lies beyond it. */
  wall = 1;
  readonly #surrogate: Surrogate;
  readonly #predictor: Predictor;
  readonly #intervals: readonly Interval[];
  /** Length m: the value of each output that never varied. */
  readonly #constants: ArrayLike<number>;
  /** Length m: derivative of the value by the mean, and of the residual by the mean. */
  readonly #byMean: Float64Array;
  readonly #slope: Float64Array;
  readonly #term: LogTerm = { value: 0, byMean: 0, bySpread: 0, curvature: 0 };

  constructor(
    surrogate: Surrogate,
    predictor: Predictor,
    intervals: readonly Interval[],
    constants: ArrayLike<number>,
  ) {
    const { m, p } = predictor;
    this.m = m;
    this.jacobian = predictor.meanGradient;
    this.curvature = new Float64Array(m);
    this.gradient = new Float64Array(p);
    this.meanHessian = p <= MAX_HESSIAN_FEATURES ? new Float64Array(p * p) : null;
    this.terms = new Float64Array(m);
    this.frozenFloor = new Float64Array(m);
    this.#surrogate = surrogate;
    this.#predictor = predictor;
    this.#intervals = intervals;
    this.#constants = constants;
    this.#byMean = new Float64Array(m);
    this.#slope = new Float64Array(m);
  }

  /** Whether there are limits. */
  get hasLimits(): boolean {
    return this.#intervals.some(
      ({ sigma, lower, upper }) => sigma === undefined && (Number.isFinite(lower) || Number.isFinite(upper)),
    );
  }

  /** The sum of squares at the point evaluated last, without limits. */
  get sumOfSquares(): number {
    return this.terms.reduce((sum, r) => sum + r * r, 0);
  }

  /** The standard deviation of the sum of squares at the point evaluated last, given the spreads of the models (length m). */
  spreadOf(sigma: Float64Array): number {
    let variance = 0;
    let square = 0;
    this.terms.forEach((r, k) => {
      const spread = sigma[k]! * this.#slope[k]!;
      variance += (2 * r * spread) ** 2;
      square += spread * spread;
    });
    return Math.min(Number.MAX_VALUE, Math.sqrt(variance) + square);
  }

  /** m x p: the derivatives of the residuals by the features at the point differentiated last. */
  slopes(): Float64Array {
    const p = this.gradient.length;
    return this.jacobian.map((slope, k) => slope * this.#slope[Math.floor(k / p)]!);
  }

  /** The value at the features u (length p). */
  evaluate(u: Float64Array): number {
    this.#predictor.predictMeans(u);
    let value = 0;
    for (let j = 0; j < this.m; j++) {
      value += this.#intervals[j]!.sigma === undefined ? this.#limit(j) : this.#residual(j);
    }
    return value;
  }

  /** Fills the derivatives at the point evaluated last. */
  differentiate(): void {
    const { gradient, meanHessian } = this;
    const p = gradient.length;
    this.#predictor.differentiateMeans();
    gradient.fill(0);
    meanHessian?.fill(0);
    for (let j = 0; j < this.m; j++) {
      const byMean = this.#byMean[j]!;
      if (byMean === 0) continue;
      if (meanHessian) this.#predictor.addMeanHessian(j, byMean, meanHessian);
      for (let f = 0; f < p; f++) gradient[f]! += byMean * this.jacobian[j * p + f]!;
    }
  }

  #residual(j: number): number {
    const { fitted } = this.#surrogate.outputs[j]!;
    this.#slope[j] = this.#byMean[j] = this.curvature[j] = 0;
    if (fitted === null) {
      this.terms[j] = this.#constants[j]!;
      return -0.5 * this.terms[j]! ** 2;
    }
    const { fromZ } = fitted.warp;
    const z = this.#predictor.mean[j]!;
    const r = Math.min(LARGEST, Math.max(-LARGEST, fromZ(z)));
    const slope = slopeAt(fromZ, z);
    this.#slope[j] = Number.isFinite(slope) ? Math.min(LARGEST, slope) : 0;
    this.terms[j] = r;
    this.#byMean[j] = -r * this.#slope[j]!;
    this.curvature[j] = this.#slope[j]! ** 2;
    return -0.5 * r * r;
  }

  #limit(j: number): number {
    const { lower, upper, fitted } = this.#surrogate.outputs[j]!;
    this.terms[j] = this.#slope[j] = this.#byMean[j] = this.curvature[j] = 0;
    const isAsked = Number.isFinite(lower) || Number.isFinite(upper);
    if (!isAsked || fitted === null) return 0;
    const isPoint = Number.isFinite(upper - lower) && upper - lower < LEAST_WIDTH;
    logIntervalProbability(
      this.#predictor.mean[j]!,
      this.wall,
      lower,
      isPoint ? lower + LEAST_WIDTH : upper,
      this.#term,
    );
    this.#byMean[j] = this.#term.byMean;
    this.curvature[j] = this.#term.curvature;
    return this.#term.value;
  }
}
