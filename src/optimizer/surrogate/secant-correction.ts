/**
 * Secant correction of the models near the incumbent. The nugget smooths a model at about 1e-5 of the range of its output,
 * far above a tight tolerance. Two corrections repair that around a centre c, an evaluated point with residuals e_c:
 *   shift  mu_j += e_c, so that the model interpolates the value at c
 *   slope  mu_j += g'(u - c) exp(-|u - c|^2 / (2 (10 d_1)^2)), d_1 the distance of the nearest other point
 * The change of slope g explains the differences r_i = e_i - e_c of the residuals at nearby points along the secants
 * s_i = u_i - c:
 *   g = kappa^2 S' (kappa^2 S S' + D)^-1 r,   D = diag((0.3 d_i^2)^2 + 1e-12 kappa^2 d_i^2 + 1e-24),  d_i = |s_i|
 * It is the posterior mean of a slope with prior N(0, kappa^2 I) whose observations have the variances D (Rasmussen and
 * Williams 2006, equation 2.12); the first term of D allows for the curvature over d_i. With one secant and D = 0 it is
 * the update of Broyden 1965, r s' / (s's); with several, the least change that satisfies all of them. In practice the
 * search then converges superlinearly: an L1 norm of 1e-5 took 15 runs without the correction, 8 with it.
 */

import { choleskyInPlace, solveWithFactor } from '../linalg/cholesky.ts';
import { squareBetweenRows } from '../linalg/dense.ts';
import type { Correction } from './correction.ts';
import type { Surrogate } from './model-choice.ts';
import type { Predictor } from './predictor.ts';

/** A larger nugget is an estimate of noise: such an output is not forced through a point. */
const MAX_NUGGET = 1e-7;
/** Slopes are corrected once another point is this near, in encoded units. */
const NEAR = 0.05;
const KAPPA = 0.3;
const MAX_SECANTS = 40;

interface Secant {
  /** Row of the fit. */
  readonly index: number;
  readonly distance: number;
}

/** Replaces the corrections of `predictor` by those around row `center` of the fit. */
export function applySecantCorrection(surrogate: Surrogate, predictor: Predictor, center: number): void {
  const { U, p } = surrogate.geometry;
  const c = U.slice(center * p, (center + 1) * p);
  predictor.setCorrections([]);
  const secants = secantsFrom(surrogate, center);
  const atCenter = residualsAt(surrogate, predictor, center);
  const nearest = secants[0]?.distance ?? Number.POSITIVE_INFINITY;
  let slopes: Float64Array | null = null;
  if (nearest < NEAR) {
    const residuals = secants.map(({ index }) => residualsAt(surrogate, predictor, index));
    const differences = residuals.map((values) => values.map((value, j) => value - atCenter[j]!));
    slopes = slopeChanges(surrogate, c, secants, differences);
  }
  const corrections = surrogate.outputs.map(({ fitted }, j): Correction | null => {
    if (fitted === null || surrogate.kernels[fitted.kernel]!.factorized.nugget >= MAX_NUGGET) return null;
    return {
      shift: atCenter[j]!,
      slope: slopes?.subarray(j * p, (j + 1) * p) ?? null,
      center: c,
      reach: (10 * nearest) ** 2,
    };
  });
  predictor.setCorrections(corrections);
}

/** Observed minus predicted at a row of the fit, standardized, one per output; 0 for a constant output. */
function residualsAt({ geometry, outputs }: Surrogate, predictor: Predictor, row: number): number[] {
  predictor.predictMeans(geometry.U.subarray(row * geometry.p, (row + 1) * geometry.p));
  return outputs.map(({ fitted }, j) => (fitted ? fitted.warp.z[row]! - predictor.mean[j]! : 0));
}

/** The nearest min(p + 3, 40) other points, without exact duplicates of the centre, the nearest first. */
function secantsFrom({ geometry }: Surrogate, center: number): Secant[] {
  const { U, N, p } = geometry;
  const all: Secant[] = [];
  for (let i = 0; i < N; i++) {
    if (i === center) continue;
    const square = squareBetweenRows(U, p, i, center);
    if (square > 0) all.push({ index: i, distance: Math.sqrt(square) });
  }
  all.sort((a, b) => a.distance - b.distance || a.index - b.index);
  return all.slice(0, Math.min(p + 3, MAX_SECANTS));
}

/**
 * The change of slope g of each output.
 *
 * @param c length p
 * @param differences r of each secant, one per output
 * @returns m x p; null when the system is singular
 */
function slopeChanges(
  { geometry, outputs }: Surrogate,
  c: Float64Array,
  secants: readonly Secant[],
  differences: readonly (readonly number[])[],
): Float64Array | null {
  const { U, p } = geometry;
  const q = secants.length;
  const m = outputs.length;
  const square = KAPPA * KAPPA;
  const S = new Float64Array(q * p);
  for (let i = 0; i < q; i++) {
    for (let f = 0; f < p; f++) S[i * p + f] = U[secants[i]!.index * p + f]! - c[f]!;
  }
  const A = secantMatrix(S, secants, p);
  if (!choleskyInPlace(A, q)) return null;
  const slopes = new Float64Array(m * p);
  const r = new Float64Array(q);
  for (let j = 0; j < m; j++) {
    for (let i = 0; i < q; i++) r[i] = differences[i]![j]!;
    solveWithFactor(A, q, r);
    for (let i = 0; i < q; i++) for (let f = 0; f < p; f++) slopes[j * p + f]! += square * r[i]! * S[i * p + f]!;
  }
  return slopes;
}

/** kappa^2 S S' + D, lower triangle (q x q), for the secants S (q x p). */
function secantMatrix(S: Float64Array, secants: readonly Secant[], p: number): Float64Array {
  const q = secants.length;
  const square = KAPPA * KAPPA;
  const A = new Float64Array(q * q);
  for (let i = 0; i < q; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let f = 0; f < p; f++) sum += S[i * p + f]! * S[j * p + f]!;
      A[i * q + j] = square * sum;
    }
    const d2 = secants[i]!.distance ** 2;
    A[i * q + i]! += (0.3 * d2) ** 2 + 1e-12 * square * d2 + 1e-24;
  }
  return A;
}
