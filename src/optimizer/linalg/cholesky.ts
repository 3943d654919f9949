/**
 * Cholesky factorization of dense symmetric positive definite matrices on row-major Float64Arrays, and what is solved with
 * it. Only lower triangles are read and written unless stated.
 */
import { dot } from './dense.ts';

/**
 * Replaces the lower triangle of A (N x N) by its Cholesky factor L, A = L L'.
 *
 * Computes four columns at a time, so that one load of the row serves four products. N^3 / 3 flops.
 *
 * @returns false when a pivot is not safely positive, also for entries that are not finite; A is then half overwritten
 * Source: Golub and Van Loan, Matrix Computations, 4th ed., section 4.2 (row version).
 */
export function choleskyInPlace(A: Float64Array, N: number): boolean {
  for (let i = 0; i < N; i++) {
    const row = i * N;
    let j = 0;
    for (; j + 3 < i; j += 4) solveFourColumns(A, N, row, j);
    for (; j < i; j++) A[row + j] = (A[row + j]! - dot(A, row, A, j * N, j)) / A[j * N + j]!;
    const original = A[row + i]!;
    const pivot = original - dot(A, row, A, row, i);
    // A pivot of a few roundings of the diagonal is noise.
    if (!(pivot > 4e-16 * original)) return false;
    A[row + i] = Math.sqrt(pivot);
  }
  return true;
}

/**
 * Replaces the lower triangle of A (N x N) by the Cholesky factor L of a matrix near A whose pivots are at least `least` > 0,
 * for a matrix whose true pivots are and whose rounding is larger.
 */
export function choleskyAbove(A: Float64Array, N: number, least: number): void {
  for (let i = 0; i < N; i++) {
    const row = i * N;
    for (let j = 0; j < i; j++) A[row + j] = (A[row + j]! - dot(A, row, A, j * N, j)) / A[j * N + j]!;
    A[row + i] = Math.sqrt(Math.max(A[row + i]! - dot(A, row, A, row, i), least));
  }
}

/** Computes entries j to j + 3 of a row of the factor from the entries before them and from rows j to j + 3. */
function solveFourColumns(A: Float64Array, N: number, row: number, j: number): void {
  const r0 = j * N;
  const r1 = r0 + N;
  const r2 = r1 + N;
  const r3 = r2 + N;
  let s0 = A[row + j]!;
  let s1 = A[row + j + 1]!;
  let s2 = A[row + j + 2]!;
  let s3 = A[row + j + 3]!;
  for (let k = 0; k < j; k++) {
    const a = A[row + k]!;
    s0 -= a * A[r0 + k]!;
    s1 -= a * A[r1 + k]!;
    s2 -= a * A[r2 + k]!;
    s3 -= a * A[r3 + k]!;
  }
  s0 /= A[r0 + j]!;
  s1 = (s1 - s0 * A[r1 + j]!) / A[r1 + j + 1]!;
  s2 = (s2 - s0 * A[r2 + j]! - s1 * A[r2 + j + 1]!) / A[r2 + j + 2]!;
  s3 = (s3 - s0 * A[r3 + j]! - s1 * A[r3 + j + 1]! - s2 * A[r3 + j + 2]!) / A[r3 + j + 3]!;
  A[row + j] = s0;
  A[row + j + 1] = s1;
  A[row + j + 2] = s2;
  A[row + j + 3] = s3;
}

/** Replaces b (length N) by the solution x of L L' x = b, given the Cholesky factor L. */
export function solveWithFactor(L: Float64Array, N: number, b: Float64Array): void {
  for (let i = 0; i < N; i++) b[i] = (b[i]! - dot(L, i * N, b, 0, i)) / L[i * N + i]!;
  for (let i = N - 1; i >= 0; i--) {
    const row = i * N;
    const value = b[i]! / L[row + i]!;
    b[i] = value;
    for (let j = 0; j < i; j++) b[j]! -= value * L[row + j]!;
  }
}

/** Writes the inverse of the lower triangular L (N x N) to `out`, whose upper triangle becomes zero. N^3 / 3 flops. */
export function invertLower(L: Float64Array, N: number, out: Float64Array): void {
  out.fill(0, 0, N * N);
  for (let i = 0; i < N; i++) {
    const row = i * N;
    let k = 0;
    for (; k + 3 < i; k += 4) {
      const r0 = k * N;
      const r1 = r0 + N;
      const r2 = r1 + N;
      const r3 = r2 + N;
      const f0 = L[row + k]!;
      const f1 = L[row + k + 1]!;
      const f2 = L[row + k + 2]!;
      const f3 = L[row + k + 3]!;
      // Beyond their diagonals the rows hold zeros, so all four may be as long as the last.
      for (let j = 0; j <= k + 3; j++) {
        out[row + j]! -= f0 * out[r0 + j]! + f1 * out[r1 + j]! + (f2 * out[r2 + j]! + f3 * out[r3 + j]!);
      }
    }
    for (; k < i; k++) {
      const factor = L[row + k]!;
      for (let j = 0; j <= k; j++) out[row + j]! -= factor * out[k * N + j]!;
    }
    const scale = 1 / L[row + i]!;
    for (let j = 0; j < i; j++) out[row + j]! *= scale;
    out[row + i] = scale;
  }
}
