/**
 * How well a surrogate predicts the cases it was fitted to when they are left out, with its hyperparameters kept.
 * Cases that lie close together are left out together and count as one: steps end in a heap around their goal, an
 * initial point repeats a case, and each of them would vouch for the others.
 */
import { choleskyInPlace, dot, solveWithFactor } from '../linalg/cholesky.ts';
import type { OutputInsight } from '../problem.ts';
import type { Factorized } from '../surrogate/gaussian-process.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';

/** Cases nearer than this share of the diagonal of the box to the first one among them are one place. */
const ONE_PLACE = 0.05;
/** Fewer places say nothing: a mean and a slope explain two. */
const LEAST_PLACES = 3;

/** Cases that lie together, by their rows; at least one each. */
export type Places = readonly (readonly number[])[];

/**
 * The cases of a surrogate sorted into places: the first case and all near it, the first of the others and all near
 * that, and so on.
 *
 * @param n number of inputs that move
 */
export function placesOf({ geometry }: Surrogate, n: number): Places {
  const { N, p, U } = geometry;
  // The box has sides of 2.
  const near = (2 * ONE_PLACE) ** 2 * n;
  const places: number[][] = [];
  for (let i = 0; i < N; i++) {
    const place = places.find(([first]) => {
      let square = 0;
      for (let f = 0; f < p; f++) square += (U[first! * p + f]! - U[i * p + f]!) ** 2;
      return square < near;
    });
    if (place) place.push(i);
    else places.push([i]);
  }
  return places;
}

/** Cross-validates output j of a surrogate, place by place. */
export function crossValidate(surrogate: Surrogate, places: Places, j: number): OutputInsight['crossValidated'] {
  const K = places.length;
  if (K < LEAST_PLACES) return { r2: null, rmse: null };
  const residuals = residualsOf(surrogate, places, j);
  if (residuals === null) return { r2: null, rmse: 0 };
  const { z, fromZ } = surrogate.outputs[j]!.fitted!.warp;
  const observed = z.map(fromZ);
  const largest = observed.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = averageOver(places, (i) => observed[i]! / largest);
  const missed = averageOver(places, (i) => ((observed[i]! - fromZ(z[i]! - residuals[i]!)) / largest) ** 2);
  const spread = averageOver(places, (i) => (observed[i]! / largest - mean) ** 2);
  const r2 = 1 - missed / spread;
  const rmse = Math.sqrt(missed) * largest;
  return { r2: Number.isFinite(r2) ? r2 : null, rmse: Number.isFinite(rmse) ? rmse : null };
}

/** The mean over the places of the mean over their cases. */
export function averageOver(places: Places, of: (i: number) => number): number {
  const means = places.map((place) => place.reduce((sum, i) => sum + of(i), 0) / place.length);
  return means.reduce((sum, mean) => sum + mean, 0) / places.length;
}

/**
 * Residuals of output j on the standardized scale, length N, each case predicted from the other places; null for a
 * constant. Not a number where a place cannot be left out.
 */
export function residualsOf(surrogate: Surrogate, places: Places, j: number): Float64Array | null {
  const fitted = surrogate.outputs[j]!.fitted;
  if (!fitted) return null;
  return leftOutTogether(surrogate.kernels[fitted.kernel]!.factorized, fitted.conditioned.alpha, places);
}

/**
 * Residual of each case when all cases of its place are left out, standardized, length N: (Q_GG)^-1 alpha_G for a place
 * G, Q being the precision matrix with the mean estimated.
 *
 * Source: Dubrule 1983, Mathematical Geology 15, for several cases at once. Cost of the largest place: N |G|^2 + |G|^3 / 3.
 */
function leftOutTogether({ inverse, ones, total }: Factorized, alpha: Float64Array, places: Places): Float64Array {
  const N = alpha.length;
  // Rows of the transposed inverse: the columns that the products below run along.
  const columns = new Float64Array(N * N);
  for (let r = 0; r < N; r++) for (let c = 0; c <= r; c++) columns[c * N + r] = inverse[r * N + c]!;
  const residuals = new Float64Array(N);
  for (const place of places) {
    const q = place.length;
    const Q = new Float64Array(q * q);
    for (const [a, i] of place.entries()) {
      for (const [b, k] of place.slice(0, a + 1).entries()) {
        Q[a * q + b] = dot(columns, i * N + i, columns, k * N + i, N - i) - (ones[i]! * ones[k]!) / total;
      }
    }
    const left = Float64Array.from(place, (i) => alpha[i]!);
    // Cases so close that the matrix is singular in this arithmetic predict nothing but each other.
    if (choleskyInPlace(Q, q)) solveWithFactor(Q, q, left);
    else left.fill(Number.NaN);
    place.forEach((i, a) => {
      residuals[i] = left[a]!;
    });
  }
  return residuals;
}
