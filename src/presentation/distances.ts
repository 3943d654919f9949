/** Measures how far runs are from their targets, by the misses that the service sends. Needs no browser. */

import type { Columns, Head } from './columns.ts';
import { type Ends, rough } from './formats.ts';

/** True if the value lies in the interval; an open end does not belong to it. For values that the service has not judged. */
export function isInside({ lower, upper, lowerOpen, upperOpen }: Ends, value: number): boolean {
  if (lower !== null && (lowerOpen ? !(value > lower) : !(value >= lower))) return false;
  return upper === null || (upperOpen ? value < upper : value <= upper);
}

type Asked = Pick<Head, 'objectiveTypes'> & Partial<Pick<Head, 'objectives'>>;

/** Whether a run can meet an output by itself: not one that is fitted to data, which count together, nor one without a target. */
function canBeMet({ objectiveTypes, objectives }: Asked, j: number): boolean {
  return objectiveTypes[j] !== 'fit' && objectives?.[j] !== null;
}

/** Number of outputs that a run can meet. */
export function judgedCount(asked: Asked): number {
  return countMet(asked, () => true);
}

/** Number of these that a run meets, as every view tells it. */
export function countMet(asked: Asked, isMet: (j: number) => boolean): number {
  const outputs = [...(asked.objectives ?? asked.objectiveTypes).keys()];
  return outputs.filter((j) => canBeMet(asked, j) && isMet(j)).length;
}

/**
 * Number of outputs of a run that are met (countMet), and its distances in tolerances: of the worst output, and summed.
 * NaN without an output.
 */
export interface Distances {
  readonly worst: Float64Array;
  readonly sum: Float64Array;
  readonly metCounts: Float64Array;
}

export function measureRuns(
  { count, misses }: Pick<Columns, 'count' | 'misses'>,
  objectiveTypes: Head['objectiveTypes'] = [],
  objectives: Head['objectives'] = [],
): Distances {
  const worst = new Float64Array(count);
  const sum = new Float64Array(count);
  misses.forEach((column) => {
    for (let row = 0; row < count; row++) {
      // NaN stays NaN.
      const miss = column[row]!;
      sum[row]! += miss;
      if (!(miss <= worst[row]!)) worst[row] = miss;
    }
  });
  // Every output counts if nothing else is known.
  const asked = { objectiveTypes, objectives: misses.map((_, j) => objectives[j]) as Head['objectives'] };
  const metCounts = worst.map((miss, row) =>
    Number.isNaN(miss) ? miss : countMet(asked, (j) => misses[j]![row] === 0),
  );
  return { worst, sum, metCounts };
}

/** Whether some outputs count together, as their misfit. */
export function isFit({ objectiveTypes }: Pick<Head, 'objectiveTypes'>): boolean {
  return objectiveTypes.includes('fit');
}

/** A value at a limit that is not part of its interval is not met, however near. */
const SMALLEST = Number.MIN_VALUE;

/** Distance of one output, in its unit: 0 if it is met; for exact the distance from the target. */
export function distanceOf(miss: number, missedBy: number): number {
  return miss > 0 && missedBy === 0 ? SMALLEST : Math.abs(missedBy);
}

/** Distance of one output in every run. NaN without an output. */
export function distancesOfOutput({ misses, missedBy }: Pick<Columns, 'misses' | 'missedBy'>, j: number): Float64Array {
  return missedBy[j]!.map((by, row) => distanceOf(misses[j]![row]!, by));
}

export function sumOfDistances(missedBy: readonly number[]): number {
  return missedBy.reduce((sum, by) => sum + Math.abs(by), 0);
}

/** Columns that tell which of an objective's own runs may be its answer. */
export type Counted = Pick<Columns, 'excluded' | 'sources' | 'inverseIds' | 'iterations'>;
/** An older process of the service, during an upgrade, does not send it. */
export type Start = Partial<Pick<Head, 'startBreaksLimit'>>;

/** Not an excluded run, one of a cheaper source, nor an initial point that breaks a limit, by the rule of the service. */
function mayBeAnswer({ excluded, sources, inverseIds, iterations }: Counted, { startBreaksLimit }: Start, row: number) {
  return !excluded[row] && !sources.has(inverseIds[row]!) && !(startBreaksLimit && iterations[row] === 1);
}

/** The smallest value up to each run that may be the answer; NaN before the first. */
export function smallestSoFar(values: Float64Array, columns: Counted, start: Start): Float64Array {
  let smallest = Number.NaN;
  return values.map((value, row) => {
    if (!(value >= smallest) && !Number.isNaN(value) && mayBeAnswer(columns, start, row)) smallest = value;
    return smallest;
  });
}

/** The misfit of the best run up to each: one that misses a limit is never the best fit. */
export function leastMisfits(
  columns: Pick<Columns, 'misfits'> & Counted,
  { worst }: Distances,
  start: Start,
): Float64Array {
  return smallestSoFar(
    columns.misfits.map((misfit, row) => (worst[row] === 0 ? misfit : Number.NaN)),
    columns,
    start,
  );
}

/** Outputs in order of how far the best run is from meeting them, in tolerances; without a run as they are. */
export function worstFirst({
  objectives,
  bestMisses: misses,
  bestMissedBy: missedBy,
}: Pick<Head, 'objectives' | 'bestMisses' | 'bestMissedBy'>): readonly number[] {
  const order = objectives.map((_, j) => j);
  if (misses === null || missedBy === null) return order;
  // Exact outputs all have the same miss.
  return order.sort((a, b) => misses[b]! - misses[a]! || Math.abs(missedBy[b]!) - Math.abs(missedBy[a]!) || a - b);
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

/** A distance of a run in a few words. @param hasMet  whether 0 means that everything is met; a misfit only gets smaller */
export function distanceText(distance: number | undefined, hasMet: boolean): string {
  if (distance === undefined || Number.isNaN(distance)) return 'no output';
  return distance === 0 && hasMet ? 'met' : rough(distance);
}
