/**
 * Trust regions with restarts for a search that has stood still for long: its models of the whole box take waves that are
 * finer than the gaps between its cases for noise or for slopes, and its local rounds are too short to follow them down. A
 * region begins wide, grows while it gains and shrinks while it does not; once it is used up, another one begins.
 *
 * Source: Eriksson, Pearce, Gardner, Turner and Poloczek 2019, Scalable global optimization via local Bayesian optimization
 * (TuRBO), section 2, with its constants. Here regions take turns between the best case and a random point, since local minima
 * often lie beside better ones, and a region learns from all cases around it. Regions follow from the history alone, so
 * nothing is remembered.
 */
import type { Cases } from '../goal/cases.ts';
import { isDirected, isLimit, lossesOnScale, lossScales, meetsLimits } from '../goal/targets.ts';
import { squareBetweenRows } from '../linalg/dense.ts';
import { makeRandom } from '../numerics/random.ts';
import { type Encoding, movableCount } from '../space/encoding.ts';
import { MANY_INPUTS } from '../surrogate/model-choice.ts';
import { fitLimit } from '../surrogate/subset.ts';
import { boxAround, type Region } from './local-mode.ts';
import { firstRow } from './progress.ts';
import type { Problem } from './scope-search.ts';

/**
 * Suggestions before the first region, and those in a row that gained nothing before it, times the square root of 1 + pending:
 * while inputs are pending, suggestions know less of each other.
 */
const START = { suggestions: 100, quiet: 30 };
/** A gain that ends the quiet: the share of the loss that `stallOf` asks for in one run. */
const NOTICEABLE = 0.1;
/** Half widths of a region where the box has 1: at first, beside the best case, at most; a smaller one than `least` is used up. */
const LENGTH = { first: 0.8, besideBest: 0.2, most: 1.6, least: 2 ** -7 };
/** Gains in a row after which the length doubles. */
const SUCCESSES = 3;
/** Suggestions in a row without a gain after which it halves, unless there are more inputs or more runs at a time. */
const FAILURES = 4;
/** Share of the loss below which a gain does not count. */
const LEAST_GAIN = 1e-3;
/** Cases of a fit; of many inputs, see `fitLimit`, fewer. Beyond 200 they gained nothing. */
const MOST_CASES = 200;
/** Cases nearer to each other than this share of the length count as one, or a used-up region would fill the fit. */
const APART = 0.05;

/** Position of the search in its sequence of regions. */
export interface RegionState {
  /** Number of the region, from 0; every second one begins at a random point. */
  readonly number: number;
  /** True before the first suggestion of the region has an output: there is no centre yet. */
  readonly isNew: boolean;
  /** Case at the centre: the best one, of a region at a random point the best one since. */
  readonly center: number;
  readonly length: number;
}

/** Pace at which a search goes through its regions. */
export interface Pace {
  /** The suggestions in a row without a gain that lead to the first region, and to a smaller one. */
  readonly start: number;
  readonly shrink: number;
  /** Side length of the first region. */
  readonly length: number;
}

/**
 * The region that the next suggestion belongs to; null while there is none.
 *
 * @param first row of the history that was suggested first; earlier ones do not count
 */
export function regionState(
  { loss, rows, N }: Pick<Cases, 'loss' | 'rows' | 'N'>,
  first: number,
  pace: Pace,
): RegionState | null {
  let i = firstRegion(loss, rows, first, pace);
  if (i >= N) return null;
  let best = 0;
  for (let k = 1; k <= i; k++) if (loss[k]! < loss[best]!) best = k;
  let state: RegionState = { number: 0, isNew: i === N - 1, center: best, length: pace.length };
  let successes = 0;
  let failures = 0;
  for (i++; i < N; i++) {
    if (loss[i]! < loss[best]!) best = i;
    if (state.isNew) {
      state = { ...state, isNew: false, center: startsAtBest(state.number) ? best : i };
      continue;
    }
    const { center } = state;
    const hasGained = loss[i]! < (1 - LEAST_GAIN) * loss[center]!;
    successes = hasGained ? successes + 1 : 0;
    // Failed runs, which are no cases, count as well.
    failures = hasGained ? 0 : failures + rows[i]! - rows[i - 1]!;
    let { length } = state;
    if (successes >= SUCCESSES) [length, successes] = [Math.min(LENGTH.most, 2 * length), 0];
    if (failures >= pace.shrink) [length, failures] = [length / 2, 0];
    state = { ...state, isNew: false, length, center: loss[i]! < loss[center]! ? i : center };
    if (length < LENGTH.least) state = next(state);
  }
  return state;
}

