import { joined } from '../linalg/dense.ts';
import { type InputScale, toScale } from './input-scale.ts';

/**
 * Covariances of two encoded inputs a, b:  k(a, b) = e^w <a, b> + R(Z)
 *   lin  R = 0, w = 0
 *   q2   Z = sum_g <a_g, b_g> / ell_g^2     R = Z^2          with the linear part and the mean: the minimum-norm quadratic
 *   rbf  Z = sum_g |a_g - b_g|^2 / ell_g^2  R = exp(-Z / 2)
 * A group g is a set of features that share a length scale ell_g.
 *
 * Source: Rasmussen and Williams 2006, section 4.2.2 for lin and q2 (dot product kernels), equation (4.9) for rbf.
 */
export type KernelKind = 'lin' | 'q2' | 'rbf';

export interface KernelSpec {
  readonly kind: KernelKind;
  /** Whether the nugget is a hyperparameter, as with noisy outputs. */
  readonly noisy: boolean;
}

/** Features grouped by length scale. */
export interface Grouping {
  readonly count: number;
  /** Group of each feature, length p. */
  readonly of: Int32Array;
}

/**
 * Rows that stand for derivatives: each is a point at `SLOPE_STEP` from the one of a run, along one feature, where the output is that of the
 * run and the derivative times the step. So kernels need no derivatives of their own, and every consumer of points can use these.
 */
export interface SlopeRows {
  /** The first of them; they follow the runs. */
  readonly start: number;
  /** The row of the run of each. */
  readonly base: Int32Array;
}

/** In features, small enough for the curvature over it to be nothing, and large enough for eight digits of the difference. */
export const SLOPE_STEP = 1e-3;

/** The N points of a model. */
export interface Points {
  readonly N: number;
  readonly p: number;
  /** Scale that maps the encoded features to these; null when they are the same. */
  readonly scale: InputScale | null;
  /** N x p, on that scale. */
  readonly U: Float64Array;
  readonly grouping: Grouping;
  /** Absent where no derivative is known. */
  readonly slopes?: SlopeRows;
}

/** Inner products and squared distances of the N points of a fit, as lower triangles, computed once for all kernels. */
export interface Geometry extends Points {
  /** N x N, <a, b>. */
  readonly product: Float64Array;
  /** Per group N x N: <a_g, b_g> and |a_g - b_g|^2. */
  readonly products: readonly Float64Array[];
  readonly distances: readonly Float64Array[];
}

/** Length of the hyperparameter vector: log ell per group and w, except for lin; then log nugget, when noisy. */
export function parameterCount(spec: KernelSpec, groups: number): number {
  return (spec.kind === 'lin' ? 0 : groups + 1) + (spec.noisy ? 1 : 0);
}

/**
 * Computes the pairwise quantities of N points on an input scale. O(N^2 (p + groups)).
 *
 * @param encoded N x p
 */
export function makeGeometry(
  encoded: Float64Array,
  N: number,
  p: number,
  grouping: Grouping,
  scale: InputScale | null = null,
  slopes?: SlopeRows,
): Geometry {
  const U = onScale(encoded, p, scale);
  const blank = () => Array.from({ length: grouping.count }, () => new Float64Array(N * N));
  const product = new Float64Array(N * N);
  const products = blank();
  const distances = blank();
  for (let f = 0; f < p; f++) {
    const P = products[grouping.of[f]!]!;
    const D = distances[grouping.of[f]!]!;
    for (let i = 0; i < N; i++) {
      const a = U[i * p + f]!;
      for (let j = 0; j <= i; j++) {
        const b = U[j * p + f]!;
        P[i * N + j]! += a * b;
        D[i * N + j]! += (a - b) * (a - b);
      }
    }
  }
  for (const P of products) for (let k = 0; k < N * N; k++) product[k]! += P[k]!;
  return { N, p, scale, U, grouping, ...(slopes && { slopes }), product, products, distances };
}

/** Encoded points (rows of p) on an input scale; the same array without one. */
function onScale(encoded: Float64Array, p: number, scale: InputScale | null): Float64Array {
  if (scale === null) return encoded;
  const U = new Float64Array(encoded.length);
  for (let k = 0; k < U.length; k += p) toScale(scale, encoded.subarray(k, k + p), U.subarray(k, k + p), null);
  return U;
}

/** The points of a geometry without its pairs. */
function pointsOf({ N, p, scale, U, grouping, slopes }: Points): Points {
  return { N, p, scale, U, grouping, ...(slopes && { slopes }) };
}

/** The points with further ones after them. @param encoded rows of p */
export function appendPoints(points: Points, encoded: Float64Array): Points {
  const { p, scale } = points;
  const added = onScale(encoded, p, scale);
  const U = joined(points.U, added);
  return { ...pointsOf(points), N: U.length / p, U };
}

/** The geometry of some rows of another one. @param rows ascending, with the run of every row that stands for a derivative */
export function sampleGeometry(geometry: Geometry, rows: Int32Array): Geometry {
  const { p } = geometry;
  const N = rows.length;
  const pick = (full: Float64Array) => {
    const out = new Float64Array(N * N);
    for (let i = 0; i < N; i++) {
      for (let j = 0; j <= i; j++) out[i * N + j] = full[rows[i]! * geometry.N + rows[j]!]!;
    }
    return out;
  };
  const U = new Float64Array(N * p);
  rows.forEach((row, i) => {
    U.set(geometry.U.subarray(row * p, (row + 1) * p), i * p);
  });
  const { products, distances, slopes } = geometry;
  const start = slopes ? rows.filter((row) => row < slopes.start).length : N;
  return {
    ...geometry,
    N,
    U,
    ...(slopes && {
      slopes: { start, base: rows.slice(start).map((row) => rows.indexOf(slopes.base[row - slopes.start]!)) },
    }),
    product: pick(geometry.product),
    products: products.map(pick),
    distances: distances.map(pick),
  };
}

