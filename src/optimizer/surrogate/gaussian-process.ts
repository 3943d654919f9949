import {
  choleskyInPlace,
  gramOfLower,
  invertLower,
  multiplyLower,
  multiplyLowerTransposed,
} from '../linalg/cholesky.ts';
import type { Work } from '../numerics/work.ts';
import { addCovarianceGradient, fillCovariance, type Geometry, type KernelSpec, parameterCount } from './kernels.ts';

/** Relative to the unit amplitude of R; 1e-8, 1e-9 and 1e-11 were all worse. */
const NUGGET = 1e-10;
/**
 * Largest variance factor, for outputs standardized to spread 1. Without a cap, nugget x variance becomes noise that
 * hides a misfit, and the search repeats one point for ever.
 */
const VARIANCE_CAP = 1e3;
const RANGE = { ell: [Math.log(0.05), Math.log(30)], w: [-7, 12], nugget: [Math.log(1e-9), Math.log(1)] } as const;
const NOISE_PENALTY = 3;

/** One interpolation problem: a geometry, a kernel, and the outputs that share its hyperparameters. */
export interface Fit {
  readonly geometry: Geometry;
  readonly spec: KernelSpec;
  /** Outputs, each length N, standardized to spread 1. */
  readonly outputs: readonly Float64Array[];
  /** Mean of the prior of log ell. */
  readonly logEll: number;
}

/** The kernel matrix of a fit at fixed hyperparameters, factorized. */
export interface Factorized {
  readonly theta: Float64Array;
  readonly nugget: number;
  /** N x N lower triangular inverse of the Cholesky factor. */
  readonly inverse: Float64Array;
  /** K^-1 1, length N, and its sum 1' K^-1 1. */
  readonly ones: Float64Array;
  readonly total: number;
  readonly logDeterminant: number;
}

/** One output conditioned on the data. */
export interface Conditioned {
  /** K^-1 (y - mean 1), length N. */
  readonly alpha: Float64Array;
  readonly mean: number;
  readonly variance: number;
  readonly logLikelihood: number;
}

/** Arrays that evaluations of the same size share. */
export interface Workspace {
  readonly K: Float64Array;
  readonly Z: Float64Array;
  readonly M: Float64Array;
  readonly inverse: Float64Array;
  readonly buffer: Float64Array;
}

export function makeWorkspace(N: number): Workspace {
  const square = () => new Float64Array(N * N);
  return { K: square(), Z: square(), M: square(), inverse: square(), buffer: new Float64Array(N) };
}

/** Start of the hyperparameter search: the mode of the prior. */
export function priorMode(fit: Fit): Float64Array {
  const G = fit.geometry.grouping.count;
  const theta = new Float64Array(parameterCount(fit.spec, G));
  if (fit.spec.kind !== 'lin') {
    theta.fill(fit.logEll, 0, G);
    theta[G] = 2;
  }
  if (fit.spec.noisy) theta[theta.length - 1] = Math.log(1e-4);
  return theta;
}

/** Moves theta into the range where the kernels are well conditioned. */
export function clampParameters(fit: Fit, theta: Float64Array): void {
  const G = fit.geometry.grouping.count;
  const plain = fit.spec.kind === 'lin' ? 0 : G + 1;
  for (let k = 0; k < theta.length; k++) {
    const [low, high] = k >= plain ? RANGE.nugget : k === G ? RANGE.w : RANGE.ell;
    theta[k] = Math.min(high, Math.max(low, theta[k]!));
  }
}

/** Log prior density of theta up to a constant; adds its gradient times `weight`. */
function logPrior(fit: Fit, theta: Float64Array, weight: number, gradient: Float64Array | null): number {
  const G = fit.geometry.grouping.count;
  const plain = fit.spec.kind === 'lin' ? 0 : G + 1;
  let value = fit.spec.noisy ? -NOISE_PENALTY : 0;
  for (let k = 0; k < theta.length; k++) {
    const mode = k >= plain ? Math.log(1e-4) : k === G ? 2 : fit.logEll;
    const sd = k >= plain ? 2.5 : k === G ? 2 : 1;
    const d = (theta[k]! - mode) / sd;
    value -= 0.5 * d * d;
    if (gradient) gradient[k]! -= (weight * d) / sd;
  }
  return weight * value;
}

/**
 * Factorizes the kernel matrix at theta. The nugget grows by 30 up to six times when rounding makes a pivot fail.
 *
 * @returns the inverse lies in the workspace until the next call; null when even the largest nugget does not help (entries that are not finite)
 */
export function factorize(fit: Fit, theta: Float64Array, space: Workspace, work: Work): Factorized | null {
  const { geometry, spec } = fit;
  const N = geometry.N;
  const G = geometry.grouping.count;
  const { K, Z } = space;
  fillCovariance(geometry, spec.kind, theta, K, Z);
  let trace = 0;
  for (let i = 0; i < N; i++) trace += K[i * N + i]!;
  let nugget = (spec.noisy ? Math.exp(theta[theta.length - 1]!) : NUGGET) + (1e-13 * trace) / N;
  work.spent += (N * N * (N + 2 * G)) / 1e6;
  for (let attempt = 0; attempt <= 6; attempt++, nugget *= 30) {
    if (attempt > 0) fillCovariance(geometry, spec.kind, theta, K, Z);
    for (let i = 0; i < N; i++) K[i * N + i]! += nugget;
    if (choleskyInPlace(K, N)) break;
    if (attempt === 6) return null;
  }
  let logDeterminant = 0;
  for (let i = 0; i < N; i++) logDeterminant += Math.log(K[i * N + i]!);
  const inverse = space.inverse;
  invertLower(K, N, inverse);
  const ones = new Float64Array(N);
  multiplyLower(inverse, N, new Float64Array(N).fill(1), space.buffer);
  multiplyLowerTransposed(inverse, N, space.buffer, ones);
  let total = 0;
  for (let i = 0; i < N; i++) total += space.buffer[i]! * space.buffer[i]!;
  return { theta: theta.slice(), nugget, inverse, ones, total, logDeterminant };
}

