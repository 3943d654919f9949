/**
 * Gaussian process regression with a constant mean, estimated by generalized least squares, and a profiled variance.
 *
 * Source: Rasmussen and Williams 2006, Gaussian Processes for Machine Learning (R&W), section 2.7, with the basis h = 1.
 */
import { choleskyAbove, choleskyInPlace, invertLower } from '../linalg/cholesky.ts';
import { addRow, dot, gramOfLower, multiplyLower, multiplyLowerTransposed } from '../linalg/dense.ts';
import type { Work } from '../numerics/work.ts';
import {
  addCovarianceGradient,
  fillCovariance,
  type Geometry,
  type KernelKind,
  type KernelSpec,
  type Points,
  parameterCount,
  SLOPE_STEP,
  type SlopeRows,
  writeCovariances,
} from './kernels.ts';

/** Relative to the unit amplitude of R; 1e-8, 1e-9 and 1e-11 were all worse. */
const NUGGET = 1e-10;
/** Factor by which the nugget grows when a factorization fails, and how often it may. */
const NUGGET_GROWTH = 30;
const NUGGET_RETRIES = 6;
/**
 * Largest process variance of an output standardized to variance 1. Without a cap, nugget times variance becomes noise that
 * hides a misfit, and the search repeats one point forever.
 */
const VARIANCE_CAP = 1e3;
/** Bounds of the log hyperparameters. */
const RANGE = { ell: [Math.log(0.05), Math.log(30)], w: [-7, 12], nugget: [Math.log(1e-9), Math.log(1)] } as const;
/** Means and standard deviations of their normal priors; the mean of log ell depends on the number of inputs. */
const PRIOR = { ell: { sd: 1 }, w: { mean: 2, sd: 2 }, nugget: { mean: Math.log(1e-4), sd: 2.5 } } as const;
/** Log prior odds against a kernel with a free nugget. */
const NOISE_PENALTY = 3;

/** One regression problem: a geometry, a kernel, and the outputs that share its hyperparameters. */
export interface Fit {
  readonly geometry: Geometry;
  readonly spec: KernelSpec;
  /** Outputs, each length N, standardized to variance 1. */
  readonly outputs: readonly Float64Array[];
  /** Prior mean of log ell. */
  readonly logEll: number;
  /** Variance of the noise of the only output, where it is known: the nugget is then this in units of the process variance. */
  readonly noise?: number;
}

/** The kernel matrix K of a fit at fixed hyperparameters, factorized. */
export interface Factorized {
  readonly theta: Float64Array;
  readonly nugget: number;
  /** L^-1, N x N, lower triangular. */
  readonly inverse: Float64Array;
  /** K^-1 1, length N, and its sum, 1' K^-1 1. */
  readonly ones: Float64Array;
  readonly total: number;
  /** Log determinant of L: half that of K. */
  readonly logDeterminant: number;
}

/** One output conditioned on the data. */
export interface Conditioned {
  /** K^-1 (y - mean 1), length N. */
  readonly alpha: Float64Array;
  readonly mean: number;
  /** Process variance, in units of the kernel. */
  readonly variance: number;
  /** Its maximum likelihood estimate over the variance itself, which is 1 unless that is capped or follows from the noise. */
  readonly misfit: number;
  readonly logLikelihood: number;
}

/** Arrays that fits of the same N share. */
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

/** The mode of the prior, where the search for hyperparameters starts. */
export function priorMode(fit: Fit): Float64Array {
  const G = fit.geometry.grouping.count;
  const theta = new Float64Array(parameterCount(fit.spec, G));
  if (fit.spec.kind !== 'lin') {
    theta.fill(fit.logEll, 0, G);
    theta[G] = PRIOR.w.mean;
  }
  if (fit.spec.noisy) theta[theta.length - 1] = PRIOR.nugget.mean;
  return theta;
}

/** The kind of entry k of theta: log ell per group and w, except for lin; then log nugget, when noisy. */
function kindOfEntry({ geometry, spec }: Fit, k: number): 'ell' | 'w' | 'nugget' {
  const G = geometry.grouping.count;
  if (spec.kind === 'lin' || k > G) return 'nugget';
  return k < G ? 'ell' : 'w';
}

/** Clamps theta to the range in which the kernels are well conditioned. */
export function clampParameters(fit: Fit, theta: Float64Array): void {
  for (let k = 0; k < theta.length; k++) {
    const [low, high] = RANGE[kindOfEntry(fit, k)];
    theta[k] = Math.min(high, Math.max(low, theta[k]!));
  }
}

/** `weight` times the log prior density of theta, up to a constant. Adds its gradient to `gradient` when given. */
function logPrior(fit: Fit, theta: Float64Array, weight: number, gradient: Float64Array | null): number {
  let value = fit.spec.noisy ? -NOISE_PENALTY : 0;
  // A known noise puts the prior on the process variance, around that of the data.
  const logNugget = fit.noise === undefined ? PRIOR.nugget.mean : Math.log(fit.noise);
  const means = { ell: fit.logEll, w: PRIOR.w.mean, nugget: logNugget };
  for (let k = 0; k < theta.length; k++) {
    const kind = kindOfEntry(fit, k);
    const { sd } = PRIOR[kind];
    const d = (theta[k]! - means[kind]) / sd;
    value -= 0.5 * d * d;
    if (gradient) gradient[k]! -= (weight * d) / sd;
  }
  return weight * value;
}

