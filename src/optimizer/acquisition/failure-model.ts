/**
 * The chance that a run fails. Each failed run makes failure likely around its input: the chance falls off as a Gaussian
 * whose width grows with the distance of the nearest successful run.
 */
import type { Cases } from '../goal/cases.ts';
import { squareBetween, squareToNearest } from '../linalg/dense.ts';

export interface FailureModel {
  /** Log of the chance of success at the features u (length p): 0 far from all failures, about -7 at one of them. */
  logSuccess(u: Float64Array): number;
  /** Adds the gradient of `logSuccess` to `gradient` (length p). */
  addGradient(u: Float64Array, gradient: Float64Array): void;
}

interface PastFailure {
  /** Length p. */
  readonly u: Float64Array;
  readonly squareWidth: number;
}

/** Chance of failure at the input of a failed run, short of 1 so that the logarithm stays finite. */
const CERTAINTY = 0.999;
/** Smaller chances of failure count as none. */
const NEGLIGIBLE = 1e-12;
/** The width is half the distance of the nearest success, within these bounds, in encoded units. */
const SHARE_OF_GAP = 0.5;
const WIDTH = { min: 1e-3, max: 0.5 };
/** Only the last failures count. */
const MAX_FAILURES = 200;

/** null when no run has failed. */
export function makeFailureModel(cases: Cases, p: number): FailureModel | null {
  const { failedU } = cases;
  const count = failedU.length / p;
  if (count === 0) return null;
  const failures: PastFailure[] = [];
  for (let i = Math.max(0, count - MAX_FAILURES); i < count; i++) {
    const u = failedU.subarray(i * p, (i + 1) * p);
    const gap = Math.sqrt(squareToNearest(u, cases.U));
    const width = Math.min(WIDTH.max, Math.max(WIDTH.min, SHARE_OF_GAP * gap));
    failures.push({ u, squareWidth: width * width });
  }
  return {
    logSuccess: (u) => failures.reduce((sum, failure) => sum + logSuccessBeside(failure, u), 0),
    addGradient: (u, gradient) => {
      for (const failure of failures) addGradientBeside(failure, u, gradient);
    },
  };
}

/** Chance of failure at u because of one failed run. */
function riskBeside(failure: PastFailure, u: Float64Array): number {
  return CERTAINTY * Math.exp((-0.5 * squareBetween(u, failure.u)) / failure.squareWidth);
}

function logSuccessBeside(failure: PastFailure, u: Float64Array): number {
  const risk = riskBeside(failure, u);
  return risk < NEGLIGIBLE ? 0 : Math.log1p(-risk);
}

function addGradientBeside(failure: PastFailure, u: Float64Array, gradient: Float64Array): void {
  const risk = riskBeside(failure, u);
  if (risk < NEGLIGIBLE) return;
  const factor = risk / ((1 - risk) * failure.squareWidth);
  for (let f = 0; f < u.length; f++) gradient[f]! += factor * (u[f]! - failure.u[f]!);
}
