/**
 * Predictions of the outputs that share one kernel, at one point at a time.
 *
 * Notation as in Rasmussen and Williams 2006, Gaussian Processes for Machine Learning (R&W), section 2.7, with a constant
 * mean: k* is the vector of k(u, a_i) over the N points a_i of the fit, alpha = K^-1 (y - mean 1), and
 *   mu(u)      = mean + k*' alpha                                                  (2.38, 2.42)
 *   var(u) / s = k(u, u) - |L^-1 k*|^2 + (1 - 1' K^-1 k*)^2 / (1' K^-1 1)          (2.26, 2.42), s the process variance
 * The variance uses the triangular L^-1: with an explicit K^-1 the small nugget leaves it no correct digit.
 */
import { dot, multiplyLower, multiplyLowerTransposed, multiplyRows, multiplyTransposed } from '../linalg/dense.ts';
import type { Work } from '../numerics/work.ts';
import type { KernelKind } from './kernels.ts';
import type { FittedKernel, Surrogate } from './model-choice.ts';
import type { ScaledPoint } from './scaled-point.ts';

/** One output of a kernel. */
export interface KernelOutput {
  /** Its number among all outputs. */
  readonly j: number;
  /** Length N. */
  readonly alpha: Float64Array;
  readonly mean: number;
  /** Standard deviation of the process. */
  readonly sigma: number;
  /** Length p, e^w sum_i alpha_i a_i: the gradient of the linear part of the kernel. */
  readonly linearSlope: Float64Array;
}

/** Arrays that the kernels of one surrogate take turns to use. */
export interface Scratch {
  /** Length N: the derivative of the variance by k, and coefficients times `kByZ`. */
  readonly byKernel: Float64Array;
  readonly factor: Float64Array;
  /** Length p: gradients of the curved part R of a kernel and of its linear part. */
  readonly curved: Float64Array;
  readonly straight: Float64Array;
}

/** A kernel with its outputs, and what is known about them at the point predicted last. */
export interface KernelPredictor {
  readonly point: ScaledPoint;
  readonly kind: KernelKind;
  readonly outputs: readonly KernelOutput[];
  /** As in `Factorized`. */
  readonly inverse: Float64Array;
  readonly ones: Float64Array;
  readonly total: number;
  /** e^w, 1 / ell^2 per group, and 1 / ell^2 per feature. */
  readonly linear: number;
  readonly groupWeight: Float64Array;
  readonly weight: Float64Array;
  readonly scratch: Scratch;
  readonly work: Work;
  /** Length N: k(u, a_i), what its gradient needs (see `updateKernel`), and L^-1 k. */
  readonly k: Float64Array;
  readonly kByZ: Float64Array;
  readonly whitened: Float64Array;
  /** 1 - 1' K^-1 k. */
  rest: number;
  /** Posterior standard deviation in units of that of the process; 0 where the floor hides its gradient. */
  root: number;
  /** Length p: gradient of the root by the encoded features. */
  readonly rootGradient: Float64Array;
}

export function makeScratch(N: number, p: number): Scratch {
  return {
    byKernel: new Float64Array(N),
    factor: new Float64Array(N),
    curved: new Float64Array(p),
    straight: new Float64Array(p),
  };
}

/** Compiles kernel `index` of a surrogate with the outputs that use it, of which there may be none. */
export function makeKernelPredictor(
  surrogate: Surrogate,
  index: number,
  point: ScaledPoint,
  scratch: Scratch,
  work: Work,
): KernelPredictor {
  const kernel = surrogate.kernels[index]!;
  const { spec, factorized, geometry } = kernel;
  const { N, p, grouping } = geometry;
  const { theta, inverse, ones, total } = factorized;
  const isLinear = spec.kind === 'lin';
  const linear = isLinear ? 1 : Math.exp(theta[grouping.count]!);
  const groupWeight = new Float64Array(grouping.count);
  if (!isLinear) for (let g = 0; g < grouping.count; g++) groupWeight[g] = Math.exp(-2 * theta[g]!);
  const blank = () => new Float64Array(N);
  return {
    point,
    kind: spec.kind,
    outputs: outputsOf(surrogate, kernel, index, linear),
    inverse,
    ones,
    total,
    linear,
    groupWeight,
    weight: Float64Array.from(grouping.of, (g) => groupWeight[g]!),
    scratch,
    work,
    k: blank(),
    kByZ: blank(),
    whitened: blank(),
    rest: 0,
    root: 0,
    rootGradient: new Float64Array(p),
  };
}

