import { byMerit } from '../targets.ts';

/** Largest number of points of a global fit: its cost grows with the cube. */
export function fitLimit(n: number): number {
  return n <= 12 ? 150 : Math.max(100, n + 20);
}

/**
 * Rows for a fit of at most `limit` points: the best quarter by merit, the last eighth, the rest nearest to the best.
 *
 * @param U N x p encoded inputs; merit length N
 * @returns ascending row numbers
 */
export function selectRows(U: Float64Array, p: number, merit: Float64Array, limit: number): Int32Array {
  const N = merit.length;
  const all = Array.from({ length: N }, (_, i) => i);
  if (N <= limit) return Int32Array.from(all);
  const chosen = new Set<number>();
  const ranked = all.slice().sort(byMerit(merit));
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