/**
 * Factorizes the kernel matrix at theta, with a larger nugget when rounding makes a pivot fail.
 *
 * @returns an inverse that lives in the workspace until the next call; null when even the largest nugget does not help,
 * because entries are not finite
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
  for (let attempt = 0; attempt <= NUGGET_RETRIES; attempt++, nugget *= NUGGET_GROWTH) {
    if (attempt > 0) fillCovariance(geometry, spec.kind, theta, K, Z);
    addNugget(geometry, nugget, K);
    if (choleskyInPlace(K, N)) break;
    if (attempt === NUGGET_RETRIES) return null;
  }
  let logDeterminant = 0;
  for (let i = 0; i < N; i++) logDeterminant += Math.log(K[i * N + i]!);
  const inverse = space.inverse;
  invertLower(K, N, inverse);
  return { theta: theta.slice(), nugget, inverse, logDeterminant, ...sumsOf(inverse, N, space.buffer) };
}

/**
 * Adds the covariance of noise of variance `nugget` to the lower triangle of K. A row that stands for a derivative shares the noise of its
 * run, and has as much of its own per feature.
 */
function addNugget({ N, slopes }: Points, nugget: number, K: Float64Array): void {
  for (let i = 0; i < N; i++) K[i * N + i]! += nugget;
  if (slopes) eachShared(slopes, N, (k, factor) => (K[k]! += factor * nugget));
}

/** Visits what `addNugget` adds beyond the diagonal: calls back with the index of each entry and its factor. */
function eachShared({ start, base }: SlopeRows, N: number, add: (place: number, factor: number) => void): void {
  base.forEach((run, s) => {
    const row = (start + s) * N;
    add(row + run, 1);
    for (let other = 0; other < s; other++) if (base[other] === run) add(row + start + other, 1);
    add(row + start + s, SLOPE_STEP ** 2);
  });
}

/**
 * Conditions one output (length N) on a factorized kernel.
 *
 * The log marginal likelihood is R&W (2.45) up to a constant, with N in place of N - 1 degrees of freedom, maximized over
 * the process variance up to its cap; the maximum without a cap is (y - mean 1)' K^-1 (y - mean 1) / N.
 *
 * @param noise known variance of the noise, which determines the process variance by the nugget
 */
export function condition(
  factorized: Factorized,
  y: Float64Array,
  space: Pick<Workspace, 'buffer'>,
  noise?: number,
): Conditioned {
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
  const variance = noise === undefined ? Math.min(free, VARIANCE_CAP) : noise / factorized.nugget;
  const logLikelihood =
    -0.5 * N * (Math.log(variance) + free / variance - 1) - factorized.logDeterminant - 0.5 * Math.log(total);
  return { alpha, mean, variance, misfit: free / variance, logLikelihood };
}

/**
 * A factorized kernel with further points, by bordering: with B the covariances of the further points with the known ones,
 * W = B L^-T and S = C - W W' for the covariances C among the further points, nugget included,
 *   extended L   = (L, 0; W, M), M M' = S
 *   extended L^-1 = (L^-1, 0; -M^-1 W L^-1, M^-1)
 * It takes O(N^2) per point where a new factorization takes O(N^3), and keeps the nugget.
 *
 * @param points those of the factorization, then the further ones
 * Source: Golub and Van Loan, Matrix Computations, 4th ed., section 4.2 (block factorization).
 */
export function appendRows(factorized: Factorized, points: Points, kind: KernelKind, work: Work): Factorized {
  const { theta, nugget } = factorized;
  const known = factorized.ones.length;
  const { N } = points;
  const count = N - known;
  const row = (of: Float64Array, i: number) => of.subarray(i * known, (i + 1) * known);
  const covariances = new Float64Array(N);
  const W = new Float64Array(count * known);
  const WL = new Float64Array(count * known);
  const S = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    writeCovariances(points, kind, theta, known + i, covariances);
    multiplyLower(factorized.inverse, known, covariances, row(W, i));
    multiplyLowerTransposed(factorized.inverse, known, row(W, i), row(WL, i));
    for (let l = 0; l <= i; l++)
      S[i * count + l] = covariances[known + l]! - dot(W, i * known, W, l * known, known) + (l === i ? nugget : 0);
  }
  choleskyAbove(S, count, nugget);
  let { logDeterminant } = factorized;
  for (let i = 0; i < count; i++) logDeterminant += Math.log(S[i * count + i]!);
  const M = new Float64Array(count * count);
  invertLower(S, count, M);
  const inverse = new Float64Array(N * N);
  for (let i = 0; i < known; i++) inverse.set(factorized.inverse.subarray(i * known, i * known + i + 1), i * N);
  for (let i = 0; i < count; i++) {
    const added = inverse.subarray((known + i) * N, (known + i + 1) * N);
    for (let l = 0; l <= i; l++) {
      addRow(WL, l * known, known, -M[i * count + l]!, added);
      added[known + l] = M[i * count + l]!;
    }
  }
  work.spent += (count * N * (2 * N + points.p)) / 1e6;
  return { theta, nugget, inverse, logDeterminant, ...sumsOf(inverse, N, new Float64Array(N)) };
}