function outputsOf(surrogate: Surrogate, { geometry }: FittedKernel, index: number, linear: number): KernelOutput[] {
  const { U, N, p } = geometry;
  return surrogate.outputs.flatMap(({ fitted }, j) => {
    if (fitted === null || fitted.kernel !== index) return [];
    const { alpha, mean } = fitted.conditioned;
    const linearSlope = new Float64Array(p);
    for (let i = 0; i < N; i++) for (let f = 0; f < p; f++) linearSlope[f]! += linear * alpha[i]! * U[i * p + f]!;
    return [{ j, alpha, mean, sigma: fitted.sigma, linearSlope }];
  });
}

/**
 * Recomputes k(u, a_i) and what its gradient needs at the point: 2 Z, the derivative by Z, for q2; R for rbf, since
 * dR / du = -R / 2 dZ / du = R (a - u) / ell^2.
 */
export function updateKernel({ point, kind, linear, groupWeight, k, kByZ }: KernelPredictor): void {
  const { product, products, distances } = point.pairs;
  const N = k.length;
  multiplyRows(kind === 'rbf' ? distances : products, N, groupWeight.length, groupWeight, kByZ);
  for (let i = 0; i < N; i++) {
    const Z = kByZ[i]!;
    const R = kind === 'rbf' ? Math.exp(-0.5 * Z) : Z * Z;
    k[i] = linear * product[i]! + R;
    kByZ[i] = kind === 'rbf' ? R : 2 * Z;
  }
}

/** Mean of an output at the point, standardized. A linear kernel needs no `updateKernel` before. */
export function meanAt({ point, kind, k }: KernelPredictor, { alpha, linearSlope, mean }: KernelOutput): number {
  return mean + (kind === 'lin' ? dot(linearSlope, 0, point.u, 0, point.u.length) : dot(alpha, 0, k, 0, k.length));
}

/** Writes the gradient of the mean of an output by the encoded features to p entries of `out` from `offset`. */
export function writeMeanGradient(
  kernel: KernelPredictor,
  { alpha, linearSlope }: KernelOutput,
  out: Float64Array,
  offset: number,
): void {
  const { point, scratch } = kernel;
  const { curved } = scratch;
  if (kernel.kind === 'lin') curved.fill(0);
  else writeCurvedGradient(kernel, alpha);
  for (let f = 0; f < curved.length; f++) out[offset + f] = (linearSlope[f]! + curved[f]!) * point.slope[f]!;
}

/** Writes the gradient of sum_i c_i R(u, a_i), on the scale of the kernel, to `scratch.curved`. */
function writeCurvedGradient({ point, kind, weight, kByZ, scratch }: KernelPredictor, c: Float64Array): void {
  const { u, geometry } = point;
  const { factor, curved } = scratch;
  let sum = 0;
  for (let i = 0; i < factor.length; i++) {
    factor[i] = c[i]! * kByZ[i]!;
    sum += factor[i]!;
  }
  multiplyTransposed(geometry.U, factor.length, curved.length, factor, curved);
  for (let f = 0; f < curved.length; f++) {
    curved[f] = weight[f]! * (kind === 'rbf' ? curved[f]! - sum * u[f]! : curved[f]!);
  }
}

