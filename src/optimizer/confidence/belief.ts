/**
 * Beliefs about the outputs at one input where runs differ. Output j of a run is theta_j + e_j with noise
 * e_j ~ N(0, v_j). The models say theta_j ~ N(mean, variance) without the runs at the input itself; k runs there with mean y
 * and sum of squares S around it give
 *   v_j | runs       ~ (freedom v + S) / chi2(freedom + k - 1)
 *   theta_j | v_j    ~ N(s^2 (mean / variance + k y / v_j), s^2),   1 / s^2 = 1 / variance + k / v_j
 * The mean of the models shrinks the lucky run that made an input stand out towards its neighbours.
 *
 * Source: Gelman et al. 2014, Bayesian data analysis, 3rd ed., sections 2.5 and 3.4 (semi-conjugate normal model); Rasmussen
 * and Williams 2006, section 5.4.2, for predictions without some of the data.
 */
import type { Cases } from '../goal/cases.ts';
import { calibrationSquare, noiseVariance, type OutputModel, type Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { slopeAt } from '../surrogate/warps.ts';
import { drawNoise, type Scatter } from './draw-noise.ts';

/** One output at one input, in units in which noise is about normal. */
export interface OutputBelief extends Scatter {
  /** The models' prediction of theta without the runs at the input. */
  readonly mean: number;
  readonly variance: number;
  /** The mean of the runs at the input. */
  readonly observed: number;
  readonly lower: number;
  readonly upper: number;
  /** By how much the mean of the output exceeds theta, in variances of the noise: 1/2 for a logarithm, else 0. */
  readonly skew: number;
  /** Turns a deviation into one relative to the output, which is positive wherever it has been run; else 0. */
  readonly relative: number;
}

export interface Belief {
  /** Successful runs at the input, those of them that meet all targets, and failed runs. */
  readonly runs: number;
  readonly hits: number;
  readonly failures: number;
  /** Odds that the models are right about runs here, by all but these runs, see `ofShare`. */
  readonly trust: number;
  /** The share of hits that is asked for. */
  readonly least: number;
  readonly outputs: readonly OutputBelief[];
}

/** The runs at one input. */
export interface RunsThere {
  /** Cases at the input, ascending. */
  readonly members: readonly number[];
  /** Number of these runs that meet all targets. */
  readonly hits: number;
  readonly failures: number;
}

/** The models of all cases, and what they know about noise. */
export interface NoisyModels {
  readonly cases: Cases;
  readonly surrogate: Surrogate;
  readonly predictor: Predictor;
  /** Cases in the models. */
  readonly rows: ReadonlySet<number>;
  /** Degrees of freedom of an estimated noise at an input that has been run so many times. */
  freedomAt(runs: number): number;
  /** The share of hits that is asked of an input. */
  readonly least: number;
  /** Factor on the variances of the models. */
  readonly doubt: number;
  /** m x m, lower triangular: the factor of the correlation of the outputs around their predictions. */
  readonly correlation: Float64Array;
}

/** Standardized values of one output are kept within these ends: a logarithm of zero has none. */
const MOST_STANDARDIZED = 50;
/** A variance that stands for no knowledge, in standardized units. */
const UNKNOWN = 1e4;
/**
 * Runs of a positive output count as skewed where the standard deviation of its logarithm may be this large: at the quantile of the
 * standard normal distribution. A lognormal output then has a skewness of 0.95.
 */
const SKEWED = { deviation: 0.3, quantile: -1.2816 };
/** Step of the numerical second derivative of a warp. */
const CURVATURE_STEP = 0.1;

/**
 * The belief about an input, for which the models need not have been asked yet.
 *
 * @param u length p, its features
 * @param units of the belief: those of the models, in which the noise of positive outputs may be relative; those of the
 * outputs, in which means of runs are taken; or those in which the means over all runs are judged, see `inLogarithms`
 */
export function beliefAt(
  models: NoisyModels,
  u: Float64Array,
  { members, hits, failures }: RunsThere,
  units: 'models' | 'outputs' | 'means',
): Belief {
  const { surrogate, predictor, cases } = models;
  predictor.predict(u);
  const m = surrogate.outputs.length;
  const outputs = surrogate.outputs.map((output, j): OutputBelief => {
    const values = members.map((i) => cases.Y[i * m + j]!);
    const standardized = standardBelief(models, output, j, values, members.filter((i) => models.rows.has(i)).length);
    return units === 'models' || !output.fitted
      ? standardized
      : ((units === 'means' ? inLogarithms(models, output.fitted, j, values, standardized) : null) ??
          inOutputUnits(models, output.fitted, j, values, standardized));
  });
  return { runs: members.length, hits, failures, trust: 1, least: models.least, outputs };
}

/** Whether the runs of an output may be skewed. */
export function isSkewed({ outputs, runs }: Belief): boolean {
  return outputs.some(({ skew, relative, noise, freedom, squares }) => {
    if (skew > 0) return true;
    const square = relative ** 2;
    return square > 0 && mayBeSkewed({ noise: square * noise, freedom, squares: square * squares }, runs);
  });
}

/** @param known how many of the values the models know */
function standardBelief(
  { surrogate, predictor, cases, freedomAt, doubt }: NoisyModels,
  { fitted, lower, upper }: OutputModel,
  j: number,
  values: readonly number[],
  known: number,
): OutputBelief {
  if (!fitted) {
    const variance = predictor.sigma[j]! ** 2;
    const constant = { noise: 0, freedom: Number.POSITIVE_INFINITY, observed: 0, squares: 0, skew: 0, relative: 0 };
    return { mean: 0, variance, ...constant, lower, upper };
  }
  const { warp } = fitted;
  const toZ = (y: number) => Math.min(MOST_STANDARDIZED, Math.max(-MOST_STANDARDIZED, warp.toZ(y)));
  const { observed, squares } = momentsOf(values.map(toZ));
  const calibration = calibrationSquare(fitted);
  const posterior = predictor.sigma[j]! ** 2 / calibration;
  const noise = noiseVariance(surrogate, j);
  // Taking the runs at the input out of what the models say, before their variance is widened.
  const precision = 1 / posterior - known / noise;
  const variance = precision * UNKNOWN > 1 ? 1 / precision : UNKNOWN;
  const mean =
    known > 0 ? variance * (predictor.mean[j]! / posterior - (known * observed) / noise) : predictor.mean[j]!;
  const sd = cases.noise?.[j];
  const here = predictor.mean[j]!;
  const slope = slopeAt(warp.fromZ, here);
  const stated = typeof sd === 'number' ? (sd / slope) ** 2 : null;
  return {
    mean,
    variance: variance * calibration * doubt,
    noise: stated ?? noise,
    freedom: stated === null ? freedomAt(values.length) : Number.POSITIVE_INFINITY,
    observed,
    squares,
    lower,
    upper,
    skew: 0,
    relative: isPositive(cases, j) ? slope / Math.max(warp.fromZ(here), momentsOf(values).observed) : 0,
  };
}

type Fitted = NonNullable<OutputModel['fitted']>;

/** The same in the units of the output, with its warp replaced by a parabola around the predicted value. */
function inOutputUnits(
  { predictor, cases }: NoisyModels,
  { warp }: Fitted,
  j: number,
  values: readonly number[],
  { mean, variance, noise, freedom }: OutputBelief,
): OutputBelief {
  const here = predictor.mean[j]!;
  const slope = slopeAt(warp.fromZ, here);
  const curvature =
    warp.kind === 'identity'
      ? 0
      : (warp.fromZ(here + CURVATURE_STEP) + warp.fromZ(here - CURVATURE_STEP) - 2 * warp.fromZ(here)) /
        CURVATURE_STEP ** 2;
  return {
    mean: warp.fromZ(here) + slope * (mean - here) + 0.5 * curvature * noise,
    variance: variance * slope ** 2,
    noise: noise * slope ** 2,
    freedom,
    ...momentsOf(values),
    lower: cases.intervals[j]!.lower,
    upper: cases.intervals[j]!.upper,
    skew: 0,
    relative: 0,
  };
}

/**
 * The same in the logarithm of the output where its runs may be skewed, which are then taken for lognormal: of mean
 * exp(theta + v / 2). null for others. A mean of few such runs is mostly too small, and so is their scatter: waits of 8, 9 and 10
 * belong to a queue whose mean wait is 15.
 */
function inLogarithms(
  { predictor, cases }: NoisyModels,
  { warp }: Fitted,
  j: number,
  values: readonly number[],
  { mean, variance, noise, freedom }: OutputBelief,
): OutputBelief | null {
  const here = predictor.mean[j]!;
  if (!(warp.fromZ(here) > 0) || !isPositive(cases, j) || values.some((value) => value === 0)) return null;
  const slope = slopeAt((z) => Math.log(warp.fromZ(z)), here);
  const own = momentsOf(values.map(Math.log));
  const scatter = { noise: noise * slope ** 2, freedom, squares: own.squares };
  if (!mayBeSkewed(scatter, values.length)) return null;
  const log = (y: number) => (y > 0 ? Math.log(y) : Number.NEGATIVE_INFINITY);
  const { lower, upper } = cases.intervals[j]!;
  // Models of the output itself predict its mean rather than theta.
  const shift = warp.kind === 'log' ? 0 : scatter.noise / 2;
  return {
    mean: Math.log(warp.fromZ(here)) + slope * (mean - here) - shift,
    variance: variance * slope ** 2,
    ...scatter,
    observed: own.observed,
    lower: log(lower),
    upper: log(upper),
    skew: 1 / 2,
    relative: 0,
  };
}

function isPositive({ Y, intervals }: Cases, j: number): boolean {
  for (let i = j; i < Y.length; i += intervals.length) if (!(Y[i]! >= 0)) return false;
  return true;
}

/** Whether the standard deviation of a logarithm may be as large as that of skewed runs. @param runs at the input */
function mayBeSkewed(scatter: Scatter, runs: number): boolean {
  return drawNoise(scatter, runs, SKEWED.quantile) > SKEWED.deviation ** 2;
}

/** The mean of some values, and the sum of their squared deviations from it. */
function momentsOf(values: readonly number[]): { observed: number; squares: number } {
  const observed = values.reduce((sum, value) => sum + value / values.length, 0);
  return { observed, squares: values.reduce((sum, value) => sum + (value - observed) ** 2, 0) };
}
