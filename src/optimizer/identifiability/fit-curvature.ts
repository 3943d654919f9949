/** Finds how a misfit curves at its least value, and along which directions the data leave its inputs open. */
import { symmetricEigen } from '../linalg/eigen.ts';
import type { MisfitModel } from '../search/least-misfit.ts';
import type { Encoding } from '../space/encoding.ts';
import { isCancelled } from './known-ends.ts';
import type { Held } from './misfit-profile.ts';

/** Smallest eigenvalue of the curvature, relative to the largest. */
const LEAST_CURVATURE = 1e-13;

/** The curvature of half the misfit by the features of the numbers: J' J of Gauss and Newton. */
export function curvatureAt({ aim }: MisfitModel, least: Held, encoding: Encoding, numbers: readonly number[]) {
  aim.evaluate(least.u);
  aim.differentiate();
  const J = aim.slopes();
  const q = numbers.length;
  const p = encoding.p;
  const A = new Float64Array(q * q);
  for (let j = 0; j < aim.m; j++) {
    const slope = (a: number) => J[j * p + encoding.first[numbers[a]!]!]!;
    for (let a = 0; a < q; a++) for (let b = 0; b < q; b++) A[a * q + b]! += slope(a) * slope(b);
  }
  const steepness = new Float64Array(p);
  for (let a = 0; a < q; a++) steepness[encoding.first[numbers[a]!]!] = A[a * q + a]!;
  const { values, vectors } = symmetricEigen(A, q);
  const largest = values[q - 1] ?? 0;
  const floor = Math.max(largest * LEAST_CURVATURE, Number.MIN_VALUE * 1e20);
  const position = (v: number) => numbers.indexOf(v);
  const covariance = (v: number, w: number) =>
    values.reduce(
      (sum, value, k) => sum + (vectors[k * q + position(v)]! * vectors[k * q + position(w)]!) / Math.max(value, floor),
      0,
    );
  /** Directions along which a way of 1, half the range, raises the misfit by less than the threshold, or by little for what it moves. */
  const weak = (threshold: number): WeakDirection[] =>
    Array.from(values.keys(), (k) => {
      const direction = vectors.slice(k * q, (k + 1) * q);
      const along = inFeatures(encoding, numbers, direction);
      return {
        direction,
        isFlat: values[k]! < threshold,
        isCancelled: isCancelled(steepness, (f) => along[f]!, values[k]!),
      };
    }).filter(({ isFlat, isCancelled }) => isFlat || isCancelled);
  return { covariance, steepness, weak };
}

export interface WeakDirection {
  /** In the features of the numbers. */
  readonly direction: Float64Array;
  /** Whether the misfit rises along it by less than a threshold. */
  readonly isFlat: boolean;
  /** Whether inputs cancel one another along it. */
  readonly isCancelled: boolean;
}

/** Length p. */
export function inFeatures({ first, p }: Encoding, numbers: readonly number[], direction: Float64Array): Float64Array {
  const along = new Float64Array(p);
  numbers.forEach((v, a) => {
    along[first[v]!] = direction[a]!;
  });
  return along;
}

export function covarianceOfFeatures(
  { owner }: Encoding,
  numbers: readonly number[],
  covariance: (v: number, w: number) => number,
  f: number,
  g: number,
): number {
  const [v, w] = [owner[f]!, owner[g]!];
  return numbers.includes(v) && numbers.includes(w) ? covariance(v, w) : 0;
}