/** Posterior standard deviation at the point in units of that of the process, shared by all outputs of the kernel. */
export function rootAt(kernel: KernelPredictor): number {
  const { kind, inverse, ones, total, linear, weight, k, whitened, work } = kernel;
  const { u } = kernel.point;
  const N = k.length;
  let square = 0;
  let Z = 0;
  for (let f = 0; f < u.length; f++) {
    square += u[f]! * u[f]!;
    Z += u[f]! * u[f]! * weight[f]!;
  }
  const prior = linear * square + (kind === 'rbf' ? 1 : Z * Z);
  multiplyLower(inverse, N, k, whitened);
  const explained = dot(whitened, 0, whitened, 0, N);
  const rest = 1 - dot(ones, 0, k, 0, N);
  const floor = 1e-14 * (1 + prior);
  const variance = prior - explained + (rest * rest) / total;
  const root = Math.sqrt(Math.max(variance, floor));
  kernel.rest = rest;
  kernel.root = variance > floor ? root : 0;
  work.spent += (N * N) / 1e6;
  return root;
}

/** Recomputes `rootGradient` at the point where `rootAt` was called last. */
export function updateRootGradient(kernel: KernelPredictor): void {
  const { kind, inverse, ones, total, linear, weight, whitened, rest, root, rootGradient, work } = kernel;
  const { u, slope, geometry } = kernel.point;
  const { byKernel, curved, straight } = kernel.scratch;
  const N = byKernel.length;
  const p = u.length;
  rootGradient.fill(0);
  if (root === 0) return;
  multiplyLowerTransposed(inverse, N, whitened, byKernel);
  for (let i = 0; i < N; i++) byKernel[i] = -2 * byKernel[i]! - (2 * rest * ones[i]!) / total;
  writeCurvedGradient(kernel, byKernel);
  multiplyTransposed(geometry.U, N, p, byKernel, straight);
  let Z = 0;
  for (let f = 0; f < p; f++) Z += u[f]! * u[f]! * weight[f]!;
  for (let f = 0; f < p; f++) {
    const prior = 2 * linear * u[f]! + (kind === 'q2' ? 4 * Z * u[f]! * weight[f]! : 0);
    rootGradient[f] = (slope[f]! * (curved[f]! + linear * straight[f]! + prior)) / (2 * root);
  }
  work.spent += (N * (N + 2 * p)) / 1e6;
}

/** Adds `factor` times the Hessian of the mean of an output at the point to H (p x p, lower triangle). */
export function addMeanHessian(kernel: KernelPredictor, output: KernelOutput, factor: number, H: Float64Array): void {
  if (kernel.point.geometry.scale) addScaleCurvature(kernel, output, factor, H);
  if (kernel.kind !== 'lin') addKernelCurvature(kernel, output, factor, H);
}

/** The part of the Hessian that comes, by the chain rule, from the curvature of the input scale. */
function addScaleCurvature(
  kernel: KernelPredictor,
  { alpha, linearSlope }: KernelOutput,
  factor: number,
  H: Float64Array,
): void {
  const { curvature } = kernel.point;
  const { curved } = kernel.scratch;
  const p = curved.length;
  if (kernel.kind === 'lin') curved.fill(0);
  else writeCurvedGradient(kernel, alpha);
  for (let f = 0; f < p; f++) H[f * p + f]! += factor * (linearSlope[f]! + curved[f]!) * curvature[f]!;
}

/** The part of the Hessian that comes from the curvature of R. */
function addKernelCurvature(
  { point, kind, weight, kByZ, scratch, work }: KernelPredictor,
  { alpha }: KernelOutput,
  factor: number,
  H: Float64Array,
): void {
  const { u, slope } = point;
  const { U, N, p } = point.geometry;
  const { curved } = scratch;
  let total = 0;
  for (let i = 0; i < N; i++) {
    const c = factor * alpha[i]! * (kind === 'rbf' ? kByZ[i]! : 2);
    total += c;
    for (let f = 0; f < p; f++) {
      curved[f] = slope[f]! * weight[f]! * (kind === 'rbf' ? u[f]! - U[i * p + f]! : U[i * p + f]!);
      const along = c * curved[f]!;
      for (let g = 0; g <= f; g++) H[f * p + g]! += along * curved[g]!;
    }
  }
  if (kind === 'rbf') for (let f = 0; f < p; f++) H[f * p + f]! -= total * weight[f]! * slope[f]! ** 2;
  work.spent += (N * p * (p + 4)) / 1e6;
}
