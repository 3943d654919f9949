/** The Hessian of a quadratic program and its inverse over the features that are free. */
import { choleskyInPlace, solveWithFactor } from '../linalg/cholesky.ts';
import { dot } from '../linalg/dense.ts';
import { addRow, type GeneralRows } from './general-rows.ts';

/** H = diag(diagonal) + B'B - M. */
export interface Curvature {
  /** Length p, positive. */
  readonly diagonal: Float64Array;
  /** count x p, row-major. */
  readonly B: Float64Array;
  readonly count: number;
  /** p x p, lower triangle; null for none. */
  readonly M: Float64Array | null;
}

/** Writes H d to `out`. */
export function multiply({ diagonal, B, count, M }: Curvature, d: Float64Array, out: Float64Array): void {
  const p = d.length;
  for (let f = 0; f < p; f++) out[f] = diagonal[f]! * d[f]!;
  for (let j = 0; j < count; j++) {
    const along = dot(B, j * p, d, 0, p);
    if (along !== 0) for (let f = 0; f < p; f++) out[f]! += along * B[j * p + f]!;
  }
  if (M === null) return;
  for (let a = 0; a < p; a++) {
    for (let b = 0; b < a; b++) {
      out[a]! -= M[a * p + b]! * d[b]!;
      out[b]! -= M[a * p + b]! * d[a]!;
    }
    out[a]! -= M[a * p + a]! * d[a]!;
  }
}

/** The inverse of H over the free features. */
export interface FreeInverse {
  /** False when H is not positive definite there. */
  factorize(curvature: Curvature, free: Int32Array): boolean;
  /** Replaces v (length p) by H^-1 times it; 0 for features that are not free. */
  apply(v: Float64Array): void;
  /** Writes H^-1 times row i to `out`, length p. */
  applyToRow(rows: GeneralRows, i: number, out: Float64Array): void;
}

/** H as a matrix. */
export class DirectInverse implements FreeInverse {
  readonly #L: Float64Array;
  readonly #right: Float64Array;
  #free: Int32Array = new Int32Array(0);

  constructor(p: number) {
    this.#L = new Float64Array(p * p);
    this.#right = new Float64Array(p);
  }

  factorize({ diagonal, B, count, M }: Curvature, free: Int32Array): boolean {
    const p = diagonal.length;
    const q = free.length;
    const H = this.#L;
    for (let a = 0; a < q; a++) {
      const rowA = free[a]!;
      for (let b = 0; b <= a; b++) {
        let sum = M ? -M[rowA * p + free[b]!]! : 0;
        for (let j = 0; j < count; j++) sum += B[j * p + rowA]! * B[j * p + free[b]!]!;
        H[a * q + b] = a === b ? sum + diagonal[rowA]! : sum;
      }
    }
    this.#free = free;
    return choleskyInPlace(H, q);
  }

  apply(v: Float64Array): void {
    const free = this.#free;
    const right = this.#right;
    for (let k = 0; k < free.length; k++) right[k] = v[free[k]!]!;
    solveWithFactor(this.#L, free.length, right);
    v.fill(0);
    for (let k = 0; k < free.length; k++) v[free[k]!] = right[k]!;
  }

  applyToRow(rows: GeneralRows, i: number, out: Float64Array): void {
    out.fill(0);
    addRow(rows, i, 1, out);
    this.apply(out);
  }
}

/**
 * (D + B'B)^-1 = D^-1 - D^-1 B'(I + B D^-1 B')^-1 B D^-1 (Sherman, Morrison and Woodbury), where D^-1 is 0 for features that are
 * not free.
 */
export class LowRankInverse implements FreeInverse {
  /** Rows of B. */
  readonly count: number;
  /** Length p: the diagonal of D^-1. */
  readonly #scale: Float64Array;
  /** m x p: B D^-1. */
  readonly #W: Float64Array;
  readonly #K: Float64Array;
  readonly #t: Float64Array;

  constructor(p: number, m: number) {
    this.count = m;
    this.#scale = new Float64Array(p);
    this.#W = new Float64Array(m * p);
    this.#K = new Float64Array(m * m);
    this.#t = new Float64Array(m);
  }

  factorize({ diagonal, B, count: m }: Curvature, free: Int32Array): boolean {
    const p = diagonal.length;
    const [scale, W, K] = [this.#scale, this.#W, this.#K];
    scale.fill(0);
    for (let k = 0; k < free.length; k++) scale[free[k]!] = 1 / diagonal[free[k]!]!;
    for (let j = 0; j < m; j++) {
      for (let f = 0; f < p; f++) W[j * p + f] = B[j * p + f]! * scale[f]!;
      for (let i = 0; i <= j; i++) K[j * m + i] = dot(W, j * p, B, i * p, p) + (i === j ? 1 : 0);
    }
    return choleskyInPlace(K, m);
  }

  apply(v: Float64Array): void {
    const m = this.#t.length;
    const p = v.length;
    const [scale, W, t] = [this.#scale, this.#W, this.#t];
    for (let j = 0; j < m; j++) t[j] = dot(W, j * p, v, 0, p);
    solveWithFactor(this.#K, m, t);
    for (let f = 0; f < p; f++) v[f]! *= scale[f]!;
    for (let j = 0; j < m; j++) {
      const factor = t[j]!;
      for (let f = 0; f < p; f++) v[f]! -= factor * W[j * p + f]!;
    }
  }

  /** Most entries of a row are 0. */
  applyToRow({ first, features, values }: GeneralRows, i: number, out: Float64Array): void {
    const m = this.count;
    const p = out.length;
    const [scale, W, t] = [this.#scale, this.#W, this.#t];
    t.fill(0);
    for (let k = first[i]!; k < first[i + 1]!; k++) {
      const f = features[k]!;
      for (let j = 0; j < m; j++) t[j]! += W[j * p + f]! * values[k]!;
    }
    solveWithFactor(this.#K, m, t);
    out.fill(0);
    for (let j = 0; j < m; j++) {
      const factor = t[j]!;
      for (let f = 0; f < p; f++) out[f]! -= factor * W[j * p + f]!;
    }
    for (let k = first[i]!; k < first[i + 1]!; k++) out[features[k]!]! += scale[features[k]!]! * values[k]!;
  }
}
