import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choleskyInPlace, invertLower, solveWithFactor } from '../../src/optimizer/linalg/cholesky.ts';
import {
  gramOfLower,
  multiplyLower,
  multiplyLowerTransposed,
  multiplyRows,
  multiplyTransposed,
} from '../../src/optimizer/linalg/dense.ts';
import { symmetricEigen } from '../../src/optimizer/linalg/eigen.ts';

/** A well conditioned positive definite matrix of size 1 to 9: B B' + identity. */
const positiveDefinite = fc.integer({ min: 1, max: 9 }).chain((N) =>
  fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: N * N, maxLength: N * N }).map((b) => {
    const A = new Float64Array(N * N);
    for (let i = 0; i < N; i++) {
      for (let j = 0; j < N; j++) {
        for (let k = 0; k < N; k++) A[i * N + j]! += b[i * N + k]! * b[j * N + k]!;
        if (i === j) A[i * N + j]! += 1;
      }
    }
    return { A, N };
  }),
);

function factor(A: Float64Array, N: number): Float64Array {
  const L = A.slice();
  expect(choleskyInPlace(L, N)).toBe(true);
  for (let i = 0; i < N; i++) for (let j = i + 1; j < N; j++) L[i * N + j] = 0;
  return L;
}

const largest = (values: Float64Array) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

describe('the Cholesky factorization', () => {
  it('The Cholesky factorization gives a factor L with L L^T = A', () => {
    fc.assert(
      fc.property(positiveDefinite, ({ A, N }) => {
        const L = factor(A, N);
        for (let i = 0; i < N; i++) {
          for (let j = 0; j <= i; j++) {
            let sum = 0;
            for (let k = 0; k < N; k++) sum += L[i * N + k]! * L[j * N + k]!;
            expect(Math.abs(sum - A[i * N + j]!)).toBeLessThan(1e-13 * largest(A));
          }
        }
      }),
    );
  });

  it('The Cholesky factorization gives a factor that solves A x = b', () => {
    fc.assert(
      fc.property(positiveDefinite, ({ A, N }) => {
        const x = Float64Array.from({ length: N }, (_, i) => Math.sin(i + 1));
        const b = x.map((_, i) => x.reduce((sum, value, j) => sum + A[i * N + j]! * value, 0));
        solveWithFactor(factor(A, N), N, b);
        x.forEach((value, i) => {
          expect(Math.abs(b[i]! - value)).toBeLessThan(1e-10);
        });
      }),
    );
  });

  it('The Cholesky factorization gives a factor whose inverse M satisfies M^T M = A^-1, in full and times a vector', () => {
    fc.assert(
      fc.property(positiveDefinite, ({ A, N }) => {
        const inverse = new Float64Array(N * N);
        invertLower(factor(A, N), N, inverse);
        const gram = new Float64Array(N * N);
        gramOfLower(inverse, N, gram);
        const half = new Float64Array(N);
        const column = new Float64Array(N);
        for (let j = 0; j < N; j++) {
          const columnOfA = Float64Array.from({ length: N }, (_, i) => A[i * N + j]!);
          multiplyLower(inverse, N, columnOfA, half);
          multiplyLowerTransposed(inverse, N, half, column);
          column.forEach((value, i) => {
            expect(Math.abs(value - (i === j ? 1 : 0))).toBeLessThan(1e-10);
          });
        }
        for (let i = 0; i < N; i++) {
          let sum = 0;
          for (let k = 0; k < N; k++) sum += gram[Math.max(i, k) * N + Math.min(i, k)]! * A[k * N + i]!;
          expect(Math.abs(sum - 1)).toBeLessThan(1e-10);
        }
      }),
    );
  });
});

describe('the products of a dense matrix with a vector', () => {
  it.each([1, 3, 4, 5, 8, 11])('match the definition for a matrix of %i rows', (N) => {
    const p = 3;
    const A = Float64Array.from({ length: N * p }, (_, k) => Math.sin(k + 1));
    const x = Float64Array.from({ length: p }, (_, f) => f - 0.5);
    const y = Float64Array.from({ length: N }, (_, i) => Math.cos(i));
    const Ax = new Float64Array(N);
    multiplyRows(A, N, p, x, Ax);
    Ax.forEach((value, i) => {
      const expected = x.reduce((sum, entry, f) => sum + A[i * p + f]! * entry, 0);
      expect(value).toBeCloseTo(expected, 14);
    });
    const Ay = new Float64Array(p);
    multiplyTransposed(A, N, p, y, Ay);
    Ay.forEach((value, f) => {
      const expected = y.reduce((sum, entry, i) => sum + A[i * p + f]! * entry, 0);
      expect(value).toBeCloseTo(expected, 13);
    });
  });
});

describe('the Cholesky factorization of a matrix without a factor', () => {
  it.each([
    ['indefinite', [1, 2, 2, 1]],
    ['singular', [1, 1, 1, 1]],
    ['not finite', [1, 0, Number.NaN, 1]],
    ['zero', [0, 0, 0, 0]],
  ])('reports failure when the matrix is %s', (_, entries) => {
    expect(choleskyInPlace(Float64Array.from(entries), 2)).toBe(false);
  });
});

describe('the eigenvectors of a symmetric matrix', () => {
  it('are orthonormal rows, ascending by value, that the matrix only stretches', () => {
    fc.assert(
      fc.property(positiveDefinite, ({ A, N }) => {
        const { values, vectors } = symmetricEigen(A.slice(), N);
        for (let k = 0; k < N; k++) {
          if (k > 0) expect(values[k]).toBeGreaterThanOrEqual(values[k - 1]!);
          for (let i = 0; i < N; i++) {
            let stretched = 0;
            let product = 0;
            for (let j = 0; j < N; j++) stretched += A[i * N + j]! * vectors[k * N + j]!;
            for (let j = 0; j < N; j++) product += vectors[i * N + j]! * vectors[k * N + j]!;
            expect(stretched).toBeCloseTo(values[k]! * vectors[k * N + i]!, 8);
            expect(product).toBeCloseTo(i === k ? 1 : 0, 9);
          }
        }
      }),
    );
  });
});