function next({ number, center }: RegionState): RegionState {
  const length = startsAtBest(number + 1) ? LENGTH.besideBest : LENGTH.first;
  return { number: number + 1, isNew: true, center, length };
}

/** Whether a region begins at the best case rather than at a random point. */
export function startsAtBest(number: number): boolean {
  return number === 0 || number % 2 === 1;
}

/** Number of the case at which the first region begins; that of the cases before there is one. */
function firstRegion(loss: Float64Array, rows: readonly number[], first: number, { start }: Pace): number {
  let reference = Number.POSITIVE_INFINITY;
  let last = 0;
  for (let i = 0; i < loss.length; i++) {
    // Small gains add up.
    if (loss[i]! < (1 - NOTICEABLE) * reference) [reference, last] = [loss[i]!, rows[i]!];
    if (rows[i]! < first) last = rows[i]!;
    if (rows[i]! - first >= START.suggestions && rows[i]! - last >= start) return i;
  }
  return loss.length;
}

/** The region of the next suggestion; null while there is none. */
export function currentRegion({ request, encoding, cases, pending, aim }: Problem): RegionState | null {
  if (!aim.doesRunDecide || request.solutions) return null;
  const { rows, N } = cases;
  const limitsFirst = lossesLimitsFirst(cases);
  return regionState({ loss: limitsFirst ?? cases.loss, rows, N }, firstRow(request), {
    start: START.quiet * Math.sqrt(1 + pending.count),
    shrink: Math.max(FAILURES, movableCount(encoding), pending.count + 1),
    // Most of a wide region breaks the limits.
    length: limitsFirst === null ? LENGTH.first : LENGTH.besideBest,
  });
}

/**
 * Length N: losses that are smaller where all limits are met than anywhere else, and tell nothing but the misses of limits elsewhere; null
 * unless an output is to be minimized or maximized within limits that a case meets. A value that only breaking limits
 * attains would keep the regions where it is.
 *
 * Source: Eriksson and Poloczek 2021, Scalable constrained Bayesian optimization, section 3, for the order of the cases.
 */
function lossesLimitsFirst({ intervals, Y, loss, N }: Cases): Float64Array | null {
  if (!isDirected(intervals) || !intervals.some(isLimit)) return null;
  const m = intervals.length;
  const meets = Array.from(loss, (_, i) => meetsLimits(intervals, Y, i * m));
  if (!meets.includes(true)) return null;
  const limits = intervals.map((interval) => (isLimit(interval) ? interval : { ...interval, weight: 0 }));
  const misses = lossesOnScale(limits, lossScales(intervals, Y, N), Y);
  const worst = loss.reduce((most, one, i) => (meets[i] ? Math.max(most, one) : most), 0);
  return loss.map((one, i) => (meets[i] ? one : worst + misses[i]!));
}

/** The box of a region and the cases to fit there; null when its conditions leave no admissible point. */
export function restartRegion(problem: Problem, { center, length }: RegionState): Region | null {
  const { request, encoding, conditions, cases, pending } = problem;
  const random = makeRandom(request.seed, 15, request.history.count + pending.count);
  const box = boxAround({ encoding, conditions }, cases.U, center, length, random);
  return box && { center, rows: casesAround(encoding, cases.U, center, length), box };
}

/** Numbers of the cases nearest to the centre, ascending, without those that crowd together. */
function casesAround(encoding: Encoding, U: Float64Array, center: number, length: number): Int32Array {
  const { p } = encoding;
  const n = movableCount(encoding);
  const limit = n <= MANY_INPUTS ? MOST_CASES : fitLimit(n);
  const distance = Float64Array.from({ length: U.length / p }, (_, i) => squareBetweenRows(U, p, i, center));
  const nearest = Int32Array.from(distance, (_, i) => i).sort((a, b) => distance[a]! - distance[b]! || a - b);
  const apart = (APART * length) ** 2 * n;
  const kept: number[] = [];
  for (const i of nearest) {
    if (kept.length >= limit) break;
    if (kept.every((k) => squareBetweenRows(U, p, i, k) >= apart)) kept.push(i);
  }
  return Int32Array.from(kept).sort();
}
