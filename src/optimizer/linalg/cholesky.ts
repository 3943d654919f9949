/**
 * Dense symmetric positive definite algebra on row-major Float64Arrays. Only lower triangles are read and written
 * unless stated. All loops run along rows, which is what the memory layout and the JIT like best.
 */

/** Dot product of `length` entries of A from `a` and of B from `b`; four partial sums keep the pipeline busy. */
function dot(A: Float64Array, a: number, B: Float64Array, b: number, length: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let k = 0;
  for (; k + 3 < length; k += 4) {
    s0 += A[a + k]! * B[b + k]!;
    s1 += A[a + k + 1]! * B[b + k + 1]!;
    s2 += A[a + k + 2]! * B[b + k + 2]!;
    s3 += A[a + k + 3]! * B[b + k + 3]!;
  }
  for (; k < length; k++) s0 += A[a + k]! * B[b + k]!;
  return s0 + s1 + (s2 + s3);
}

/**
 * Replaces the lower triangle of A (N x N) by its Cholesky factor L, A = L L'.
 *
 * @returns false when a pivot is not safely positive; A is then half overwritten. N^3 / 3 flops.
 * Source: Golub and Van Loan, Matrix Computations, 4th ed., section 4.2 (row version).
 */
export function choleskyInPlace(A: Float64Array, N: number): boolean {
  for (let i = 0; i < N; i++) {
    const row = i * N;
    for (let j = 0; j < i; j++) {
      const other = j * N;
      A[row + j] = (A[row + j]! - dot(A, row, A, other, j)) / A[other + j]!;
    }
    const original = A[row + i]!;
    const pivot = original - dot(A, row, A, row, i);
    // Below a few roundings of the diagonal the pivot is noise.
    if (!(pivot > 4e-16 * original)) return false;
    A[row + i] = Math.sqrt(pivot);
  }
  return true;
}

/** Writes the lower triangular inverse of L into `out` (N x N; the upper triangle becomes zero). N^3 / 3 flops. */
export function invertLower(L: Float64Array, N: number, out: Float64Array): void {
  out.fill(0, 0, N * N);
  for (let i = 0; i < N; i++) {
    const row = i * N;
    for (let k = 0; k < i; k++) {
      const factor = L[row + k]!;
      if (factor === 0) continue;
      const source = k * N;
      for (let j = 0; j <= k; j++) out[row + j]! -= factor * out[source + j]!;
    }
    const scale = 1 / L[row + i]!;
    for (let j = 0; j < i; j++) out[row + j]! *= scale;
    out[row + i] = scale;
  }
}

/** Writes the lower triangle of M' M into `out` for a lower triangular M (N x N). N^3 / 3 flops. */
export function gramOfLower(M: Float64Array, N: number, out: Float64Array): void {
  out.fill(0, 0, N * N);
  for (let k = 0; k < N; k++) {
    const source = k * N;
    for (let i = 0; i <= k; i++) {
      const factor = M[source + i]!;
      if (factor === 0) continue;
      const row = i * N;
      for (let j = 0; j <= i; j++) out[row + j]! += factor * M[source + j]!;
    }
  }
}

/** out = M x for a lower triangular M (N x N). */
export function multiplyLower(M: Float64Array, N: number, x: Float64Array, out: Float64Array): void {
  for (let i = 0; i < N; i++) out[i] = dot(M, i * N, x, 0, i + 1);
}

/** out = M' x for a lower triangular M (N x N). */
export function multiplyLowerTransposed(M: Float64Array, N: number, x: Float64Array, out: Float64Array): void {
  out.fill(0, 0, N);
  for (let i = 0; i < N; i++) {
    const factor = x[i]!;
    if (factor === 0) continue;
    const row = i * N;
    for (let j = 0; j <= i; j++) out[j]! += factor * M[row + j]!;
  }
}

/** Solves L L' x = b in place of b (length N), given the Cholesky factor L. */
export function solveWithFactor(L: Float64Array, N: number, b: Float64Array): void {
  for (let i = 0; i < N; i++) b[i] = (b[i]! - dot(L, i * N, b, 0, i)) / L[i * N + i]!;
  for (let i = N - 1; i >= 0; i--) {
    const row = i * N;
    const value = b[i]! / L[row + i]!;
    b[i] = value;
    for (let j = 0; j < i; j++) b[j]! -= value * L[row + j]!;
  }
}
