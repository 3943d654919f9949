/** How far outputs are from what is wanted. The service judges: this only subtracts from its intervals. Needs no browser. */
import type { Ends } from '../../parts/formats.ts';
import type { Columns, Head } from './columns.ts';

type Goal = Pick<Head, 'intervals' | 'tolerances' | 'l1Threshold' | 'objectives'>;
type Runs = Pick<Columns, 'count' | 'outputs' | 'excluded'>;

/** Whether the value lies in the interval; an open end does not belong to it. */
export function isInside({ lower, upper, lowerOpen, upperOpen }: Ends, value: number): boolean {
  if (lower !== null && (lowerOpen ? !(value > lower) : !(value >= lower))) return false;
  return upper === null || (upperOpen ? value < upper : value <= upper);
}

/** In output units; 0 inside and at either end. */
function outside({ lower, upper }: Ends, value: number): number {
  return Math.max(0, lower === null ? 0 : lower - value, upper === null ? 0 : value - upper);
}

/** A value at an open end is not met, however near. */
const SMALLEST = Number.MIN_VALUE;

/**
 * 0 exactly where the output is met. For exact, which judges the sum of all outputs, the distance from the target.
 *
 * @param unit  in output units; 1 unless given
 */
export function distanceOf(goal: Goal, j: number, value: number, unit = 1): number {
  if (goal.l1Threshold !== null) return Math.abs(value - goal.objectives[j]!) / unit;
  const interval = goal.intervals[j]!;
  return isInside(interval, value) ? 0 : Math.max(SMALLEST, outside(interval, value) / unit);
}

/** How many outputs of a run are met, and its distances in tolerances: of the worst output, and summed. NaN without an output. */
export interface Distances {
  readonly worst: Float64Array;
  readonly sum: Float64Array;
  readonly metCounts: Float64Array;
}

export function measureRuns(goal: Goal, { count, outputs }: Runs): Distances {
  const worst = new Float64Array(count);
  const sum = new Float64Array(count);
  const metCounts = new Float64Array(count);
  const isExact = goal.l1Threshold !== null;
  for (let j = 0; j < outputs.length; j++) {
    const column = outputs[j]!;
    const tolerance = isExact ? 1 : goal.tolerances[j]!;
    for (let row = 0; row < count; row++) {
      const value = column[row]!;
      // Also where the output is missing: NaN stays NaN.
      const miss = Number.isNaN(value) ? value : distanceOf(goal, j, value, tolerance);
      sum[row]! += miss;
      if (!(miss <= worst[row]!)) worst[row] = miss;
      metCounts[row]! += Number.isNaN(value) ? Number.NaN : Number(miss === 0);
    }
  }
  if (isExact) judgeTogether(goal.l1Threshold!, outputs.length, { worst, sum, metCounts });
  return { worst, sum, metCounts };
}

/** All outputs are met or none, by the sum of their distances. */
function judgeTogether(threshold: number, outputCount: number, { worst, sum, metCounts }: Distances): void {
  for (let row = 0; row < sum.length; row++) {
    const total = sum[row]!;
    if (Number.isNaN(total)) continue;
    worst[row] = total <= threshold ? 0 : Math.max(SMALLEST, (total - threshold) / threshold);
    sum[row] = worst[row]! * outputCount;
    metCounts[row] = total <= threshold ? outputCount : 0;
  }
}

/** Of one output, in its unit. NaN without an output. */
export function distancesOfOutput(goal: Goal, { outputs }: Runs, j: number): Float64Array {
  return outputs[j]!.map((value) => (Number.isNaN(value) ? value : distanceOf(goal, j, value)));
}

/** Which outputs are met. */
export function verdictsOn(goal: Goal, output: readonly number[]): readonly boolean[] {
  if (goal.l1Threshold === null) return output.map((value, j) => isInside(goal.intervals[j]!, value));
  return output.map(() => totalDistance(goal, output) <= goal.l1Threshold!);
}

/** Summed over the outputs, in output units: what `exact` is judged by. */
export function totalDistance(goal: Pick<Goal, 'objectives'>, output: readonly number[]): number {
  return output.reduce((sum, value, j) => sum + Math.abs(value - goal.objectives[j]!), 0);
}

/** The smallest value up to each run; NaN before the first. Excluded runs do not count. */
export function smallestSoFar(values: Float64Array, { excluded }: Pick<Columns, 'excluded'>): Float64Array {
  let smallest = Number.NaN;
  return values.map((value, row) => {
    if (!excluded[row] && !(value >= smallest) && !Number.isNaN(value)) smallest = value;
    return smallest;
  });
}

/** Outputs in order of how far the best run is from meeting them, in tolerances; without a run as they are. */
export function worstFirst(goal: Goal, output: readonly number[] | null): readonly number[] {
  const order = goal.objectives.map((_, j) => j);
  if (output === null) return order;
  const misses = order.map((j) => distanceOf(goal, j, output[j]!, goal.tolerances[j]));
  return order.sort((a, b) => misses[b]! - misses[a]! || a - b);
}

export interface Span {
  readonly low: number;
  readonly high: number;
}

/** From the smallest to the largest number; undefined without any. */
export function spanOf(column: Float64Array): Span | undefined {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of column) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? { low, high } : undefined;
}
