import type { Goal, Target } from '../interface/problem.ts';

/** The target of one output as the search sees it: a closed interval, and the value to model around. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
  /** Centre of a two-sided interval, the finite end of a one-sided one, 0 without a finite end. */
  readonly center: number;
  /** True for minimize and maximize, where values beyond the end are better still. */
  readonly directed: boolean;
  /** For an output that is to come near to its centre: the standard error by which a miss is measured. */
  readonly sigma?: number;
  /** Set for a limit whose output has the value of its finite end wherever it is kept: models go on inside, outputs do not. */
  readonly isCutOff?: true;
  /** Factor on the log probability of the output in the acquisition and on its part of the loss. */
  readonly weight: number;
}

/** True for an output to minimize or maximize without aspiration, a coordinate of a front. */
export function isOpenEnded({ lower, upper, direction }: Target): boolean {
  return direction !== 'none' && lower === Number.NEGATIVE_INFINITY && upper === Number.POSITIVE_INFINITY;
}

/** True when an output is to be minimized or maximized without aspiration. */
export function hasFront(intervals: readonly Interval[]): boolean {
  return intervals.some(({ lower, upper, directed }) => directed && !Number.isFinite(lower) && !Number.isFinite(upper));
}

/** An output whose standard deviation is below this share of its magnitude varies by rounding only: it is constant. */
export const ROUNDING = 1e-14;

/**
 * The search aims this far inside the end of a strict inequality, where reaching the end is a miss; relative to the larger
 * of the end and the standard deviation of the output.
 */
const OPEN_MARGIN = 1e-9;

/** @param mean of the known values, which a target without ends is modelled around */
function toInterval(target: Target, sd: number, mean: number): Interval {
  let { lower, upper } = target;
  const inside = (end: number) => OPEN_MARGIN * Math.max(Math.abs(end), sd, Number.MIN_VALUE / OPEN_MARGIN);
  if (target.lowerOpen && Number.isFinite(lower)) lower = Math.min(Number.MAX_VALUE, lower + inside(lower));
  if (target.upperOpen && Number.isFinite(upper)) upper = Math.max(-Number.MAX_VALUE, upper - inside(upper));
  if (lower > upper) lower = upper = target.lower / 2 + target.upper / 2;
  return {
    lower,
    upper,
    center: isOpenEnded(target) ? mean : centerOf(lower, upper),
    directed: target.direction !== 'none',
    ...(target.sigma !== undefined && { sigma: target.sigma }),
    weight: 1,
  };
}

function centerOf(lower: number, upper: number): number {
  if (Number.isFinite(lower)) return Number.isFinite(upper) ? lower / 2 + upper / 2 : lower;
  return Number.isFinite(upper) ? upper : 0;
}

/** Share of the weight of an output while outputs of higher priority have not been met together. */
const WAITING_SHARE = 0.01;

/**
 * The intervals of a goal, one per output, with their weights.
 *
 * @param Y N x m, finite: the known outputs, which give the scale of each
 */
export function toIntervals(goal: Goal, Y: Float64Array, N: number): Interval[] {
  const { targets, weights, priorities } = goal;
  const m = targets.length;
  const intervals = targets.map((target, j) => toInterval(target, standardDeviation(Y, N, m, j), meanOf(Y, N, m, j)));
  if (!weights && !priorities) return intervals;
  const reached = priorities ? reachedPriority(intervals, priorities, Y, N) : Number.POSITIVE_INFINITY;
  return intervals.map((interval, j) => {
    const share = priorities && priorities[j]! > reached ? WAITING_SHARE : 1;
    return { ...interval, weight: (weights?.[j] ?? 1) * share };
  });
}

/** The smallest priority whose outputs no case meets together with those before it; infinity when one case meets all. */
export function reachedPriority(
  intervals: readonly Interval[],
  priorities: readonly number[],
  Y: Float64Array,
  N: number,
): number {
  const m = intervals.length;
  let reached = N === 0 ? Math.min(...priorities) : Number.NEGATIVE_INFINITY;
  for (let i = 0; i < N; i++) {
    const missed = priorities.filter((_, j) => distanceTo(intervals[j]!, Y[i * m + j]!) > 0);
    reached = Math.max(reached, Math.min(...missed, Number.POSITIVE_INFINITY));
  }
  return reached;
}

/** The intervals with equal weights: for predictions and verdicts, which do not depend on weights. */
export function unweighted(intervals: readonly Interval[]): readonly Interval[] {
  return intervals.some(({ weight }) => weight !== 1) ? intervals.map((one) => ({ ...one, weight: 1 })) : intervals;
}

/** True with an output to minimize or maximize. */
export function isDirected(intervals: readonly Interval[]): boolean {
  return intervals.some(({ directed }) => directed);
}

/** 1 where smaller values of a directed output are better, else -1. */
export function improvementSign({ upper }: Interval): 1 | -1 {
  return Number.isFinite(upper) ? 1 : -1;
}

/** Whether an output is neither directed nor part of a fit, so that it can be met. */
export function isLimit({ directed, sigma }: Interval): boolean {
  return !directed && sigma === undefined;
}

/** Whether all limits are met. @param Y outputs, of which the m from `offset` count */
export function meetsLimits(intervals: readonly Interval[], Y: ArrayLike<number>, offset = 0): boolean {
  return intervals.every((interval, j) => !isLimit(interval) || distanceTo(interval, Y[offset + j]!) === 0);
}

/** The L1 norm of the deviations from the centre of an exact goal. @param at the value of output j */
export function l1NormOf({ center }: NonNullable<Goal['l1']>, at: (j: number) => number): number {
  return center.reduce((sum, one, j) => sum + Math.abs(at(j) - one), 0);
}

/** Distance of y from the interval, 0 inside. */
export function distanceTo(interval: Interval, y: number): number {
  if (y < interval.lower) return interval.lower - y;
  return y > interval.upper ? y - interval.upper : 0;
}

/**
 * The loss of each case: the weighted sum over the outputs of (distance from the interval / standard deviation)^2, with the
 * standard deviation of the output over all rows or, of one that is to come near to a value, with its standard error.
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
  return Float64Array.from(
    intervals,
    ({ center, sigma }, j) => sigma ?? (standardDeviation(Y, N, m, j) || Math.abs(center) || 1),
  );
}

/** The loss of each row of Y (rows of m, finite) with the units of `lossScales`. */
export function lossesOnScale(intervals: readonly Interval[], scales: Float64Array, Y: Float64Array): Float64Array {
  const m = intervals.length;
  const out = new Float64Array(Y.length / m);
  for (let j = 0; j < m; j++) {
    for (let i = 0; i < out.length; i++) {
      const d = distanceTo(intervals[j]!, Y[i * m + j]!) / scales[j]!;
      out[i] = Math.min(Number.MAX_VALUE, out[i]! + intervals[j]!.weight * (d * d));
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

/** Mean of column j of Y (N x m), 0 without rows. */
function meanOf(Y: Float64Array, N: number, m: number, j: number): number {
  let mean = 0;
  for (let i = 0; i < N; i++) mean += Y[i * m + j]! / N;
  return mean;
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
