/** The least relaxation that the best run meets, as the service finds it, and as a person changes it. Needs no browser. */
import { type Gauged, GOAL_TYPES, gaugeOf } from '../../../../../clients/typescript/src/generated/goal-types.ts';
import type { Diagnosis } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';

/** One end of an interval that would have to move. */
export interface Move {
  /** Zero-based number of the output. */
  readonly output: number;
  readonly end: 'lower' | 'upper';
  /** Position that the end would need, in output units. */
  readonly to: number;
}

type Targets = Pick<
  Head,
  keyof Gauged | 'objectiveTypes' | 'intervals' | 'minimumBounds' | 'maximumBounds' | 'l1Threshold' | 'desiredL1Norm'
>;

/** As the service proposes targets. */
export type Proposed = NonNullable<Diagnosis['relaxed']>;

const BOUNDS = { lower: 'minimumBounds', upper: 'maximumBounds' } as const;

/** The ends that the proposal moves; none for exact objectives, of which the sum counts. */
export function movesOf(targets: Targets, proposed: Proposed): readonly Move[] {
  if (targets.l1Threshold !== null) return [];
  return targets.intervals.flatMap(({ upper }, output): Move[] => {
    const target = targets.objectives[output]!;
    const { offsets } = GOAL_TYPES[targets.objectiveTypes[output]!];
    if (offsets === null) {
      const to = proposed.objectives[output]!;
      return to === target ? [] : [{ output, end: upper === null ? 'lower' : 'upper', to }];
    }
    const gauge = gaugeOf(targets, output);
    return (['lower', 'upper'] as const).flatMap((end) => {
      const bound = proposed[BOUNDS[end]][output]!;
      if (bound === targets[BOUNDS[end]][output]) return [];
      return [{ output, end, to: tidy(target + offsets.toUnits(bound, gauge)) }];
    });
  });
}

/** As a new objective takes them; no bounds where no output has any. */
interface Relaxed {
  readonly objectives: (number | null)[];
  readonly minimumBounds?: (number | null)[];
  readonly maximumBounds?: (number | null)[];
  readonly desiredL1Norm: number;
}

/**
 * The targets with the ends moved. Of a type with bounds a bound moves; of the others the target itself.
 *
 * @param to         new ends, one per move; an end that is where it was proposed becomes what the service proposed, with all digits
 * @param allowance  the sum of distances that exact objectives allow; null leaves it
 */
export function relax(
  targets: Targets,
  { proposed, moves }: { readonly proposed: Proposed; readonly moves: readonly Move[] },
  to: readonly number[],
  allowance: number | null,
): Relaxed {
  const objectives = [...targets.objectives];
  const bounds = { minimumBounds: [...targets.minimumBounds], maximumBounds: [...targets.maximumBounds] };
  moves.forEach((move, i) => {
    const { output, end } = move;
    const isProposed = to[i] === move.to;
    const { offsets } = GOAL_TYPES[targets.objectiveTypes[output]!];
    if (offsets === null) {
      objectives[output] = to[i]!;
      return;
    }
    const target = targets.objectives[output]!;
    const offset = tidy(offsets.fromUnits(to[i]! - target, gaugeOf(targets, output)));
    bounds[BOUNDS[end]][output] = isProposed ? proposed[BOUNDS[end]][output]! : offset;
  });
  return {
    objectives,
    desiredL1Norm: allowance ?? targets.desiredL1Norm,
    ...(bounds.minimumBounds.length > 0 && bounds),
  };
}

/** Without the noise of the last digits. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
