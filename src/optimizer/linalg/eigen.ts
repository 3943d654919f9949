/** Sweeps of rotations; they converge quadratically, and eight are plenty for matrices of a hundred rows. */
const SWEEPS = 30;

/**
 * The eigenvalues and eigenvectors of a symmetric matrix A (N x N), which is overwritten.
 *
 * @returns eigenvalues, ascending, and the matrix whose row k is the eigenvector of value k, of length 1
 * Source: Golub and Van Loan, Matrix Computations, 4th ed., section 8.5 (cyclic Jacobi).
 */
export function symmetricEigen(A: Float64Array, N: number): { values: Float64Array; vectors: Float64Array } {
  const V = new Float64Array(N * N);
  for (let i = 0; i < N; i++) V[i * N + i] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let off = 0;
    let diagonal = 0;
    for (let i = 0; i < N; i++) {
      diagonal += A[i * N + i]! ** 2;
      for (let j = 0; j < i; j++) off += A[i * N + j]! ** 2;
    }
    if (!(off > 1e-30 * diagonal)) break;
    for (let i = 1; i < N; i++) for (let j = 0; j < i; j++) rotate(A, V, N, i, j);
  }
  const order = Array.from({ length: N }, (_, k) => k).sort((a, b) => A[a * N + a]! - A[b * N + b]! || a - b);
  const vectors = new Float64Array(N * N);
  order.forEach((k, row) => {
    vectors.set(V.subarray(k * N, (k + 1) * N), row * N);
  });
  return { values: Float64Array.from(order, (k) => A[k * N + k]!), vectors };
}

/** Makes entries (i, j) and (j, i) of A zero by a rotation, which is also applied to the rows of V. */
function rotate(A: Float64Array, V: Float64Array, N: number, i: number, j: number): void {
  const between = A[i * N + j]!;
  if (between === 0) return;
  const theta = (A[j * N + j]! - A[i * N + i]!) / (2 * between);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(1, theta));
  const c = 1 / Math.hypot(1, t);
  const s = t * c;
  for (let k = 0; k < N; k++) {
    const a = A[k * N + i]!;
    const b = A[k * N + j]!;
    A[k * N + i] = c * a - s * b;
    A[k * N + j] = s * a + c * b;
  }
  for (const M of [A, V]) {
    for (let k = 0; k < N; k++) {
      const a = M[i * N + k]!;
      const b = M[j * N + k]!;
      M[i * N + k] = c * a - s * b;
      M[j * N + k] = s * a + c * b;
    }
  }
}