/** Conditions one output (length N) on a factorized kernel: generalized least squares mean, profiled variance. */
export function condition(factorized: Factorized, y: Float64Array, space: Workspace): Conditioned {
  const N = y.length;
  const { inverse, ones, total } = factorized;
  let mean = 0;
  for (let i = 0; i < N; i++) mean += ones[i]! * y[i]!;
  mean /= total;
  const centred = new Float64Array(N);
  for (let i = 0; i < N; i++) centred[i] = y[i]! - mean;
  const alpha = new Float64Array(N);
  multiplyLower(inverse, N, centred, space.buffer);
  multiplyLowerTransposed(inverse, N, space.buffer, alpha);
  let quadratic = 0;
  for (let i = 0; i < N; i++) quadratic += space.buffer[i]! * space.buffer[i]!;
  const free = (quadratic + 1e-10) / N;
  const variance = Math.min(free, VARIANCE_CAP);
  const logLikelihood =
    -0.5 * N * (Math.log(variance) + free / variance - 1) - factorized.logDeterminant - 0.5 * Math.log(total);
  return { alpha, mean, variance, logLikelihood };
}

/**
 * Log posterior of the hyperparameters: the sum over the outputs of log marginal likelihood plus log prior.
 *
 * @param gradient written when given, same length as theta, and only where the value exceeds `least`: a step that is
 * refused anyway costs a third without it
 * @returns -Infinity where the kernel matrix cannot be factorized
 */
export function logPosterior(
  fit: Fit,
  theta: Float64Array,
  gradient: Float64Array | null,
  space: Workspace,
  work: Work,
  least = Number.NEGATIVE_INFINITY,
): number {
  const factorized = factorize(fit, theta, space, work);
  if (factorized === null) return Number.NEGATIVE_INFINITY;
  const { geometry, spec, outputs } = fit;
  const N = geometry.N;
  const m = outputs.length;
  const conditioned = outputs.map((y) => condition(factorized, y, space));
  gradient?.fill(0);
  let value = logPrior(fit, theta, m, gradient);
  for (const one of conditioned) value += one.logLikelihood;
  if (gradient === null || theta.length === 0 || !(value > least)) return value;

  const M = space.M;
  gramOfLower(factorized.inverse, N, M);
  const { ones, total } = factorized;
  for (let i = 0; i < N; i++) {
    const factor = (m * ones[i]!) / total;
    for (let j = 0; j <= i; j++) M[i * N + j] = factor * ones[j]! - m * M[i * N + j]!;
  }
  for (const { alpha, variance } of conditioned) {
    for (let i = 0; i < N; i++) {
      const factor = alpha[i]! / variance;
      if (factor === 0) continue;
      for (let j = 0; j <= i; j++) M[i * N + j]! += factor * alpha[j]!;
    }
  }
  if (spec.noisy) {
    let trace = 0;
    for (let i = 0; i < N; i++) trace += M[i * N + i]!;
    gradient[theta.length - 1]! += 0.5 * Math.exp(theta[theta.length - 1]!) * trace;
  }
  addCovarianceGradient(geometry, spec.kind, theta, M, space.Z, gradient);
  work.spent += (N * N * (N / 3 + m + 2 * geometry.grouping.count)) / 1e6;
  return value;
}

/** The log posterior of each output of a fit on its own, all at the same theta, by one factorization. */
export function logPosteriorEach(fit: Fit, theta: Float64Array, space: Workspace, work: Work): number[] {
  const factorized = factorize(fit, theta, space, work);
  const prior = logPrior(fit, theta, 1, null);
  return fit.outputs.map((y) =>
    factorized ? condition(factorized, y, space).logLikelihood + prior : Number.NEGATIVE_INFINITY,
  );
}

/**
 * Factor for sigma from leave-one-out residuals: the root of their mean square, standardized, between 1 and 2.
 * Source: Dubrule 1983 for the leave-one-out formulas with an estimated mean.
 */
export function calibration(factorized: Factorized, one: Conditioned): number {
  const precision = leaveOneOutPrecision(factorized);
  const N = one.alpha.length;
  let sum = 0;
  for (let i = 0; i < N; i++) {
    if (precision[i]! > 0) sum += (one.alpha[i]! * one.alpha[i]!) / (precision[i]! * one.variance);
  }
  return Math.sqrt(Math.min(4, Math.max(1, sum / N)));
}

/**
 * Length N: the precision, in units of 1 / variance, with which each case is predicted by the others. The
 * leave-one-out residual is alpha_i / precision_i.
 */
export function leaveOneOutPrecision({ inverse, ones, total }: Factorized): Float64Array {
  const N = ones.length;
  const precision = new Float64Array(N);
  for (let k = 0; k < N; k++) for (let i = 0; i <= k; i++) precision[i]! += inverse[k * N + i]! * inverse[k * N + i]!;
  for (let i = 0; i < N; i++) precision[i]! -= (ones[i]! * ones[i]!) / total;
  return precision;
}
