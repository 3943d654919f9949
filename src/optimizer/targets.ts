import type { Goal, Target } from './problem.ts';

/** The target of one output as the search sees it: a closed interval, and the value to model around. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
  /** Centre of a two-sided interval, the finite end of a one-sided one, 0 without a finite end. */
  readonly center: number;
  /** True for minimize and maximize, where values beyond the end are better still. */
  readonly directed: boolean;
}

/** An output whose standard deviation is below this share of its magnitude varies by rounding only: it is constant. */
export const ROUNDING = 1e-14;

/**
 * The search aims this far inside the end of a strict inequality, where reaching the end is a miss; relative to the larger
 * of the end and the standard deviation of the output.
 */
const OPEN_MARGIN = 1e-9;

function toInterval(target: Target, sd: number): Interval {
  let { lower, upper } = target;
  const inside = (end: number) => OPEN_MARGIN * Math.max(Math.abs(end), sd, Number.MIN_VALUE / OPEN_MARGIN);
  if (target.lowerOpen && Number.isFinite(lower)) lower = Math.min(Number.MAX_VALUE, lower + inside(lower));
  if (target.upperOpen && Number.isFinite(upper)) upper = Math.max(-Number.MAX_VALUE, upper - inside(upper));
  if (lower > upper) lower = upper = target.lower / 2 + target.upper / 2;
  return { lower, upper, center: centerOf(lower, upper), directed: target.direction !== 'none' };
}

function centerOf(lower: number, upper: number): number {
  if (Number.isFinite(lower)) return Number.isFinite(upper) ? lower / 2 + upper / 2 : lower;
  return Number.isFinite(upper) ? upper : 0;
}

/**
 * The intervals of a goal, one per output.
 *
 * @param Y N x m, finite: the known outputs, which give the scale of each
 */
export function toIntervals(goal: Goal, Y: Float64Array, N: number): Interval[] {
  return goal.targets.map((target, j) => toInterval(target, standardDeviation(Y, N, goal.targets.length, j)));
}

/** Distance of y from the interval, 0 inside. */
export function distanceTo(interval: Interval, y: number): number {
  return y < interval.lower ? interval.lower - y : y > interval.upper ? y - interval.upper : 0;
}

/**
 * The loss of each case: the sum over the outputs of (distance from the interval / standard deviation)^2, with the standard
 * deviation of the output over all rows.
 *
 * @param Y N x m, finite
 * @returns length N, finite, 0 where every output lies in its interval
 */
export function lossesOf(intervals: readonly Interval[], Y: Float64Array, N: number): Float64Array {
  return lossesOnScale(intervals, lossScales(intervals, Y, N), Y);
}

/** Length m: the units of the distances in a loss, from the rows of Y (N x m). */
export function lossScales(intervals: readonly Interval[], Y: Float64Array, N: number): Float64Array {
  const m = intervals.length;
  return Float64Array.from(intervals, ({ center }, j) => standardDeviation(Y, N, m, j) || Math.abs(center) || 1);
}

/** The loss of each row of Y (rows of m, finite) with the units of `lossScales`. */
export function lossesOnScale(intervals: readonly Interval[], scales: Float64Array, Y: Float64Array): Float64Array {
  const m = intervals.length;
  const out = new Float64Array(Y.length / m);
  for (let j = 0; j < m; j++) {
    for (let i = 0; i < out.length; i++) {
      const d = distanceTo(intervals[j]!, Y[i * m + j]!) / scales[j]!;
      out[i] = Math.min(Number.MAX_VALUE, out[i]! + d * d);
    }
  }
  return out;
}

/**
 * Standard deviation of column j of Y (N x m), 0 when it is constant; computed relative to the largest entry so that
 * squares cannot overflow.
 */
function standardDeviation(Y: Float64Array, N: number, m: number, j: number): number {
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

/** Orders rows by loss, the smallest first, equal ones by number. */
export function byLoss(loss: Float64Array): (a: number, b: number) => number {
  return (a, b) => loss[a]! - loss[b]! || a - b;
}

/** The row of the incumbent, that is of the smallest loss, the first among equals; -1 without rows. */
export function bestOf(loss: Float64Array): number {
  let best = -1;
  for (let i = 0; i < loss.length; i++) if (best < 0 || loss[i]! < loss[best]!) best = i;
  return best;
}

/**
 * The stall: evaluations since the loss last fell below 0.9 of the smallest before it.
 *
 * @param own number of the first evaluation made for these targets; earlier ones were no attempts to reach them
 */
export function stallOf(loss: Float64Array, own = 0): number {
  let best = Number.POSITIVE_INFINITY;
  let last = 0;
  for (let i = 0; i < loss.length; i++) {
    if (loss[i]! < 0.9 * best || i === 0) last = i;
    best = Math.min(best, loss[i]!);
  }
  return Math.max(0, loss.length - 1 - Math.max(last, own - 1));
}
