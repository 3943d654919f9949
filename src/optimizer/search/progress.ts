/** Finds when a search last came noticeably nearer to its targets, or improved on an output to minimize or maximize. */
import type { Cases } from '../goal/cases.ts';
import { distanceTo, type Interval, improvementSign, isDirected, lossScales } from '../goal/targets.ts';
import type { SuggestRequest } from '../interface/problem.ts';
import type { Problem } from './scope-search.ts';

/** The scale of an output is at least this share of how far designed outputs lie from the best, or its zero would have none. */
const LEAST_SCALE = 0.01;

/** Length m: see `scaleOf`. @param best number of the best case that meets all limits; -1 without one */
export function scalesAround(problem: Problem, best: number): number[] {
  return problem.cases.intervals.map((_, j) => scaleOf(problem, j, best));
}

/**
 * Scale of improvements of output j: the magnitude of its best value, but no more than the median distance of the
 * outputs known before the search from it, nor less than a hundredth of that.
 */
function scaleOf({ request, cases }: Problem, j: number, best: number): number {
  const { intervals, rows, Y } = cases;
  const m = intervals.length;
  const value = Y[Math.max(0, best) * m + j]!;
  const earlier = rows.flatMap((row, i) => (row < request.firstSuggested ? [i] : []));
  const known = earlier.length > 0 ? earlier : rows.map((_, i) => i);
  const distances = known.map((i) => Math.abs(Y[i * m + j]! - value)).sort((a, b) => a - b);
  const spread = distances[distances.length >> 1]!;
  return Math.min(spread, Math.max(Math.abs(value), LEAST_SCALE * spread)) || Math.abs(value) || 1;
}

export interface Progress {
  /** Suggestions since the last improvement, or since the first when there was none. */
  readonly quiet: number;
  /** Row of the history after which those suggestions come. */
  readonly lastRow: number;
}

/**
 * Until a case meets all undirected intervals, an improvement is a smaller miss of them; from then on, a better value of a
 * directed output. Small gains add up.
 */
export function progressOf({ request, cases }: Problem, share: number, scales: readonly number[]): Progress {
  const { intervals, rows, Y, N, loss, isAdmissible } = cases;
  const m = intervals.length;
  const hasDirected = isDirected(intervals);
  const misses = missesOf(cases);
  const gainOver = (a: number, b: number) =>
    intervals.reduce((most, interval, j) => {
      const sign = improvementSign(interval);
      return interval.directed ? Math.max(most, (sign * (Y[a * m + j]! - Y[b * m + j]!)) / scales[j]!) : most;
    }, 0);
  let best = -1;
  let reference = -1;
  let least = Number.POSITIVE_INFINITY;
  let last = 0;
  for (let i = 0; i < N; i++) {
    if (isAdmissible[i] === 0) continue;
    if (best < 0 && (misses[i]! > 0 || !hasDirected)) {
      if (misses[i]! >= (1 - share) * least) continue;
      least = misses[i]!;
      last = rows[i]!;
      continue;
    }
    if (misses[i]! > 0 || (best >= 0 && loss[i]! >= loss[best]!)) continue;
    best = i;
    if (reference >= 0 && gainOver(reference, i) <= share) continue;
    reference = i;
    last = rows[i]!;
  }
  const lastRow = Math.max(last, firstRow(request) - 1);
  return { quiet: request.history.count - 1 - lastRow, lastRow };
}

/** Row of the history with the first suggestion of the search itself. */
export function firstRow({ firstSuggested, firstOwn = 0 }: SuggestRequest): number {
  return Math.max(firstSuggested, firstOwn);
}

/** Length N: how far each case is from meeting all undirected intervals, 0 where it does. */
function missesOf({ intervals, Y, N }: Cases): Float64Array {
  const m = intervals.length;
  const units = lossScales(intervals, Y, N);
  const missOf = (interval: Interval, i: number, j: number) =>
    interval.directed ? 0 : distanceTo(interval, Y[i * m + j]!) / units[j]!;
  return Float64Array.from({ length: N }, (_, i) => Math.hypot(...intervals.map((one, j) => missOf(one, i, j))));
}
