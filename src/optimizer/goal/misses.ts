/** Misses in tolerances, by which compromises are compared: the rule of `best` (src/domain/search/nearest.ts), with weights and priorities. */
import { missShares } from '../../numbers/miss-shares.ts';
import type { Goal, Target } from '../interface/problem.ts';
import { distanceTo, type Interval, isLimit, l1NormOf, reachedPriority } from './targets.ts';

/**
 * Distance inside its interval, in tolerances, at which an output with priority is aimed; otherwise the others would draw it just outside.
 */
const INSIDE = 0.01;
/** Share of a single end that is its tolerance. */
const SHARE = 0.01;

/** Measures the distance of an output vector from what counts; see `makeMisses`. */
export interface Misses {
  /** Length m, output units: a miss of 1 in the measure, infinite for an output that does not count. */
  readonly units: Float64Array;
  /** The intervals at which the outputs are aimed. */
  readonly intervals: readonly Interval[];
  /** The worst miss of the outputs from `offset` on, 0 where all that count are met. */
  worstOf(Y: ArrayLike<number>, offset: number): number;
}

/**
 * The measure of a compromise: the worst miss in tolerances, each times its weight, where the largest weight is 1 and a miss of a lower
 * priority counts next to nothing beside one that no case meets yet. Outputs to minimize or maximize do not count beside others, and the
 * residuals of a fit never do. For an exact goal it is the L1 norm beyond the threshold, in thresholds.
 *
 * @param Y N x m, which say what priorities are met
 */
export function makeMisses(goal: Goal, intervals: readonly Interval[], Y: Float64Array, N: number): Misses {
  const { priorities } = goal;
  const areAllDirected = intervals.every(({ directed }) => directed);
  const counts = intervals.map((one) => isLimit(one) || areAllDirected);
  const reached = priorities ? reachedPriority(intervals, priorities, Y, N) : 1;
  const level = Number.isFinite(reached) ? reached : 1;
  const shares = missShares(intervals.length, goal, level);
  const units = shares.map((share, j) => (counts[j] ? toleranceOf(goal, j) / share : Number.POSITIVE_INFINITY));
  return measureBy(goal, intervals, units);
}

/** The measure of a goal that may be met: the worst miss in tolerances, all outputs alike. */
export function plainMisses(goal: Goal, intervals: readonly Interval[]): Misses {
  return measureBy(
    goal,
    intervals,
    Float64Array.from(intervals, (_, j) => toleranceOf(goal, j)),
  );
}

function measureBy(goal: Goal, intervals: readonly Interval[], units: Float64Array): Misses {
  const { l1, priorities } = goal;
  const worstOf = (values: ArrayLike<number>, offset: number) => {
    if (l1) return Math.max(0, l1NormOf(l1, (j) => values[offset + j]!) / l1.threshold - 1);
    let worst = 0;
    for (let j = 0; j < units.length; j++) {
      worst = Math.max(worst, distanceTo(intervals[j]!, values[offset + j]!) / units[j]!);
    }
    return worst;
  };
  const last = Math.max(...(priorities ?? [1]));
  const aimed = intervals.map((one, j) =>
    (priorities?.[j] ?? last) < last ? narrowed(one, INSIDE * toleranceOf(goal, j)) : one,
  );
  return { units, intervals: aimed, worstOf };
}

function narrowed(interval: Interval, by: number): Interval {
  return { ...interval, lower: interval.lower + by, upper: interval.upper - by };
}

/** In output units; that of an exact goal is of all outputs together. */
export function toleranceOf({ targets, l1 }: Goal, j: number): number {
  return Math.max(Number.MIN_VALUE, l1?.threshold ?? widthOf(targets[j]!));
}

function widthOf({ lower, upper }: Target): number {
  if (Number.isFinite(lower) && Number.isFinite(upper)) return upper / 2 - lower / 2;
  const end = [lower, upper].find(Number.isFinite) ?? 100;
  return SHARE * (Math.abs(end) || 1);
}
