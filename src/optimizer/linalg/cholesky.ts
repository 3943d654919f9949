/**
 * Dense symmetric positive definite algebra, and products with dense matrices, on row-major Float64Arrays. Only lower
 * triangles are read and written unless stated. All loops run along rows, which is what the memory layout and the JIT
 * like best, and take four rows at a time where they can: that halves the loads per product.
 */

/** Dot product of `length` entries of A from `a` and of B from `b`; four partial sums keep the pipeline busy. */
export function dot(A: Float64Array, a: number, B: Float64Array, b: number, length: number): number {
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
 * Four columns are computed at a time: one load of the row serves four products.
 *
 * @returns false when a pivot is not safely positive; A is then half overwritten. N^3 / 3 flops.
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
    // Below a few roundings of the diagonal the pivot is noise.
    if (!(pivot > 4e-16 * original)) return false;
    A[row + i] = Math.sqrt(pivot);
  }
  return true;
}

/** Entries j to j + 3 of a row of the factor, given the entries before them and the rows j to j + 3. */
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

/** Writes the lower triangular inverse of L into `out` (N x N; the upper triangle becomes zero). N^3 / 3 flops. */
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
      // Beyond their diagonals the rows hold zeros, so all four can be as long as the last.
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

/** Writes the lower triangle of M' M into `out` for a lower triangular M (N x N, zeros above). N^3 / 3 flops. */
export function gramOfLower(M: Float64Array, N: number, out: Float64Array): void {
  out.fill(0, 0, N * N);
  let k = 0;
  for (; k + 3 < N; k += 4) {
    const r0 = k * N;
    const r1 = r0 + N;
    const r2 = r1 + N;
    const r3 = r2 + N;
    for (let i = 0; i <= k + 3; i++) {
      const f0 = M[r0 + i]!;
      const f1 = M[r1 + i]!;
      const f2 = M[r2 + i]!;
      const f3 = M[r3 + i]!;
      const row = i * N;
      for (let j = 0; j <= i; j++) {
        out[row + j]! += f0 * M[r0 + j]! + f1 * M[r1 + j]! + (f2 * M[r2 + j]! + f3 * M[r3 + j]!);
      }
    }
  }
  for (; k < N; k++) {
    for (let i = 0; i <= k; i++) {
      const factor = M[k * N + i]!;
      for (let j = 0; j <= i; j++) out[i * N + j]! += factor * M[k * N + j]!;
    }
  }
}

/** out = M x for a lower triangular M (N x N, zeros above). */
export function multiplyLower(M: Float64Array, N: number, x: Float64Array, out: Float64Array): void {
  let i = 0;
  for (; i + 3 < N; i += 4) {
    const r0 = i * N;
    const r1 = r0 + N;
    const r2 = r1 + N;
    const r3 = r2 + N;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let k = 0; k <= i + 3; k++) {
      const value = x[k]!;
      s0 += M[r0 + k]! * value;
      s1 += M[r1 + k]! * value;
      s2 += M[r2 + k]! * value;
      s3 += M[r3 + k]! * value;
    }
    out[i] = s0;
    out[i + 1] = s1;
    out[i + 2] = s2;
    out[i + 3] = s3;
  }
  for (; i < N; i++) out[i] = dot(M, i * N, x, 0, i + 1);
}

/** out = M' x for a lower triangular M (N x N, zeros above). */
export function multiplyLowerTransposed(M: Float64Array, N: number, x: Float64Array, out: Float64Array): void {
  out.fill(0, 0, N);
  let i = 0;
  for (; i + 3 < N; i += 4) addFourRows(M, i * N, N, i + 4, x, i, out);
  for (; i < N; i++) addRow(M, i * N, i + 1, x[i]!, out);
}

/** out = A x for A with N rows of p. */
export function multiplyRows(A: Float64Array, N: number, p: number, x: Float64Array, out: Float64Array): void {
  let i = 0;
  for (; i + 3 < N; i += 4) {
    const r0 = i * p;
    const r1 = r0 + p;
    const r2 = r1 + p;
    const r3 = r2 + p;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let f = 0; f < p; f++) {
      const value = x[f]!;
      s0 += A[r0 + f]! * value;
      s1 += A[r1 + f]! * value;
      s2 += A[r2 + f]! * value;
      s3 += A[r3 + f]! * value;
    }
    out[i] = s0;
    out[i + 1] = s1;
    out[i + 2] = s2;
    out[i + 3] = s3;
  }
  for (; i < N; i++) out[i] = dot(A, i * p, x, 0, p);
}

/** out = A' x for A with N rows of p. */
export function multiplyTransposed(A: Float64Array, N: number, p: number, x: Float64Array, out: Float64Array): void {
  out.fill(0, 0, p);
  let i = 0;
  for (; i + 3 < N; i += 4) addFourRows(A, i * p, p, p, x, i, out);
  for (; i < N; i++) addRow(A, i * p, p, x[i]!, out);
}

/** Adds x[i] to x[i + 3] times the first `length` entries of four rows of A, `stride` apart from `from`, to `out`. */
function addFourRows(
  A: Float64Array,
  from: number,
  stride: number,
  length: number,
  x: Float64Array,
  i: number,
  out: Float64Array,
): void {
  const r1 = from + stride;
  const r2 = r1 + stride;
  const r3 = r2 + stride;
  const f0 = x[i]!;
  const f1 = x[i + 1]!;
  const f2 = x[i + 2]!;
  const f3 = x[i + 3]!;
  for (let j = 0; j < length; j++) {
    out[j]! += f0 * A[from + j]! + f1 * A[r1 + j]! + (f2 * A[r2 + j]! + f3 * A[r3 + j]!);
  }
}

function addRow(A: Float64Array, from: number, length: number, factor: number, out: Float64Array): void {
  for (let j = 0; j < length; j++) out[j]! += factor * A[from + j]!;
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
