/** Targets that a diagnosis says are out of reach, moved so far that they come within reach. Needs no browser. */
import { GOAL_TYPES } from '../../../../../clients/typescript/src/generated/goal-types.ts';
import type { Diagnosis } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../columns.ts';
import { isInside, sumOfDistances } from '../distances.ts';

/** One end of an interval that would have to move. */
export interface Move {
  /** Zero-based number of the output. */
  readonly output: number;
  readonly end: 'lower' | 'upper';
  /** Where it is, and where it would have to be, in output units. */
  readonly from: number;
  readonly to: number;
}

type Targets = Pick<
  Head,
  'objectives' | 'objectiveTypes' | 'intervals' | 'minimumBounds' | 'maximumBounds' | 'l1Threshold' | 'desiredL1Norm'
>;

/** The output that the relaxed targets allow: that of the best run. */
export function reachedBy(
  { bestOutput }: Pick<Head, 'bestOutput'>,
  { nearestOutput }: Pick<Diagnosis, 'nearestOutput'>,
) {
  return bestOutput ?? nearestOutput;
}

/** The ends that have to move for an output to meet the targets, no farther than needed; none for exact objectives, of which the sum counts. */
export function movesOf(targets: Targets, reached: readonly number[]): readonly Move[] {
  if (targets.l1Threshold !== null) return [];
  return targets.intervals.flatMap((interval, output) => {
    const value = reached[output]!;
    if (isInside(interval, value)) return [];
    const end = interval.upper === null || (interval.lower !== null && value < interval.lower) ? 'lower' : 'upper';
    const from = interval[end]!;
    const ends = [0, 1].map((more) =>
      tidy(end === 'lower' ? from - amount(from, value, more) : from + amount(from, value, more)),
    );
    const to = ends.find((one) => isMet(targets, { output, end, from, to: one }, value)) ?? ends[1]!;
    return [{ output, end, from, to }];
  });
}

/** The sum of distances that exact objectives would have to allow; null for others. */
export function allowanceOf(targets: Targets, reached: readonly number[]): number | null {
  return targets.l1Threshold === null
    ? null
    : tidy(
        targets.l1Threshold +
          amount(targets.l1Threshold, sumOfDistances(reached.map((value, j) => value - targets.objectives[j]!)), 0),
      );
}

/** Whether a value meets its target once the end is moved: the rules of the service for these types, in its order of operations. */
function isMet(targets: Targets, move: Move, value: number): boolean {
  const relaxed = relax(targets, [move], [move.to], null);
  const { output, end } = move;
  const target = relaxed.objectives[output]!;
  const type = targets.objectiveTypes[output]!;
  const bound = (end === 'lower' ? relaxed.minimumBounds : relaxed.maximumBounds)?.[output] ?? 0;
  const [reached, limit] =
    type === 'percent'
      ? [(100 * (value - target)) / Math.abs(target), bound]
      : [value, type === 'value' ? target + bound : target];
  if (type === 'lessthan' || type === 'greaterthan') return end === 'lower' ? reached > limit : reached < limit;
  return end === 'lower' ? reached >= limit : reached <= limit;
}

/** As a new objective takes them; no bounds where no output has any. */
interface Relaxed {
  readonly objectives: (number | null)[];
  readonly minimumBounds?: (number | null)[];
  readonly maximumBounds?: (number | null)[];
  readonly desiredL1Norm: number;
}

/**
 * The targets with the ends moved. A bound of percent and value moves; of the other types the target itself.
 *
 * @param to         new ends, one per move
 * @param allowance  the sum of distances that exact objectives allow; null leaves it
 */
export function relax(
  targets: Targets,
  moves: readonly Move[],
  to: readonly number[],
  allowance: number | null,
): Relaxed {
  const objectives = [...targets.objectives];
  const minimumBounds = [...targets.minimumBounds];
  const maximumBounds = [...targets.maximumBounds];
  moves.forEach(({ output, end }, i) => {
    const type = targets.objectiveTypes[output]!;
    const value = to[i]!;
    if (!GOAL_TYPES[type].hasBounds) {
      objectives[output] = value;
      return;
    }
    const offset = value - objectives[output]!;
    const bound = tidy(type === 'percent' ? (100 * offset) / Math.abs(objectives[output]!) : offset);
    if (end === 'lower') minimumBounds[output] = bound;
    else maximumBounds[output] = bound;
  });
  const hasBounds = minimumBounds.length > 0;
  return {
    objectives,
    desiredL1Norm: allowance ?? targets.desiredL1Norm,
    ...(hasBounds && { minimumBounds, maximumBounds }),
  };
}

/** By how much an end has to move, rounded up to four digits, and some more of the last one. At the limit of a strict inequality it is 0. */
function amount(from: number, value: number, more: number): number {
  const distance = tidy(Math.abs(value - from));
  const size = distance === 0 ? Math.abs(from) || 1 : distance;
  const unit = 10 ** (Math.floor(Math.log10(size)) - 3);
  return (Math.ceil(tidy(distance / unit)) + more) * unit;
}

/** Without the noise of the last digits. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
