/**
 * Products of dense and of lower triangular matrices on row-major Float64Arrays. All loops run along rows, which suits the
 * memory layout and the JIT, and take four rows at a time where they can: that halves the loads per product.
 */

/** Dot product of `length` entries of A from index `a` and of B from index `b`. Four partial sums keep the pipeline busy. */
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

/** out = A x. A is N x p, x has length p, out length N. */
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

/** out = A' x. A is N x p, x has length N, out length p. */
export function multiplyTransposed(A: Float64Array, N: number, p: number, x: Float64Array, out: Float64Array): void {
  out.fill(0, 0, p);
  let i = 0;
  for (; i + 3 < N; i += 4) addFourRows(A, i * p, p, p, x, i, out);
  for (; i < N; i++) addRow(A, i * p, p, x[i]!, out);
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

/** Writes the lower triangle of M' M to `out` (N x N) for a lower triangular M (N x N, zeros above). N^3 / 3 flops. */
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

/**
 * Adds to `out` the first `length` entries of four rows of A, times x[i] to x[i + 3]. The first row starts at `from`, the
 * others `stride` apart.
 */
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

/** Adds to `out` the first `length` entries from index `from` of A, times a factor. */
export function addRow(A: Float64Array, from: number, length: number, factor: number, out: Float64Array): void {
  for (let j = 0; j < length; j++) out[j]! += factor * A[from + j]!;
}

/** Square of the distance between two points of equal length. */
export function squareBetween(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let f = 0; f < a.length; f++) sum += (a[f]! - b[f]!) ** 2;
  return sum;
}

/** Square of the distance of u from the nearest row of U, rows as long as u; infinite without rows. */
export function squareToNearest(u: Float64Array, U: Float64Array): number {
  const p = u.length;
  let nearest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < U.length; i += p) nearest = Math.min(nearest, squareBetween(U.subarray(i, i + p), u));
  return nearest;
}

/** Square of the distance between rows i and k of U, rows of p. */
export function squareBetweenRows(U: Float64Array, p: number, i: number, k: number): number {
  let sum = 0;
  for (let f = 0; f < p; f++) sum += (U[i * p + f]! - U[k * p + f]!) ** 2;
  return sum;
}

/** The entries of a, then those of b; a itself when b is empty. */
export function joined(a: Float64Array, b: Float64Array): Float64Array {
  if (b.length === 0) return a;
  const out = new Float64Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}
