import { distanceTo, type Interval } from '../goal/targets.ts';
import type { Diagnosis } from '../interface/insights.ts';
import type { Goal } from '../interface/problem.ts';

export interface Conflicts {
  /** Outputs that cannot be met even alone. */
  readonly alone: readonly number[];
  /** Pairs of the others that cannot be met together. */
  readonly conflicts: readonly [number, number][];
}

/**
 * The conflicts among some outputs.
 *
 * @param outputs ascending
 * @param isOutOfReach whether the given outputs cannot be met together
 */
export function conflictsAmong(
  outputs: readonly number[],
  isOutOfReach: (outputs: readonly number[]) => boolean,
): Conflicts {
  const alone = outputs.filter((j) => isOutOfReach([j]));
  const others = outputs.filter((j) => !alone.includes(j));
  const conflicts = others.flatMap((j, index) =>
    others.slice(index + 1).flatMap((k): [number, number][] => (isOutOfReach([j, k]) ? [[j, k]] : [])),
  );
  return { alone, conflicts };
}

/** The diagnosis for a given nearest point. */
export function toDiagnosis(
  goal: Goal,
  intervals: readonly Interval[],
  nearest: Pick<Diagnosis, 'nearestInput' | 'nearestOutput' | 'nearestIs'>,
  { alone, conflicts }: Conflicts,
): Diagnosis {
  const { l1 } = goal;
  const finite = (value: number) => Math.min(Number.MAX_VALUE, value);
  // JSON has no -0.
  const plain = (values: readonly number[]) => values.map((value) => value + 0);
  const gaps = nearest.nearestOutput.map((y, j) =>
    finite(l1 ? Math.abs(y - l1.center[j]!) : distanceTo(intervals[j]!, y)),
  );
  const unmet = gaps.flatMap((distance, j) =>
    distanceTo(intervals[j]!, nearest.nearestOutput[j]!) > 0
      ? [{ output: j, distance, isOutOfReachAlone: alone.includes(j) }]
      : [],
  );
  return {
    nearestInput: plain(nearest.nearestInput),
    nearestOutput: plain(nearest.nearestOutput),
    nearestIs: nearest.nearestIs,
    l1Norm: l1 ? finite(gaps.reduce((sum, gap) => sum + gap, 0)) : null,
    unmet,
    conflicts,
  };
}