/** Inner products and squared distances of one point with the N points of a fit: N x groups; `product` sums the groups. */
export interface PointPairs {
  readonly product: Float64Array;
  readonly products: Float64Array;
  readonly distances: Float64Array;
}

export function makePointPairs({ N, grouping }: Points): PointPairs {
  const blank = () => new Float64Array(N * grouping.count);
  return { product: new Float64Array(N), products: blank(), distances: blank() };
}

/** Fills `out` for the point u (length p), once for all kernels. O(N p). */
export function pairWith({ N, p, U, grouping }: Points, u: Float64Array, out: PointPairs): void {
  const { product, products, distances } = out;
  const { count: G, of } = grouping;
  products.fill(0);
  distances.fill(0);
  for (let i = 0; i < N; i++) {
    let sum = 0;
    for (let f = 0; f < p; f++) {
      const a = U[i * p + f]!;
      const g = i * G + of[f]!;
      const t = u[f]! * a;
      const d = u[f]! - a;
      sum += t;
      products[g]! += t;
      distances[g]! += d * d;
    }
    product[i] = sum;
  }
}

/** Writes the covariances of point `i` with the points 0 to i to `out`, without nugget. O(N p). */
export function writeCovariances(
  { p, U, grouping }: Points,
  kind: KernelKind,
  theta: Float64Array,
  i: number,
  out: Float64Array,
): void {
  const { count: G, of } = grouping;
  const linear = kind === 'lin' ? 1 : Math.exp(theta[G]!);
  const weight = Float64Array.from(of, (g) => (kind === 'lin' ? 0 : Math.exp(-2 * theta[g]!)));
  for (let k = 0; k <= i; k++) {
    let product = 0;
    let Z = 0;
    for (let f = 0; f < p; f++) {
      const a = U[i * p + f]!;
      const b = U[k * p + f]!;
      product += a * b;
      Z += weight[f]! * (kind === 'rbf' ? (a - b) * (a - b) : a * b);
    }
    out[k] = linear * product + (kind === 'rbf' ? Math.exp(-0.5 * Z) : Z * Z);
  }
}

/**
 * Fills the lower triangles of K (N x N) with the covariance without nugget, and of Z (N x N) with what its derivatives
 * need: Z itself for q2, R for rbf.
 */
export function fillCovariance(
  geometry: Geometry,
  kind: KernelKind,
  theta: Float64Array,
  K: Float64Array,
  Z: Float64Array,
): void {
  const { N, product, grouping } = geometry;
  const G = grouping.count;
  if (kind === 'lin') {
    K.set(product);
    return;
  }
  const linear = Math.exp(theta[G]!);
  const parts = kind === 'rbf' ? geometry.distances : geometry.products;
  Z.fill(0);
  // Two groups per pass: loading and storing Z costs as much as the products.
  for (let g = 0; g < G; g += 2) {
    const weight = Math.exp(-2 * theta[g]!);
    const nextWeight = g + 1 < G ? Math.exp(-2 * theta[g + 1]!) : 0;
    const part = parts[g]!;
    const next = parts[Math.min(g + 1, G - 1)]!;
    for (let i = 0; i < N; i++) {
      for (let k = i * N; k <= i * N + i; k++) Z[k]! += weight * part[k]! + nextWeight * next[k]!;
    }
  }
  for (let i = 0; i < N; i++) {
    for (let k = i * N; k <= i * N + i; k++) {
      const z = Z[k]!;
      if (kind === 'rbf') {
        const R = Math.exp(-0.5 * z);
        Z[k] = R;
        K[k] = linear * product[k]! + R;
      } else K[k] = linear * product[k]! + z * z;
    }
  }
}

/**
 * Adds 1/2 sum_ij M_ij dK_ij / dtheta to the gradient by the hyperparameters of `fillCovariance`.
 *
 * @param M N x N, symmetric, lower triangle; overwritten
 * @param Z as `fillCovariance` left it
 */
export function addCovarianceGradient(
  geometry: Geometry,
  kind: KernelKind,
  theta: Float64Array,
  M: Float64Array,
  Z: Float64Array,
  gradient: Float64Array,
): void {
  if (kind === 'lin') return;
  const { N, product, grouping } = geometry;
  const G = grouping.count;
  let linear = 0;
  // Off-diagonal entries count twice, so the factor 1/2 remains on the diagonal only.
  for (let i = 0; i < N; i++) {
    for (let k = i * N; k <= i * N + i; k++) {
      const weight = k === i * N + i ? 0.5 * M[k]! : M[k]!;
      linear += weight * product[k]!;
      M[k] = kind === 'rbf' ? weight * Z[k]! : -4 * weight * Z[k]!;
    }
  }
  gradient[G]! += Math.exp(theta[G]!) * linear;
  const parts = kind === 'rbf' ? geometry.distances : geometry.products;
  for (let g = 0; g < G; g += 2) {
    const part = parts[g]!;
    const next = parts[Math.min(g + 1, G - 1)]!;
    let sum = 0;
    let nextSum = 0;
    for (let i = 0; i < N; i++) {
      for (let k = i * N; k <= i * N + i; k++) {
        const weight = M[k]!;
        sum += weight * part[k]!;
        nextSum += weight * next[k]!;
      }
    }
    gradient[g]! += Math.exp(-2 * theta[g]!) * sum;
    if (g + 1 < G) gradient[g + 1]! += Math.exp(-2 * theta[g + 1]!) * nextSum;
  }
}
