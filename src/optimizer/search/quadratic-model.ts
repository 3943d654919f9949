import { choleskyInPlace, solveWithFactor } from '../linalg/cholesky.ts';
import { dot } from '../linalg/dense.ts';
import { type Quadratic, quadraticAt } from '../linalg/trust-step.ts';

/**
 * A quadratic through points around a centre that changes as little as possible from one set of points to the next: the change
 * of least Frobenius norm of the Hessian. As a kernel: a change of the value and the slopes costs next to nothing, and points far
 * away are met only roughly, since a quadratic errs by the cube of the distance.
 *
 * Source: Powell 2004, Mathematical Programming 100, for the least change; Conn, Scheinberg and Vicente 2009, Introduction to
 * Derivative-Free Optimization, section 5.3, for the minimum norm.
 */
export interface QuadraticModel {
  /** The function of offsets from the centre. */
  readonly quadratic: Quadratic;
  readonly center: Float64Array;
  /** Unit of the distances in the kernel. */
  readonly unit: number;
  /** Offsets of the points, in units. */
  readonly offsets: readonly Float64Array[];
  /** Cholesky factor of their kernel matrix. */
  readonly factor: Float64Array;
}

/** Variance of a value and of a slope, where that of an entry of the Hessian is 1, in units. */
const FREE = 1e6;
/** Standard deviation of the error of a quadratic at a distance of one unit. */
const CUBIC_ERROR = 0.01;
const LEAST_NUGGET = 1e-12;
const MORE_NUGGET = 30;

/** The constant function, without points. */
export function constantModel(center: Float64Array, value: number): QuadraticModel {
  const n = center.length;
  const quadratic = { value, g: new Float64Array(n), H: new Float64Array(n * n) };
  return { quadratic, center, unit: 1, offsets: [], factor: new Float64Array(0) };
}

/**
 * The model that changes least from `before` and meets the values `y` of the points. O(m^3 + m n^2) for m points.
 *
 * @param unit about the distance up to which the model is to be right
 */
export function updated(
  before: QuadraticModel,
  center: Float64Array,
  unit: number,
  points: readonly Float64Array[],
  y: readonly number[],
): QuadraticModel {
  const { value, g, H } = moved(
    before.quadratic,
    center.map((one, f) => one - before.center[f]!),
  );
  const offsets = points.map((point) => point.map((one, f) => (one - center[f]!) / unit));
  const factor = factorOf(offsets);
  const residuals = Float64Array.from(y, (one, k) => {
    const d = offsets[k]!.map((by) => by * unit);
    return one - quadraticAt({ value, g, H }, d);
  });
  solveWithFactor(factor, offsets.length, residuals);
  const quadratic = withKernels({ value, g, H }, offsets, residuals, unit);
  return { quadratic, center: center.slice(), unit, offsets, factor };
}

/** The model's weight of each of its points at x: the values of the Lagrange functions. */
export function weightsAt({ center, unit, offsets, factor }: QuadraticModel, x: Float64Array): Float64Array {
  const offset = x.map((one, f) => (one - center[f]!) / unit);
  const weights = Float64Array.from(offsets, (one) => covariance(one, offset));
  solveWithFactor(factor, offsets.length, weights);
  return weights;
}

/** The Lagrange function of point t: near 1 there, near 0 at the others. */
export function lagrangeOf({ center, unit, offsets, factor }: QuadraticModel, t: number): Quadratic {
  const shares = new Float64Array(offsets.length);
  shares[t] = 1;
  solveWithFactor(factor, offsets.length, shares);
  return withKernels(constantModel(center, 0).quadratic, offsets, shares, unit);
}

function covariance(a: Float64Array, b: Float64Array): number {
  const product = dot(a, 0, b, 0, a.length);
  return FREE * (1 + product) + 0.5 * product * product;
}

function factorOf(offsets: readonly Float64Array[]): Float64Array {
  const m = offsets.length;
  const K = new Float64Array(m * m);
  for (let i = 0; i < m; i++) for (let j = 0; j <= i; j++) K[i * m + j] = covariance(offsets[i]!, offsets[j]!);
  let mean = 0;
  for (let i = 0; i < m; i++) mean += K[i * m + i]! / m;
  for (let nugget = LEAST_NUGGET; ; nugget *= MORE_NUGGET) {
    const L = K.slice();
    offsets.forEach((offset, i) => {
      L[i * m + i]! += nugget * mean + CUBIC_ERROR ** 2 * Math.hypot(...offset) ** 6;
    });
    if (choleskyInPlace(L, m) || !(nugget < 1)) return L;
  }
}

/** The same quadratic of offsets from a point `by` away. */
function moved({ value, g, H }: Quadratic, by: Float64Array): Quadratic {
  const n = by.length;
  const slopes = g.map((one, i) => by.reduce((sum, d, j) => sum + H[i * n + j]! * d, one));
  return { value: quadraticAt({ value, g, H }, by), g: slopes, H };
}

/** A quadratic plus the kernels of some points, each with its share. */
function withKernels(
  { value, g, H }: Quadratic,
  offsets: readonly Float64Array[],
  shares: Float64Array,
  unit: number,
): Quadratic {
  const n = g.length;
  const sum = { value, g: g.slice(), H: H.slice() };
  offsets.forEach((offset, k) => {
    const share = shares[k]!;
    sum.value += FREE * share;
    for (let i = 0; i < n; i++) {
      sum.g[i]! += (FREE * share * offset[i]!) / unit;
      for (let j = 0; j < n; j++) sum.H[i * n + j]! += (share * offset[i]! * offset[j]!) / unit ** 2;
    }
  });
  return sum;
}