/** K^-1 1 and 1' K^-1 1. @param buffer length N, overwritten */
function sumsOf(inverse: Float64Array, N: number, buffer: Float64Array): Pick<Factorized, 'ones' | 'total'> {
  const ones = new Float64Array(N);
  multiplyLower(inverse, N, new Float64Array(N).fill(1), buffer);
  multiplyLowerTransposed(inverse, N, buffer, ones);
  let total = 0;
  for (let i = 0; i < N; i++) total += buffer[i]! * buffer[i]!;
  return { ones, total };
}

/**
 * Log posterior of the hyperparameters: the sum over the outputs of log marginal likelihood plus log prior.
 *
 * @param gradient length of theta, overwritten when given, but only where the value exceeds `least`: a step that is refused
 * anyway costs a third without it
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
  const conditioned = fit.outputs.map((y) => condition(factorized, y, space, fit.noise));
  gradient?.fill(0);
  let value = logPrior(fit, theta, fit.outputs.length, gradient);
  for (const one of conditioned) value += one.logLikelihood;
  if (gradient === null || theta.length === 0 || !(value > least)) return value;
  fillSensitivity(factorized, conditioned, space.M);
  addLikelihoodGradient(fit, theta, space, gradient);
  // The process variance falls as the nugget grows.
  if (fit.noise !== undefined) gradient[theta.length - 1]! += 0.5 * fit.geometry.N * (1 - conditioned[0]!.misfit);
  const { N, grouping } = fit.geometry;
  work.spent += (N * N * (N / 3 + fit.outputs.length + 2 * grouping.count)) / 1e6;
  return value;
}

/**
 * Writes the lower triangle of M (N x N) such that the gradient of the log likelihoods is 1/2 sum_ij M_ij dK_ij / dtheta:
 * R&W (5.9) with the term of the estimated mean, M = sum over the m outputs of
 *   alpha alpha' / variance - K^-1 + (K^-1 1)(K^-1 1)' / (1' K^-1 1)
 */
function fillSensitivity(
  { inverse, ones, total }: Factorized,
  conditioned: readonly Conditioned[],
  M: Float64Array,
): void {
  const N = ones.length;
  const m = conditioned.length;
  gramOfLower(inverse, N, M);
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
}

/** Adds 1/2 sum_ij M_ij dK_ij / dtheta, the nugget included; overwrites M. */
function addLikelihoodGradient(
  { geometry, spec }: Fit,
  theta: Float64Array,
  { M, Z }: Workspace,
  gradient: Float64Array,
): void {
  const { N } = geometry;
  if (spec.noisy) {
    let trace = 0;
    for (let i = 0; i < N; i++) trace += M[i * N + i]!;
    const { slopes } = geometry;
    // Off-diagonal entries count twice.
    if (slopes) eachShared(slopes, N, (k, factor) => (trace += (k % (N + 1) === 0 ? 1 : 2) * factor * M[k]!));
    gradient[theta.length - 1]! += 0.5 * Math.exp(theta[theta.length - 1]!) * trace;
  }
  addCovarianceGradient(geometry, spec.kind, theta, M, Z, gradient);
}

/** The log posterior of each output of a fit separately, all at the same theta, from one factorization. */
export function logPosteriorEach(fit: Fit, theta: Float64Array, space: Workspace, work: Work): number[] {
  const factorized = factorize(fit, theta, space, work);
  const prior = logPrior(fit, theta, 1, null);
  return fit.outputs.map((y) =>
    factorized ? condition(factorized, y, space, fit.noise).logLikelihood + prior : Number.NEGATIVE_INFINITY,
  );
}

/** Factor for sigma from the leave-one-out residuals: their root mean square in units of sigma, between 1 and 2. */
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
 * Length N: the precision, in units of 1 / variance, with which the others predict each case. The leave-one-out residual is
 * alpha_i / precision_i.
 *
 * Source: Dubrule 1983, Mathematical Geology 15, for an estimated mean; R&W (5.12) is the case of a known one.
 */
export function leaveOneOutPrecision({ inverse, ones, total }: Factorized): Float64Array {
  const N = ones.length;
  const precision = new Float64Array(N);
  for (let k = 0; k < N; k++) for (let i = 0; i <= k; i++) precision[i]! += inverse[k * N + i]! * inverse[k * N + i]!;
  for (let i = 0; i < N; i++) precision[i]! -= (ones[i]! * ones[i]!) / total;
  return precision;
}
