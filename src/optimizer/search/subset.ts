import { MANY_INPUTS } from '../surrogate/model-choice.ts';
import { byLoss } from '../targets.ts';

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
  const best = ranked[0]!;
  const distance = new Float64Array(N);
  for (let i = 0; i < N; i++) {
    for (let f = 0; f < p; f++) distance[i]! += (U[i * p + f]! - U[best * p + f]!) ** 2;
  }
  for (const i of all.sort((a, b) => distance[a]! - distance[b]! || a - b)) {
    if (chosen.size >= limit) break;
    chosen.add(i);
  }
  return Int32Array.from(chosen).sort();
}
