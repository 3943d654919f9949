import { byLoss } from '../goal/targets.ts';
import { squareBetweenRows } from '../linalg/dense.ts';
import { MANY_INPUTS } from './model-choice.ts';

/** Largest number of points of a global fit with n movable variables: its cost grows with the cube. */
export function fitLimit(n: number): number {
  return n <= MANY_INPUTS ? 150 : Math.max(100, n + 20);
}

/**
 * Rows for a fit of at most `limit` points: a quarter with the smallest losses, the last eighth, and the points nearest to
 * the incumbent.
 *
 * @param U N x p
 * @param loss length N
 * @returns row numbers, ascending
 */
export function selectRows(U: Float64Array, p: number, loss: Float64Array, limit: number): Int32Array {
  const N = loss.length;
  const all = Array.from({ length: N }, (_, i) => i);
  if (N <= limit) return Int32Array.from(all);
  const chosen = new Set<number>();
  const ranked = all.slice().sort(byLoss(loss));
  for (const i of ranked.slice(0, limit >> 2)) chosen.add(i);
  for (let i = N - 1; i >= N - (limit >> 3); i--) chosen.add(i);
  fill(chosen, U, p, [ranked[0]!], limit);
  return Int32Array.from(chosen).sort();
}

/**
 * The same where a front is sought: half with the smallest distances from it in the outputs, the last eighth, and the points
 * nearest to an input of the front.
 *
 * @param behind length N: 0 on the front
 * @param front numbers of the cases on it, at least one
 * @param center chosen in any case
 */
export function selectRowsOfFront(
  U: Float64Array,
  p: number,
  behind: Float64Array,
  { front, center, limit }: { readonly front: readonly number[]; readonly center: number; readonly limit: number },
): Int32Array {
  const N = behind.length;
  const all = Array.from({ length: N }, (_, i) => i);
  if (N <= limit) return Int32Array.from(all);
  const ranked = all.toSorted((a, b) => behind[a]! - behind[b]! || a - b);
  const chosen = new Set([center, ...ranked.slice(0, limit >> 1)]);
  for (let i = N - 1; i >= N - (limit >> 3); i--) chosen.add(i);
  fill(chosen, U, p, front, limit);
  return Int32Array.from(chosen).sort();
}

/** Adds the points nearest to any of some points until there are `limit`. */
function fill(chosen: Set<number>, U: Float64Array, p: number, to: readonly number[], limit: number): void {
  const N = U.length / p;
  const distance = Float64Array.from({ length: N }, (_, i) => {
    let nearest = Number.POSITIVE_INFINITY;
    for (const center of to) {
      nearest = Math.min(nearest, squareBetweenRows(U, p, i, center));
    }
    return nearest;
  });
  const all = Array.from({ length: N }, (_, i) => i);
  for (const i of all.sort((a, b) => distance[a]! - distance[b]! || a - b)) {
    if (chosen.size >= limit) break;
    chosen.add(i);
  }
}
