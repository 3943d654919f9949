import type { Cases } from '../cases.ts';

/** A failed run and how far its warning reaches. */
interface Hazard {
  /** Length p. */
  readonly u: Float64Array;
  readonly squareReach: number;
}

/** Log of the chance that a run succeeds, from the places where runs failed. */
export interface Hazards {
  /** Adds the gradient to `gradient` (length p) when given. 0 far from all failures, about -7 at one of them. */
  logSuccess(u: Float64Array, gradient: Float64Array | null): number;
}

/** Assumed chance of failure at the input of a failed run, short of 1 so that the logarithm stays finite. */
const CERTAINTY = 0.999;
/** The warning of a failure reaches half way to the nearest success, within these bounds (encoded units). */
const SHARE_OF_GAP = 0.5;
const REACH = { least: 1e-3, most: 0.5 };

/**
 * Each failed run casts a Gaussian shadow over its neighbourhood, the wider the farther the next success is. As many
 * failures as the last 200 are kept.
 */
export function makeHazards(cases: Cases, p: number): Hazards | null {
  const { failedU, U, N } = cases;
  const count = failedU.length / p;
  if (count === 0) return null;
  const hazards: Hazard[] = [];
  for (let i = Math.max(0, count - 200); i < count; i++) {
    const u = failedU.subarray(i * p, (i + 1) * p);
    let nearest = Number.POSITIVE_INFINITY;
    for (let k = 0; k < N; k++) {
      let square = 0;
      for (let f = 0; f < p; f++) square += (U[k * p + f]! - u[f]!) ** 2;
      nearest = Math.min(nearest, square);
    }
    const reach = Math.min(REACH.most, Math.max(REACH.least, SHARE_OF_GAP * Math.sqrt(nearest)));
    hazards.push({ u, squareReach: reach * reach });
  }
  return { logSuccess: (u, gradient) => logSuccess(hazards, u, gradient) };
}

function logSuccess(hazards: readonly Hazard[], u: Float64Array, gradient: Float64Array | null): number {
  let value = 0;
  for (const hazard of hazards) {
    let square = 0;
    for (let f = 0; f < u.length; f++) square += (u[f]! - hazard.u[f]!) ** 2;
    const risk = CERTAINTY * Math.exp((-0.5 * square) / hazard.squareReach);
    if (risk < 1e-12) continue;
    value += Math.log1p(-risk);
    if (!gradient) continue;
    const factor = risk / ((1 - risk) * hazard.squareReach);
    for (let f = 0; f < u.length; f++) gradient[f]! += factor * (u[f]! - hazard.u[f]!);
  }
  return value;
}
