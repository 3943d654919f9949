/**
 * The region in which the models of a fit are trusted: a box around the best run that doubles with steps that reduce the misfit and
 * halves with steps that do not. Everything follows from the history: nothing is remembered between suggestions.
 *
 * Source: Cartis, Fiala, Marteau and Roberts 2019, Improving the flexibility and robustness of model-based derivative-free optimization
 * solvers, ACM Transactions on Mathematical Software 45, for trust regions around Gauss-Newton steps of residuals that models predict.
 */
import { bestOf, byLoss } from '../goal/targets.ts';
import { makeRandom } from '../numerics/random.ts';
import { movableCount } from '../space/encoding.ts';
import { boxAround, type Region } from './local-mode.ts';
import type { Prepared } from './prepare.ts';

/** First half width, of a box whose half width is 1; 0.2, 0.4 and 0.5 took as many runs or more. */
const FIRST_RADIUS = 0.3;
const LEAST_RADIUS = 1e-6;
/** After a step that reduced the misfit, at least so many times its length; after another, at most. */
const GROWTH = 2;
const SHRINKAGE = 0.5;
/** Models learn from the best (n + 1) times so many runs. Worse ones bend them elsewhere. */
const RUNS_PER_INPUT = 2;
/** In a search that stalls, models that may be noisy learn from the best (n + 1) times so many runs. */
export const NOISY_RUNS_PER_INPUT = 4;
/** From such a stall on every other suggestion is sought elsewhere. */
const FIRST_STALL = 3;

export interface TrustedRegion extends Region {
  /** Whether the models there may be noisy. */
  readonly isThorough: boolean;
}

/**
 * The region for this suggestion; null when it is to be sought where the data are likeliest, and while inputs are pending. Every fourth
 * suggestion of a search that stalls looks for the least misfit anywhere, with more runs and noisy models: where the outputs of a program
 * scatter, a lucky run holds the box around itself.
 */
export function trustedRegion(prepared: Prepared): TrustedRegion | null {
  const { cases, pending, request, encoding, conditions } = prepared;
  if (pending.count > 0) return null;
  const turn = Math.max(0, cases.stall - FIRST_STALL) % 4;
  const center = bestOf(cases.loss);
  if (turn === 1) {
    const box = { lower: encoding.lower, upper: encoding.upper, conditions };
    return { center, rows: trustedRows(prepared, NOISY_RUNS_PER_INPUT), box, isThorough: true };
  }
  if (turn === 3) return null;
  const random = makeRandom(request.seed, 22, request.history.count);
  const box = boxAround(prepared, cases.U, center, radiusOf(prepared), random);
  return box && { center, rows: trustedRows(prepared), box, isThorough: false };
}

/** The runs from which models near the least misfit learn, the best first. */
export function trustedRows(
  { cases: { loss }, encoding }: Pick<Prepared, 'cases' | 'encoding'>,
  runsPerInput = RUNS_PER_INPUT,
): Int32Array {
  const count = runsPerInput * (movableCount(encoding) + 1);
  return Int32Array.from(loss.keys()).sort(byLoss(loss)).subarray(0, count);
}

/** Half the width of the region after all suggestions. */
function radiusOf({ cases: { U, loss, rows, N }, encoding: { p }, request }: Prepared): number {
  const first = Math.max(request.firstSuggested, request.firstOwn ?? 0);
  let radius = FIRST_RADIUS;
  let best = 0;
  for (let i = 1; i < N; i++) {
    const isBetter = loss[i]! < loss[best]!;
    if (rows[i]! >= first) {
      const step = largestDifference(U, p, i, best);
      radius = isBetter ? Math.max(radius, GROWTH * step) : Math.min(radius, SHRINKAGE * step);
    }
    if (isBetter) best = i;
  }
  return Math.max(LEAST_RADIUS, radius);
}

function largestDifference(U: Float64Array, p: number, i: number, k: number): number {
  let largest = 0;
  for (let f = 0; f < p; f++) largest = Math.max(largest, Math.abs(U[i * p + f]! - U[k * p + f]!));
  return largest;
}
