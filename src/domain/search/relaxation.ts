/** The least relaxation of the targets of an objective with which a run meets them all. */

import { toFinite } from '../vectors.ts';
import { compileGoal, isInside } from './acceptance.ts';
import type { ObjectiveDefinition } from './objective.ts';
import type { SearchOptions } from './search-options.ts';
import { toleranceOf } from './tolerances.ts';

/** As a new objective takes them. */
export interface RelaxedTargets {
  readonly objectives: (number | null)[];
  /** Empty where no output has bounds. */
  readonly minimumBounds: (number | null)[];
  readonly maximumBounds: (number | null)[];
  readonly desiredL1Norm: number;
}

/** Digits of the amount by which an end moves; it is rounded up. */
const DIGITS = 4;
/** Units of the last digit that are added until the rounded end is one that the run meets. */
const TRIES = 4;

/**
 * The targets with every end that the output misses moved until the output meets it, and no farther than four digits of the amount
 * show. Of a type with bounds a bound moves, of the others the target itself; for exact the L1 norm that is allowed.
 *
 * @returns null for an output that meets everything
 */
export function leastRelaxation(definition: ObjectiveDefinition, output: readonly number[]): RelaxedTargets | null {
  const { targets, l1 } = compileGoal(definition);
  if (l1 !== null) return relaxedNorm(definition, l1, output);
  const missed = targets.flatMap((interval, j) => (isInside(interval, output[j]!) ? [] : [j]));
  if (missed.length === 0) return null;
  return missed.reduce((relaxed, j) => {
    const isBelow = output[j]! <= targets[j]!.lower;
    for (let more = 0; more < TRIES; more++) {
      const moved = moveEnd(relaxed, definition, { j, isBelow, y: output[j]!, more });
      if (isInside(compileGoal({ ...definition, ...moved } as ObjectiveDefinition).targets[j]!, output[j]!))
        return moved;
    }
    return relaxed;
  }, toRelaxed(definition));
}

function toRelaxed({ objectives, minimumBounds, maximumBounds, desiredL1Norm }: ObjectiveDefinition): RelaxedTargets {
  return {
    objectives: [...objectives],
    minimumBounds: [...minimumBounds],
    maximumBounds: [...maximumBounds],
    desiredL1Norm,
  };
}

function relaxedNorm(
  definition: ObjectiveDefinition,
  { center, threshold }: { readonly center: readonly number[]; readonly threshold: number },
  output: readonly number[],
): RelaxedTargets | null {
  const norm = output.reduce((sum, y, j) => sum + Math.abs(y - center[j]!), 0);
  if (norm <= threshold) return null;
  return { ...toRelaxed(definition), desiredL1Norm: toFinite(threshold + amount(threshold, norm, 0)) };
}

interface Missed {
  readonly j: number;
  readonly isBelow: boolean;
  readonly y: number;
  /** Units of the last digit. */
  readonly more: number;
}

function moveEnd(
  relaxed: RelaxedTargets,
  definition: ObjectiveDefinition,
  { j, isBelow, y, more }: Missed,
): RelaxedTargets {
  const target = definition.objectives[j]!;
  const tolerance = toleranceOf(definition, j);
  const move = (from: number, to: number) =>
    tidy(isBelow ? from - amount(from, to, more) : from + amount(from, to, more));
  if (tolerance === null) return { ...relaxed, objectives: relaxed.objectives.with(j, toFinite(move(target, y))) };
  const side = isBelow ? 'minimumBounds' : 'maximumBounds';
  const wanted = tolerance.fromUnits(y - target);
  return { ...relaxed, [side]: relaxed[side].with(j, toFinite(move(relaxed[side][j]!, wanted))) };
}

/** By how much an end has to move, rounded up. At the limit of a strict inequality the distance is 0. */
function amount(from: number, to: number, more: number): number {
  const distance = tidy(Math.abs(to - from));
  const size = distance === 0 ? Math.abs(from) || 1 : distance;
  const unit = 10 ** (Math.floor(Math.log10(size)) - (DIGITS - 1));
  return (Math.ceil(tidy(distance / unit)) + more) * unit;
}

/** Without the noise of the last digits. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** Whether a run that meets everything ends a search with these options. */
export function endsSearch({ options }: { readonly options: SearchOptions | null }): boolean {
  const { confirm, confidence, solutions, aimAtRobustness } = options ?? {};
  return [confirm, confidence, solutions, aimAtRobustness].every((one) => one === undefined);
}
