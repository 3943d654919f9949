import type { Goal, Target } from './problem.ts';

/** One output as the search sees it: a closed interval and the value to model around. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
  /** Centre of a two-sided interval, the finite end of a one-sided one, 0 when both ends are open. */
  readonly center: number;
  /** True for minimize and maximize, where going past the end still has value. */
  readonly directed: boolean;
}

/** A spread below this share of the magnitude is rounding: the output counts as constant. */
export const ROUNDING = 1e-14;

/**
 * Strict inequalities are aimed at this far inside their end, relative to the larger of the end and the spread of the
 * output: reaching the end itself is a miss.
 */
const OPEN_MARGIN = 1e-9;

function toInterval(target: Target, spread: number): Interval {
  let { lower, upper } = target;
  const inside = (end: number) => OPEN_MARGIN * Math.max(Math.abs(end), spread, Number.MIN_VALUE / OPEN_MARGIN);
  if (target.lowerOpen && Number.isFinite(lower)) lower = Math.min(Number.MAX_VALUE, lower + inside(lower));
  if (target.upperOpen && Number.isFinite(upper)) upper = Math.max(-Number.MAX_VALUE, upper - inside(upper));
  if (lower > upper) lower = upper = target.lower / 2 + target.upper / 2;
  const center = Number.isFinite(lower)
    ? Number.isFinite(upper)
      ? lower / 2 + upper / 2
      : lower
    : Number.isFinite(upper)
      ? upper
      : 0;
  return { lower, upper, center, directed: target.direction !== 'none' };
}

/**
 * The intervals of a goal, one per output.
 *
 * @param Y N x m, finite: the outputs known, for the scale of each
 */
export function toIntervals(goal: Goal, Y: Float64Array, N: number): Interval[] {
  return goal.targets.map((target, j) => toInterval(target, spreadOf(Y, N, goal.targets.length, j)));
}

/** Distance of y from its interval, 0 inside. */
export function distanceTo(interval: Interval, y: number): number {
  return y < interval.lower ? interval.lower - y : y > interval.upper ? y - interval.upper : 0;
}

/**
 * How far each case is from the goal: sum over the outputs of (distance / spread)^2, the spread being the standard
 * deviation of that output over the rows given.
 *
 * @param Y N x m, finite
 * @returns length N, finite, 0 where every output lies in its interval
 */
export function merits(intervals: readonly Interval[], Y: Float64Array, N: number): Float64Array {
  const m = intervals.length;
  const out = new Float64Array(N);
  for (let j = 0; j < m; j++) {
    const spread = spreadOf(Y, N, m, j) || Math.abs(intervals[j]!.center) || 1;
    for (let i = 0; i < N; i++) {
      const d = distanceTo(intervals[j]!, Y[i * m + j]!) / spread;
      out[i] = Math.min(Number.MAX_VALUE, out[i]! + d * d);
    }
  }
  return out;
}

/** Standard deviation of column j, 0 when it is constant; scaled by its largest entry on the way so that squares cannot overflow. */
function spreadOf(Y: Float64Array, N: number, m: number, j: number): number {
  let largest = 0;
  for (let i = 0; i < N; i++) largest = Math.max(largest, Math.abs(Y[i * m + j]!));
  if (largest === 0) return 0;
  let mean = 0;
  for (let i = 0; i < N; i++) mean += Y[i * m + j]! / largest / N;
  let sum = 0;
  for (let i = 0; i < N; i++) sum += (Y[i * m + j]! / largest - mean) ** 2;
  const share = Math.sqrt(sum / N);
  return share > ROUNDING ? share * largest : 0;
}

/** Orders rows by merit, the best first; the first of equals. */
export function byMerit(merit: Float64Array): (a: number, b: number) => number {
  return (a, b) => merit[a]! - merit[b]! || a - b;
}

/** Index of the smallest merit; the first of equals. -1 without rows. */
export function bestOf(merit: Float64Array): number {
  let best = -1;
  for (let i = 0; i < merit.length; i++) if (best < 0 || merit[i]! < merit[best]!) best = i;
  return best;
}

/** Evaluations since the merit last fell below 0.9 of the best before it. */
export function stallOf(merit: Float64Array): number {
  let best = Number.POSITIVE_INFINITY;
  let last = 0;
  for (let i = 0; i < merit.length; i++) {
    if (merit[i]! < 0.9 * best || i === 0) last = i;
    best = Math.min(best, merit[i]!);
  }
  return Math.max(0, merit.length - 1 - last);
}
