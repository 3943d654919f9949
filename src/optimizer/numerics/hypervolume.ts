/**
 * Volumes below fronts of points whose every coordinate is to be as small as possible. The work grows with the number of
 * points to the power of their coordinates less one, so it is meant for two or three coordinates.
 */
import { nonDominated } from '../../numbers/pareto.ts';

/** One box of the part of the space that a front leaves: the product of its intervals (lower_j, upper_j]. */
export interface FreeBox {
  /** Length d each; the lower ends may be -Infinity. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
}

/** The volume of what the points dominate below the reference; 0 for none. */
export function hypervolume(points: readonly (readonly number[])[], reference: readonly number[]): number {
  const d = reference.length;
  const inside = points.filter((point) => point.every((value, j) => value < reference[j]!));
  if (inside.length === 0) return 0;
  const last = d - 1;
  if (d === 1) return reference[0]! - Math.min(...inside.map(([value]) => value!));
  const sorted = inside.slice().sort((a, b) => a[last]! - b[last]!);
  const below = reference.slice(0, last);
  return sorted.reduce((sum, point, i) => {
    const height = (sorted[i + 1]?.[last] ?? reference[last]!) - point[last]!;
    if (height === 0) return sum;
    return (
      sum +
      height *
        hypervolume(
          sorted.slice(0, i + 1).map((one) => one.slice(0, last)),
          below,
        )
    );
  }, 0);
}

/**
 * Disjoint boxes that together make up the points below the reference that no point of the front dominates.
 *
 * Slabs between successive values of the last coordinate, each with the boxes of the front below it in the others
 * (Couckuyt, Deschrijver, Dhaene 2014, Journal of Global Optimization 60).
 */
export function freeBoxes(points: readonly (readonly number[])[], reference: readonly number[]): FreeBox[] {
  const last = reference.length - 1;
  const inside = points.filter((point) => point.every((value, j) => value < reference[j]!));
  if (last === 0) {
    const upper = inside.reduce((least, [value]) => Math.min(least, value!), reference[0]!);
    return [{ lower: [Number.NEGATIVE_INFINITY], upper: [upper] }];
  }
  const heights = [...new Set(inside.map((point) => point[last]!))].sort((a, b) => a - b);
  const starts = [Number.NEGATIVE_INFINITY, ...heights];
  return starts.flatMap((start, i) => {
    const end = starts[i + 1] ?? reference[last]!;
    const below = inside.filter((point) => point[last]! <= start).map((point) => point.slice(0, last));
    const front = nonDominated(below).map((k) => below[k]!);
    return freeBoxes(front, reference.slice(0, last)).map(({ lower, upper }) => ({
      lower: [...lower, start],
      upper: [...upper, end],
    }));
  });
}
