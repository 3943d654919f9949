import type { Coding } from '../space.ts';
import { levelCount, movableCount } from '../space.ts';
import { byMerit } from '../targets.ts';
import type { Box } from './box-newton.ts';

/** Halvings of the region before the next centre: without a bound half of a budget dies in a box of 1e-6. */
const SHRINKS = 6;

/** A region around one evaluated point, and the rows to fit there. */
export interface Region {
  /** Row of the centre. */
  readonly center: number;
  /** Rows of the local fit, the nearest first. */
  readonly rows: Int32Array;
  readonly box: Box;
}

/** Number of the local turn, counted from 0, or -1 when this suggestion is a global one. */
export function localTurn(stall: number, N: number, n: number): number {
  return stall >= 3 && (stall - 3) % 2 === 0 && N >= n + 3 ? (stall - 3) / 2 : -1;
}

/**
 * The region of a local turn: the best point first, halving six times; then the best point far from all earlier
 * centres, and so on.
 *
 * @param U N x p; merit length N; turn from `localTurn`
 * @returns null when no further centre exists
 */
export function localRegion(coding: Coding, U: Float64Array, merit: Float64Array, turn: number): Region | null {
  const { p } = coding;
  const N = merit.length;
  const n = movableCount(coding);
  const center = centerOf(U, merit, p, Math.floor(turn / SHRINKS), 0.25 * Math.sqrt(n));
  if (center < 0) return null;
  const distance = new Float64Array(N);
  for (let i = 0; i < N; i++) distance[i] = distanceBetween(U, p, i, center);
  const rows = Int32Array.from({ length: N }, (_, i) => i).sort((a, b) => distance[a]! - distance[b]! || a - b);
  const reach = distance[rows[Math.min(N - 1, n + 1)]!]!;
  const radius = Math.max(1e-9, (reach / Math.sqrt(n)) * 2 ** -(turn % SHRINKS));
  const lower = coding.lower.slice();
  const upper = coding.upper.slice();
  for (let f = 0; f < p; f++) {
    const v = coding.owner[f]!;
    if (coding.movable[v] === 0 || coding.variables[v]!.kind === 'category') continue;
    const least = coding.discrete[v] === 1 ? 2 / (levelCount(coding.variables[v]!) - 1) : 0;
    const middle = Math.min(upper[f]!, Math.max(lower[f]!, U[center * p + f]!));
    lower[f] = Math.max(lower[f]!, middle - Math.max(radius, least));
    upper[f] = Math.min(upper[f]!, middle + Math.max(radius, least));
  }
  return { center, rows: rows.subarray(0, Math.min(N, 2 * n + 5)), box: { lower, upper } };
}

function distanceBetween(U: Float64Array, p: number, a: number, b: number): number {
  let square = 0;
  for (let f = 0; f < p; f++) square += (U[a * p + f]! - U[b * p + f]!) ** 2;
  return Math.sqrt(square);
}

/** Row of the centre of a cycle: the best point that is farther than `apart` from the centres of all earlier cycles. */
function centerOf(U: Float64Array, merit: Float64Array, p: number, cycle: number, apart: number): number {
  const order = Array.from(merit, (_, i) => i).sort(byMerit(merit));
  const centers: number[] = [];
  for (const i of order) {
    if (centers.every((c) => distanceBetween(U, p, i, c) > apart)) centers.push(i);
    if (centers.length > cycle) return i;
  }
  return -1;
}
