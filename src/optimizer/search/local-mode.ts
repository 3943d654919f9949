/**
 * Local search in a shrinking trust region, which takes every other suggestion once the search stalls. Everything follows
 * from the stall or, while inputs are pending, from the number of suggestions: nothing is remembered between suggestions.
 */

import { byLoss } from '../goal/targets.ts';
import { squareBetweenRows } from '../linalg/dense.ts';
import type { RandomStream } from '../numerics/random.ts';
import { type Encoding, encodeNumber, levelAt, levelCount, movableCount } from '../space/encoding.ts';
import type { Box, SearchSpace } from '../space/search-space.ts';

/** Stall from which local rounds take place. */
const FIRST_STALL = 3;
/** Rounds around one centre, each with half the radius. Without a limit half of a budget dies in a region of 1e-6. */
const ROUNDS_PER_CENTER = 6;
/** Rounds spent around other centres before rounds return to the incumbent, and the number of those centres, which alternate. */
const ROUNDS_ELSEWHERE = 2;
const OTHER_CENTERS = 3;
/** Least distance of a centre from the earlier ones, in units of sqrt(n). */
const CENTER_DISTANCE = 0.25;

/** The trust region around one evaluated point, and the rows to fit there. */
export interface Region {
  /** Row of the centre. */
  readonly center: number;
  /** Rows of the local fit, the nearest first. */
  readonly rows: Int32Array;
  readonly box: Box;
}

/** Values of a discrete number, from the lowest, among which the widest gap is sought: on a logarithm it is the first. */
const COMPARED = 1_000;

/** The state from which the number of a local round follows. */
export interface Standing {
  /** Suggestions since the last improvement. */
  readonly stall: number;
  /** Number of pending inputs. */
  readonly pending: number;
  /** Number of suggestions before this one, the pending ones included. */
  readonly suggested: number;
  /** Number of cases. */
  readonly N: number;
  /** Number of inputs that move. */
  readonly n: number;
  /** See `seeksLimits`. */
  readonly seeksLimits: boolean;
}

/**
 * The number of the local round that this suggestion is, from 0; -1 when it is a global one. A search that stalls goes from
 * centre to centre. It comes back to the incumbent while it seeks its limits, where nothing else leads on, and while inputs are pending,
 * since many machines lengthen the stall by their number while they learn once. Then every other suggestion is local even
 * before the search stalls: with global ones alone they crowd together.
 */
export function localRound({ stall, pending, suggested, N, n, seeksLimits }: Standing): number {
  if (N < n + 3) return -1;
  if (pending > 0) return suggested % 2 === 1 ? returningRound(suggested >> 1) : -1;
  const since = stall - FIRST_STALL;
  if (since < 0 || since % 2 === 1) return -1;
  return seeksLimits ? returningRound(since / 2) : since / 2;
}

/** All radii around the incumbent, then the first radii around one of the other centres, and so on. */
function returningRound(turn: number): number {
  const step = turn % (ROUNDS_PER_CENTER + ROUNDS_ELSEWHERE);
  if (step < ROUNDS_PER_CENTER) return step;
  const cycle = Math.floor(turn / (ROUNDS_PER_CENTER + ROUNDS_ELSEWHERE));
  return ROUNDS_PER_CENTER * (1 + (cycle % OTHER_CENTERS)) + step - ROUNDS_PER_CENTER;
}

/**
 * The trust region of a local round. The first centre is the incumbent, with a radius that halves from round to round; then
 * comes the best point far from the earlier centres, and so on.
 *
 * @param U N x p
 * @param loss length N
 * @param round of `localRound`
 * @returns null when there is no further centre, or no admissible point around it
 */
export function localRegion(
  { encoding, conditions }: SearchSpace,
  U: Float64Array,
  loss: Float64Array,
  round: number,
  random: RandomStream,
): Region | null {
  const { p } = encoding;
  const N = loss.length;
  const n = movableCount(encoding);
  const center = centerOf(U, loss, p, Math.floor(round / ROUNDS_PER_CENTER), CENTER_DISTANCE * Math.sqrt(n));
  if (center < 0) return null;
  const distance = new Float64Array(N);
  for (let i = 0; i < N; i++) distance[i] = Math.sqrt(squareBetweenRows(U, p, i, center));
  const rows = Int32Array.from({ length: N }, (_, i) => i).sort((a, b) => distance[a]! - distance[b]! || a - b);
  const reach = distance[rows[Math.min(N - 1, n + 1)]!]!;
  const radius = Math.max(1e-9, (reach / Math.sqrt(n)) * 2 ** -(round % ROUNDS_PER_CENTER));
  const box = boxAround({ encoding, conditions }, U, center, radius, random);
  return box && { center, rows: rows.subarray(0, Math.min(N, 2 * n + 5)), box };
}

/**
 * The part of the space within `radius` of a case in every number, but at least a neighbouring value of a discrete one; null
 * when no point of it satisfies the conditions.
 */
export function boxAround(
  { encoding, conditions }: Pick<SearchSpace, 'encoding' | 'conditions'>,
  U: Float64Array,
  center: number,
  radius: number,
  random: RandomStream,
): Box | null {
  const { p } = encoding;
  const lower = encoding.lower.slice();
  const upper = encoding.upper.slice();
  for (let f = 0; f < p; f++) {
    const v = encoding.owner[f]!;
    if (encoding.movable[v] === 0 || encoding.variables[v]!.kind === 'category') continue;
    if (encoding.variables[v]!.fixedAt !== undefined) continue;
    const least = encoding.discrete[v] === 1 ? widestGap(encoding, v) : 0;
    const middle = Math.min(upper[f]!, Math.max(lower[f]!, U[center * p + f]!));
    lower[f] = Math.max(lower[f]!, middle - Math.max(radius, least));
    upper[f] = Math.min(upper[f]!, middle + Math.max(radius, least));
  }
  const inside = conditions?.within({ lower, upper }, random) ?? null;
  if (conditions !== null && inside === null) return null;
  return { lower, upper, conditions: inside };
}

/** The largest distance between the features of neighbouring values of a discrete number. */
function widestGap(encoding: Encoding, v: number): number {
  const variable = encoding.variables[v]!;
  const count = levelCount(variable);
  if (variable.levels === undefined && variable.likely === undefined && encoding.logarithmic[v] === 0)
    return 2 / (count - 1);
  const features = Array.from({ length: Math.min(count, COMPARED) }, (_, k) =>
    encodeNumber(encoding, v, levelAt(variable, k)),
  );
  return Math.max(...features.slice(1).map((feature, k) => feature - features[k]!));
}

/** Row of centre `index`: the best point farther than `apart` from all earlier centres; -1 when there is none. */
function centerOf(U: Float64Array, loss: Float64Array, p: number, index: number, apart: number): number {
  const order = Array.from(loss, (_, i) => i).sort(byLoss(loss));
  const centers: number[] = [];
  for (const i of order) {
    if (centers.every((c) => Math.sqrt(squareBetweenRows(U, p, i, c)) > apart)) centers.push(i);
    if (centers.length > index) return i;
  }
  return -1;
}
