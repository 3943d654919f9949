/**
 * Near the end the nugget smooths the model at about 1e-5 of the range, far above a tight tolerance. Two corrections
 * repair that around the centre c: the model is shifted through the value at c, and its slope is changed as little as
 * the differences to the nearest points demand (a minimum-change multi-secant update, superlinear in practice).
 */
import { choleskyInPlace, solveWithFactor } from '../linalg/cholesky.ts';
import type { Surrogate } from './model-choice.ts';
import type { Correction, Predictor } from './predictor.ts';

/** Outputs whose nugget is a real noise estimate are not forced through a point. */
const LARGEST_NUGGET = 1e-7;
/** Secants only once another point is this near, in encoded units. */
const NEAR = 0.05;
const SLOPE_SPREAD = 0.3;

/**
 * Sets the corrections of `predictor` around the row `center` of the fit.
 */
export function correctAround(surrogate: Surrogate, predictor: Predictor, center: number): void {
  const { U, N, p } = surrogate.geometry;
  const m = surrogate.outputs.length;
  const c = U.slice(center * p, (center + 1) * p);
  predictor.correct([]);
  const neighbours = nearest(U, N, p, c, center);
  const residual = (i: number) => {
    predictor.predict(U.subarray(i * p, (i + 1) * p), false, false);
    return surrogate.outputs.map((output, j) => (output.fitted ? output.fitted.warp.z[i]! - predictor.mean[j]! : 0));
  };
  const atCenter = residual(center);
  const d1 = neighbours[0]?.distance ?? Number.POSITIVE_INFINITY;
  const slopes =
    d1 < NEAR
      ? secantSlopes(
          U,
          p,
          c,
          neighbours,
          neighbours.map((one) => residual(one.index)),
          atCenter,
        )
      : null;
  const corrections = Array.from({ length: m }, (_, j): Correction | null => {
    const fitted = surrogate.outputs[j]!.fitted;
    if (fitted === null || surrogate.kernels[fitted.kernel]!.factorized.nugget >= LARGEST_NUGGET) return null;
    return {
      shift: atCenter[j]!,
      slope: slopes?.subarray(j * p, (j + 1) * p) ?? null,
      center: c,
      reach: (10 * d1) ** 2,
    };
  });
  predictor.correct(corrections);
}

interface Neighbour {
  readonly index: number;
  readonly distance: number;
}

/** The nearest min(p + 3, 40) other points, without exact duplicates of the centre. */
function nearest(U: Float64Array, N: number, p: number, c: Float64Array, center: number): Neighbour[] {
  const all: Neighbour[] = [];
  for (let i = 0; i < N; i++) {
    if (i === center) continue;
    let square = 0;
    for (let f = 0; f < p; f++) square += (U[i * p + f]! - c[f]!) ** 2;
    if (square > 0) all.push({ index: i, distance: Math.sqrt(square) });
  }
  all.sort((a, b) => a.distance - b.distance || a.index - b.index);
  return all.slice(0, Math.min(p + 3, 40));
}

/** m x p changes of slope: kap^2 S' (kap^2 S S' + D)^-1 r for each output; null when the system is singular. */
function secantSlopes(
  U: Float64Array,
  p: number,
  c: Float64Array,
  neighbours: readonly Neighbour[],
  residuals: readonly number[][],
  atCenter: readonly number[],
): Float64Array | null {
  const q = neighbours.length;
  const m = atCenter.length;
  const square = SLOPE_SPREAD * SLOPE_SPREAD;
  const S = new Float64Array(q * p);
  for (let i = 0; i < q; i++) {
    for (let f = 0; f < p; f++) S[i * p + f] = U[neighbours[i]!.index * p + f]! - c[f]!;
  }
  const A = new Float64Array(q * q);
  for (let i = 0; i < q; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let f = 0; f < p; f++) sum += S[i * p + f]! * S[j * p + f]!;
      A[i * q + j] = square * sum;
    }
    const d2 = neighbours[i]!.distance ** 2;
    A[i * q + i]! += (0.3 * d2) ** 2 + 1e-12 * square * d2 + 1e-24;
  }
  if (!choleskyInPlace(A, q)) return null;
  const slopes = new Float64Array(m * p);
  const r = new Float64Array(q);
  for (let j = 0; j < m; j++) {
    for (let i = 0; i < q; i++) r[i] = residuals[i]![j]! - atCenter[j]!;
    solveWithFactor(A, q, r);
    for (let i = 0; i < q; i++) for (let f = 0; f < p; f++) slopes[j * p + f]! += square * r[i]! * S[i * p + f]!;
  }
  return slopes;
}
