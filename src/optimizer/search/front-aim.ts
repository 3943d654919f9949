/** The aim of the search for a front. */

import { nonDominated } from '../../numbers/pareto.ts';
import { HypervolumeImprovement } from '../acquisition/hypervolume-improvement.ts';
import type { Cases } from '../goal/cases.ts';
import { frontOf, type OpenOutput, pointsOf, referenceOf } from '../goal/front.ts';
import { freeBoxes } from '../numerics/hypervolume.ts';
import type { RandomStream } from '../numerics/random.ts';
import type { SearchSpace } from '../space/search-space.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';

/** Every so many suggestions one seeks the least value of one output alone, while no reference is stated. */
const BETWEEN_ENDS = 6;
/** Every so many suggestions a stated reference is left aside. */
const BEYOND_REFERENCE = 3;
/** Points to start from: on lines through two inputs of the front, and around one. */
const STARTS = { between: 150, around: 50 };
/** The lines go beyond both inputs by this share of their distance. */
const OVERSHOOT = 0.5;
/** Standard deviation of the points around an input, features. */
const SPREAD = 0.15;

export interface FrontAim {
  readonly gain: HypervolumeImprovement | null;
  /** Rows of the front, in the order in which they serve as starts. */
  readonly rows: readonly number[];
  /** Features of further points to start from. */
  readonly starts: readonly Float64Array[];
}

/**
 * @param imagined rows of m: the imagined outputs of pending inputs, which belong to the front like those of runs
 * @param suggested number of suggestions before this one
 * @param random a stream of its own
 */
export function frontAim(
  space: SearchSpace & { readonly cases: Cases },
  open: readonly OpenOutput[],
  { surrogate, imagined }: { readonly surrogate: Surrogate; readonly imagined: Float64Array },
  suggested: number,
  random: RandomStream,
): FrontAim {
  const { cases } = space;
  const front = frontOf(cases, open);
  const end = endSought(open, suggested);
  // Within a stated reference alone the search keeps to the part of the front that it happens to find first. With more outputs the
  // worst values of a front stay far from its middle for long.
  const isBeyond = open.length === 2 && suggested % BEYOND_REFERENCE === 0;
  const measured = isBeyond ? open.map((one) => ({ ...one, reference: null })) : open;
  const reference =
    end < 0
      ? referenceOf(measured, front.points, pointsOf(open, cases.Y, cases.intervals.length))
      : open.map(() => Number.POSITIVE_INFINITY);
  const points = [...front.points, ...pointsOf(open, imagined, cases.intervals.length)];
  const gain = gainOn(surrogate, open, points, reference, end);
  const first = suggested % front.rows.length;
  const rows = [...front.rows.slice(first), ...front.rows.slice(0, first)];
  return { gain, rows, starts: startsNear(space, front.rows, random) };
}

/**
 * The gain of hypervolume over the points of a front; null when no output has a model.
 *
 * @param only the one coordinate that counts; -1 for all
 */
export function gainOn(
  surrogate: Surrogate,
  open: readonly OpenOutput[],
  points: readonly (readonly number[])[],
  reference: readonly number[],
  only = -1,
): HypervolumeImprovement | null {
  const modelled = open.flatMap((one, c) => {
    const warp = surrogate.outputs[one.j]!.fitted?.warp;
    return warp && (only < 0 || only === c) ? [{ ...one, warp, c }] : [];
  });
  if (modelled.length === 0) return null;
  const keep = (point: readonly number[]) => modelled.map(({ c }) => point[c]!);
  const kept = points.map(keep);
  const front = nonDominated(kept).map((k) => kept[k]!);
  return new HypervolumeImprovement(modelled, freeBoxes(front, keep(reference)));
}

/** Features of random points on lines through two cases, and around one. @param rows numbers of the cases */
export function startsNear(
  { encoding, cases }: SearchSpace & { readonly cases: Cases },
  rows: readonly number[],
  random: RandomStream,
): Float64Array[] {
  const { p, lower, upper } = encoding;
  const draw = () => {
    const row = rows[random.below(rows.length)]!;
    return cases.U.subarray(row * p, (row + 1) * p);
  };
  const inside = (value: number, f: number) => Math.min(upper[f]!, Math.max(lower[f]!, value));
  return [
    ...Array.from({ length: STARTS.between }, () => {
      const from = draw();
      const to = draw();
      const share = (1 + 2 * OVERSHOOT) * random.uniform() - OVERSHOOT;
      return from.map((value, f) => inside(value + share * (to[f]! - value), f));
    }),
    ...Array.from({ length: STARTS.around }, () =>
      draw().map((value, f) => inside(value + SPREAD * random.normal(), f)),
    ),
  ];
}

/** The coordinate whose end this suggestion seeks; -1 for none. */
function endSought(open: readonly OpenOutput[], suggested: number): number {
  const d = open.length;
  if (suggested < d) return suggested;
  if (open.every(({ reference }) => reference !== null)) return -1;
  return suggested % BETWEEN_ENDS === 0 ? (suggested / BETWEEN_ENDS) % d : -1;
}
