/**
 * Profiles of a fit: the least misfit that the models expect with one input held at a value while the others adapt.
 *
 * Source: Raue, Kreutz, Maiwald, Bachmann, Schilling, Klingmueller and Timmer 2009, Structural and practical identifiability analysis of
 * partially observed dynamical models by exploiting the profile likelihood, Bioinformatics 25.
 */
import type { Work } from '../numerics/work.ts';
import { isSpent } from '../numerics/work.ts';
import { descend, type MisfitModel } from '../search/least-misfit.ts';
import type { Box } from '../space/search-space.ts';

/** Steps to one side. */
const WALK = 30;
const GROWTH = 1.6;
/** The least first step, in units of [-1, 1], and the share of a standard error that it is. */
const FIRST = { least: 1e-4, share: 0.5 };
/** Halvings of the last step. */
const HALVINGS = 14;
/** Share of the threshold to which an end is found. */
const NEAR = 0.005;

/** A point of a profile. */
export interface Held {
  /** Features. */
  readonly u: Float64Array;
  readonly misfit: number;
}

/** One side of a profile: its points from the best one on, and its end; null where it has none, as at a bound. */
export interface Side {
  readonly points: readonly Held[];
  readonly end: Held | null;
}

/** The least misfit that the models expect from u on. */
export function leastFrom({ aim }: MisfitModel, u: Float64Array, box: Box, work: Work): Held {
  const reached = u.slice();
  const value = descend(aim, reached, box, work);
  return { u: reached, misfit: -2 * value };
}

/** The least misfit with feature f at t, from u. */
export function pinned(model: MisfitModel, u: Float64Array, f: number, t: number, box: Box, work: Work): Held {
  const held = { lower: box.lower.slice(), upper: box.upper.slice(), conditions: box.conditions };
  held.lower[f] = held.upper[f] = t;
  const inside = u.map((value, g) => Math.min(held.upper[g]!, Math.max(held.lower[g]!, value)));
  return leastFrom(model, inside, held, work);
}

/**
 * Walks from the least misfit to one side of feature f.
 *
 * @param rise the increase of the misfit at the end
 * @param error standard error of the feature
 */
export function walk(
  model: MisfitModel,
  least: Held,
  {
    f,
    sign,
    rise,
    error,
  }: { readonly f: number; readonly sign: 1 | -1; readonly rise: number; readonly error: number },
  box: Box,
  work: Work,
): Side {
  const bound = (sign < 0 ? box.lower : box.upper)[f]!;
  const points: Held[] = [least];
  let step = Math.max(FIRST.least, FIRST.share * Math.min(2, error));
  for (let k = 0; k < WALK && points.at(-1)!.u[f] !== bound && !isSpent(work, 1); k++) {
    const from = points.at(-1)!;
    const t = from.u[f]! + sign * step;
    const next = pinned(model, ahead(points, f, t), f, sign < 0 ? Math.max(bound, t) : Math.min(bound, t), box, work);
    if (next.misfit < least.misfit + rise) {
      points.push(next);
      step *= GROWTH;
      continue;
    }
    const end = between(model, points, next, { f, rise: least.misfit + rise, near: NEAR * rise }, box, work);
    return { points: [...points, end], end };
  }
  return { points, end: null };
}

/** Straight on from the last two points. */
function ahead(points: readonly Held[], f: number, t: number): Float64Array {
  const [last, before] = [points.at(-1)!, points.at(-2) ?? points.at(-1)!];
  const moved = last.u[f]! - before.u[f]!;
  const share = moved === 0 ? 0 : (t - last.u[f]!) / moved;
  return last.u.map((value, g) => value + share * (value - before.u[g]!));
}

/** The point between the last one below a level and one above it where the misfit is at the level. */
function between(
  model: MisfitModel,
  points: readonly Held[],
  above: Held,
  { f, rise, near }: { readonly f: number; readonly rise: number; readonly near: number },
  box: Box,
  work: Work,
): Held {
  let [low, high] = [points.at(-1)!, above];
  for (let k = 0; k < HALVINGS && high.misfit - rise > near && rise - low.misfit > near && !isSpent(work, 1); k++) {
    // The misfit grows about as a square: its root is nearly straight.
    const [a, b] = [Math.sqrt(Math.max(0, low.misfit - points[0]!.misfit)), Math.sqrt(high.misfit - points[0]!.misfit)];
    const share = (Math.sqrt(rise - points[0]!.misfit) - a) / (b - a);
    const at = k % 3 === 2 || !(share > 0.02 && share < 0.98) ? 0.5 : share;
    const start = low.u.map((value, g) => value + at * (high.u[g]! - value));
    const middle = pinned(model, start, f, start[f]!, box, work);
    if (middle.misfit < rise) low = middle;
    else high = middle;
  }
  return rise - low.misfit < high.misfit - rise ? low : high;
}
