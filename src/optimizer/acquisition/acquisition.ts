import type { Interval } from '../goal/targets.ts';
import { noiseVariance, type Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { logImprovementBelow } from './expected-improvement.ts';
import type { FailureModel } from './failure-model.ts';
import type { HypervolumeImprovement } from './hypervolume-improvement.ts';
import { type LogTerm, logIntervalProbability } from './interval-probability.ts';

/** Share of the width of a two-sided interval that is added to its spread, which aims at the middle and not just inside. */
const WIDTH_SHARE = 0.25;
/** Smaller widths, in standardized units, are rounding. */
const MIN_WIDTH = 1e-13;
/** Share of the width of a two-sided interval that a margin leaves at least. */
const LEAST_INNER = 0.1;
/** With more features the Hessian of the means costs more than it gains. */
export const MAX_HESSIAN_FEATURES = 40;
/** Least frozen spread of an output to improve: a smaller one lets the search creep away from the incumbent. */
const IMPROVEMENT_SPREAD = 0.1;

/** A step of a climb that gains fewer nats is not worth another one. Means without spreads have a sharp optimum, that of a fit. */
export const LEAST_GAIN = { usual: 1e-4, ofMeans: 1e-10 };

/** A value that is known with a standard error. */
interface Datum {
  readonly sigma: number;
  /** Whether the mean of the model alone is to come near to it, as if its spread were 0. Absent: false. */
  readonly isMeanTrusted?: boolean;
}

/**
 * The search's aim for one output: to lie in its interval, to come near to a value that is known with a standard error,
 * to improve on the best value so far, or nothing.
 */
export type Aim = 'interval' | 'ignore' | { readonly incumbent: number } | Datum;

/** The search's aims where runs are noisy, in standard deviations of the noise. */
export interface AimUnderNoise {
  /** Distance from the ends of its interval that the mean of an output is to keep. */
  readonly margin: number;
  /** The least spread. */
  readonly floor: number;
}

/** Aims at the interval of each output that has a finite end, and at the values of a fit. */
export function intervalAims(intervals: readonly Interval[]): Aim[] {
  return intervals.map(({ lower, upper, sigma }) => {
    if (sigma !== undefined) return { sigma };
    return Number.isFinite(lower) || Number.isFinite(upper) ? 'interval' : 'ignore';
  });
}

/**
 * The function that the search maximizes, with what a Newton step needs:
 *   A(u) = sum_j w_j log P(lower_j <= y_j(u) <= upper_j) + log P(the run succeeds)
 *
 * It is free of scales and one formula for all types of target. It weights outputs by how well they are known, exploits
 * where success is predicted and prefers a large sigma where it is not. An aim other than 'interval' replaces the term of
 * its output.
 *
 * The spread of an output is the standard deviation in its term: by default sqrt(sigma^2 + floor^2) with the predicted
 * sigma. Frozen spreads replace it by constants.
 */
export class Acquisition {
  readonly m: number;
  readonly p: number;
  readonly leastGain: number;
  /** Length m: the least frozen spread of each output. */
  readonly frozenFloor: Float64Array;
  /** Length m: the terms of the last evaluation, without their weights. */
  readonly terms: Float64Array;
  /** Length p, filled by `differentiate`. */
  readonly gradient: Float64Array;
  /** m x p Jacobian of the means and length m curvatures, >= 0: the Hessian is modelled as -J' diag(curvature) J. */
  readonly jacobian: Float64Array;
  readonly curvature: Float64Array;
  /**
   * p x p, lower triangle, filled by `differentiate`: the part of the Hessian due to the curvature of the means of directed
   * outputs. It matters once their aspirations are out of reach, as in a least squares problem with a large residual. null
   * without directed outputs.
   */
  readonly meanHessian: Float64Array | null;
  readonly #predictor: Predictor;
  readonly #aims: readonly Aim[];
  readonly #failures: FailureModel | null;
  readonly #gain: HypervolumeImprovement | null;
  readonly #isDirected: readonly boolean[];
  readonly #weights: readonly number[];
  /** Length m each: ends of the intervals, standardized, and least predicted spreads. */
  readonly #lower: Float64Array;
  readonly #upper: Float64Array;
  readonly #floor: Float64Array;
  /** Length m each: derivatives of the terms by mean and sigma at the point evaluated last. */
  readonly #byMean: Float64Array;
  readonly #bySigma: Float64Array;
  readonly #term: LogTerm = { value: 0, byMean: 0, bySpread: 0, curvature: 0 };
  /** Length m: takes derivatives by frozen spreads. */
  readonly #unused: Float64Array;
  /** Length p: the point evaluated last, and whether with frozen spreads. */
  readonly #at: Float64Array;
  #isFrozen = false;

  /**
   * @param intervals for the directions and the weights of the outputs; a weight left out is 1
   * @param failures null when no run has failed, or when failures are to be ignored
   * @param noise null where one run tells the value of an input
   * @param gain the joint term of the outputs of a front, whose aims are 'ignore'; null without a front
   */
  constructor(
    surrogate: Surrogate,
    predictor: Predictor,
    aims: readonly Aim[],
    intervals: readonly (Pick<Interval, 'directed'> & Partial<Pick<Interval, 'weight'>>)[],
    failures: FailureModel | null,
    noise: AimUnderNoise | null = null,
    gain: HypervolumeImprovement | null = null,
  ) {
    const { m, p } = predictor;
    const { lower, upper, floor, frozenFloor } = endsOf(surrogate, aims, noise);
    this.m = m;
    this.p = p;
    this.leastGain = aims.some((aim) => isDatum(aim) && aim.isMeanTrusted) ? LEAST_GAIN.ofMeans : LEAST_GAIN.usual;
    this.frozenFloor = frozenFloor;
    for (const j of gain?.outputs ?? []) frozenFloor[j] = IMPROVEMENT_SPREAD;
    this.terms = new Float64Array(m);
    this.gradient = new Float64Array(p);
    this.jacobian = predictor.meanGradient;
    this.curvature = new Float64Array(m);
    this.#predictor = predictor;
    this.#aims = aims;
    this.#failures = failures;
    this.#gain = gain;
    this.#isDirected = intervals.map(({ directed }, j) => directed || isDatum(aims[j]!));
    this.#weights = intervals.map(({ weight = 1 }) => weight);
    const needsHessian = p <= MAX_HESSIAN_FEATURES && this.#isDirected.includes(true);
    this.meanHessian = needsHessian ? new Float64Array(p * p) : null;
    this.#lower = lower;
    this.#upper = upper;
    this.#floor = floor;
    this.#byMean = new Float64Array(m);
    this.#bySigma = new Float64Array(m);
    this.#unused = new Float64Array(m);
    this.#at = new Float64Array(p);
  }

  /** The value at the features u (length p). @param frozen length m, or null for predicted spreads */
  evaluate(u: Float64Array, frozen: Float64Array | null): number {
    const { sigma } = this.#predictor;
    this.#at.set(u);
    this.#isFrozen = frozen !== null;
    if (frozen) this.#predictor.predictMeans(u);
    else this.#predictor.predict(u);
    let value = this.#failures ? this.#failures.logSuccess(u) : 0;
    for (let j = 0; j < this.m; j++) {
      const aim = this.#aims[j]!;
      this.curvature[j] = this.#byMean[j] = this.#bySigma[j] = this.terms[j] = 0;
      if (aim === 'ignore') continue;
      const floor = this.#floor[j]!;
      const isFixed = isDatum(aim) && aim.isMeanTrusted === true;
      const predicted = isFixed ? floor : Math.sqrt(sigma[j]! * sigma[j]! + floor * floor);
      const spread = isFixed ? floor : (frozen?.[j] ?? predicted);
      const term = this.#termOf(aim, j, spread);
      const weight = this.#weights[j]!;
      value += weight * term.value;
      this.terms[j] = term.value;
      this.curvature[j] = weight * term.curvature;
      this.#byMean[j] = weight * term.byMean;
      if (!frozen && !isFixed) this.#bySigma[j] = (weight * (term.bySpread * sigma[j]!)) / spread;
    }
    if (this.#gain) {
      const bySpread = frozen ? this.#unused : this.#bySigma;
      const spreadOf = (j: number) => (frozen ?? sigma)[j]!;
      value += this.#gain.evaluate(this.#predictor.mean, spreadOf, this.#byMean, bySpread, this.curvature);
    }
    return value;
  }

  /** Fills the derivatives at the point evaluated last, with the same spreads. */
  differentiate(): void {
    const { gradient, meanHessian, p } = this;
    const { meanGradient, sigmaGradient } = this.#predictor;
    if (this.#isFrozen) this.#predictor.differentiateMeans();
    else this.#predictor.differentiate();
    gradient.fill(0);
    meanHessian?.fill(0);
    this.#failures?.addGradient(this.#at, gradient);
    for (let j = 0; j < this.m; j++) {
      if (this.#aims[j] === 'ignore' && !this.#gain?.outputs.includes(j)) continue;
      const byMean = this.#byMean[j]!;
      const bySigma = this.#bySigma[j]!;
      if (meanHessian && this.#isDirected[j]) this.#predictor.addMeanHessian(j, byMean, meanHessian);
      for (let f = 0; f < p; f++) gradient[f]! += byMean * meanGradient[j * p + f]!;
      if (bySigma !== 0) for (let f = 0; f < p; f++) gradient[f]! += bySigma * sigmaGradient[j * p + f]!;
    }
  }

  #termOf(aim: Exclude<Aim, 'ignore'>, j: number, spread: number): LogTerm {
    if (aim === 'interval') return this.#intervalTerm(j, spread);
    return isDatum(aim) ? this.#datumTerm(j, spread) : this.#improvementTerm(j, spread, aim.incumbent);
  }

  /** Log of the expected likelihood of the value: normal, with the spread of the model and the standard error together. */
  #datumTerm(j: number, spread: number): LogTerm {
    const term = this.#term;
    const r = (this.#predictor.mean[j]! - this.#lower[j]!) / spread;
    term.value = -0.5 * r * r - Math.log(spread);
    term.byMean = -r / spread;
    term.bySpread = (r * r - 1) / spread;
    term.curvature = 1 / (spread * spread);
    return term;
  }

  #intervalTerm(j: number, spread: number): LogTerm {
    const term = this.#term;
    logIntervalProbability(this.#predictor.mean[j]!, spread, this.#lower[j]!, this.#upper[j]!, term);
    return term;
  }

  /** Improvement above an incumbent is improvement below it after a change of sign. */
  #improvementTerm(j: number, spread: number, incumbent: number): LogTerm {
    const term = this.#term;
    const sign = Number.isFinite(this.#upper[j]!) ? 1 : -1;
    logImprovementBelow(sign * this.#predictor.mean[j]!, spread, sign * incumbent, term);
    term.byMean *= sign;
    return term;
  }
}

function isDatum(aim: Aim): aim is Datum {
  return typeof aim === 'object' && 'sigma' in aim;
}

/** Half the width of the range from -sigma to sigma in the units of the model; `sigma` itself for a constant output. */
function datumSpread({ fitted }: Surrogate['outputs'][number], sigma: number): number {
  return fitted ? (fitted.warp.toZ(sigma) - fitted.warp.toZ(-sigma)) / 2 : sigma;
}

/** Length m each: the ends of the intervals, standardized, and the least spreads, predicted and frozen. */
function endsOf(surrogate: Surrogate, aims: readonly Aim[], noise: AimUnderNoise | null) {
  const m = aims.length;
  const lower = new Float64Array(m);
  const upper = new Float64Array(m);
  const floor = new Float64Array(m);
  const frozenFloor = new Float64Array(m);
  surrogate.outputs.forEach((output, j) => {
    const least = MIN_WIDTH * Math.max(1, Math.abs(output.lower));
    const isPoint = Number.isFinite(output.upper) && output.upper - output.lower < least;
    const margin = noise && aims[j] === 'interval' ? noise.margin * Math.sqrt(noiseVariance(surrogate, j)) : 0;
    const inner = margin > 0 ? Math.min(margin, ((1 - LEAST_INNER) / 2) * (output.upper - output.lower)) : 0;
    lower[j] = isPoint ? output.lower - least / 2 : output.lower + inner;
    upper[j] = isPoint ? output.upper + least / 2 : output.upper - inner;
    const aim = aims[j]!;
    if (isDatum(aim)) {
      lower[j] = upper[j] = output.lower;
      frozenFloor[j] = floor[j] = datumSpread(output, aim.sigma);
    } else if (typeof aim === 'object') frozenFloor[j] = IMPROVEMENT_SPREAD;
    else if (Number.isFinite(upper[j]! - lower[j]!)) frozenFloor[j] = floor[j] = WIDTH_SHARE * (upper[j]! - lower[j]!);
    if (noise && aims[j] === 'interval') {
      frozenFloor[j] = floor[j] = Math.max(floor[j]!, noise.floor * Math.sqrt(noiseVariance(surrogate, j)));
    }
  });
  return { lower, upper, floor, frozenFloor };
}
