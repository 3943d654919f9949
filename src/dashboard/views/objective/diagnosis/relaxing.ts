/** Targets that a diagnosis says are out of reach, moved so far that they come within reach. Needs no browser. */
import type { Diagnosis, NewObjectives } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../columns.ts';

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

/** All ends that would have to move; none for exact objectives, of which the sum counts. */
export function movesOf(targets: Targets, { unmet, nearestOutput }: Diagnosis): readonly Move[] {
  if (targets.l1Threshold !== null) return [];
  return unmet.flatMap(({ number: output, relaxBy }) => {
    const { lower, upper } = targets.intervals[output]!;
    const end = upper === null || (lower !== null && nearestOutput[output]! < lower) ? 'lower' : 'upper';
    const from = end === 'lower' ? lower : upper;
    if (from === null) return [];
    const scale = targets.objectiveTypes[output] === 'percent' ? Math.abs(targets.objectives[output]!) / 100 : 1;
    const by = roundUp(relaxBy) * scale;
    return [{ output, end, from, to: tidy(end === 'lower' ? from - by : from + by) }];
  });
}

/** The sum of distances that exact objectives would have to allow; null for others. */
export function allowanceOf({ l1Threshold }: Targets, { l1Norm }: Diagnosis): number | null {
  return l1Threshold === null || l1Norm === null ? null : tidy(l1Threshold + roundUp(l1Norm - l1Threshold));
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
): Pick<NewObjectives, 'objectives' | 'minimumBounds' | 'maximumBounds' | 'desiredL1Norm'> {
  const objectives = [...targets.objectives];
  const minimumBounds = [...targets.minimumBounds];
  const maximumBounds = [...targets.maximumBounds];
  moves.forEach(({ output, end }, i) => {
    const type = targets.objectiveTypes[output]!;
    const value = to[i]!;
    if (type !== 'percent' && type !== 'value') {
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

/** To two digits, never below: what is an estimate needs no more, and the end should not be short of what was reached. */
function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const rounded = Number(value.toPrecision(2));
  if (rounded >= value) return rounded;
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((rounded + unit).toPrecision(2));
}

/** Without the noise of the last digits. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
