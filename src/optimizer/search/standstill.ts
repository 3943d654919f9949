/**
 * Whether a search is to end by its stop rule: an addition to what the search itself finds, which it does not change.
 *
 * A stated patience is counted and nothing else. Without one the rule is for outputs to minimize or maximize and asks for
 * evidence that they can improve no further. Either the last improvement was small and many other runs came as near, or the
 * models expect next to nothing even with wider spreads and are to be believed, because the last improvement was small
 * and another run came as near, or because they predict every output very well. The constants are chosen on the problems of the collection (bench/solvers/ends.ts).
 */
import type { Cases } from '../cases.ts';
import { movableCount } from '../encoding.ts';
import { clustersOf, crossValidate } from '../explanation/cross-validation.ts';
import type { Work } from '../numerics/work.ts';
import type { Standstill, StopRule, SuggestRequest } from '../problem.ts';
import { distanceTo, type Interval, lossScales } from '../targets.ts';
import { bestFeasible } from './directed-outputs.ts';
import { expectedTerms, type Problem } from './next-input.ts';

/** Suggestions in a row without an improvement before any evidence counts. */
const QUIET = 5;
/** Runs near the best one, itself included, and the largest last improvement, in shares of the scale. */
const SURROUNDED = { near: 6, lastGain: 0.01 };
const UNPROMISING = { near: 2, lastGain: 0.03 };
/** Share of the variance of every output that a model predicts of cases left out to be believed without other evidence. */
const TRUSTED_R2 = 0.9999;
/** A run is near whose directed outputs differ from the best by no more than this share of the scale. */
const NEAR = 0.01;
/** Spreads are this many times wider than predicted, since the models of a young search are overconfident. */
const WIDER = 3;
/** The model is believed when it expects no more than this multiple of the improvement that counts as none. */
const NEGLIGIBLE_GAIN = 0.6;
/** The scale of an output is at least this share of how far designed outputs lie from the best, or its zero would have none. */
const LEAST_SCALE = 0.01;

/** Null while the search goes on. Needs at least one case. */
export function standstillOf(problem: Problem, rule: StopRule, work: Work): Standstill | null {
  const { cases } = problem;
  const { intervals } = cases;
  const best = bestFeasible(cases, intervals);
  const scales = intervals.map((_, j) => scaleOf(problem, j, best));
  const { quiet, lastGain } = progressOf(problem, rule.improvementBelow, scales);
  if (rule.patience !== undefined) return quiet >= rule.patience ? { quiet, expectedGain: null } : null;
  if (best < 0 || !intervals.some(({ directed }) => directed)) return null;
  if (quiet < QUIET) return null;
  const near = countNear(cases, best, scales);
  if (near >= SURROUNDED.near && lastGain <= SURROUNDED.lastGain) return { quiet, expectedGain: null };
  const hasConverged = near >= UNPROMISING.near && lastGain <= UNPROMISING.lastGain;
  // The models that the expected gain comes from; other work before would fit them anew.
  if (!hasConverged && !isTrusted(problem, { ...work })) return null;
  const expectedGain = expectedGainOf(problem, best, scales, work);
  const isNegligible = expectedGain !== null && expectedGain <= NEGLIGIBLE_GAIN * rule.improvementBelow;
  return isNegligible ? { quiet, expectedGain } : null;
}

/**
 * What improvements of output j are compared with: the magnitude of its best value, but no more than the median distance of the
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

interface Progress {
  /** Suggestions since the last improvement, or since the first when there was none. */
  readonly quiet: number;
  /** The last gain of the best value, however small, in shares of the scale; Infinity without one. */
  readonly lastGain: number;
}

/**
 * Until a case meets all undirected intervals, an improvement is a smaller miss of them; from then on, a better value of a
 * directed output. Small gains add up.
 */
function progressOf({ request, cases }: Problem, share: number, scales: readonly number[]): Progress {
  const { intervals, rows, Y, N, loss, isAdmissible } = cases;
  const m = intervals.length;
  const hasDirected = intervals.some(({ directed }) => directed);
  const misses = missesOf(cases);
  const gainOver = (a: number, b: number) =>
    intervals.reduce((most, interval, j) => {
      const sign = Number.isFinite(interval.upper) ? 1 : -1;
      return interval.directed ? Math.max(most, (sign * (Y[a * m + j]! - Y[b * m + j]!)) / scales[j]!) : most;
    }, 0);
  let best = -1;
  let reference = -1;
  let least = Number.POSITIVE_INFINITY;
  let last = 0;
  let lastGain = Number.POSITIVE_INFINITY;
  for (let i = 0; i < N; i++) {
    if (isAdmissible[i] === 0) continue;
    if (best < 0 && (misses[i]! > 0 || !hasDirected)) {
      if (misses[i]! >= (1 - share) * least) continue;
      least = misses[i]!;
      last = rows[i]!;
      continue;
    }
    if (misses[i]! > 0 || (best >= 0 && loss[i]! >= loss[best]!)) continue;
    if (best >= 0) lastGain = gainOver(best, i);
    best = i;
    if (reference >= 0 && gainOver(reference, i) <= share) continue;
    reference = i;
    last = rows[i]!;
  }
  return { quiet: request.history.count - 1 - Math.max(last, firstRow(request) - 1), lastGain };
}

/** Row of the first suggestion that counts. */
function firstRow({ firstSuggested, firstOwn = 0 }: SuggestRequest): number {
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

/** How many cases come as near to the best as `NEAR`, itself included, whatever else they miss. */
function countNear({ intervals, Y, N }: Cases, best: number, scales: readonly number[]): number {
  const m = intervals.length;
  const isNear = (i: number) =>
    intervals.every(({ directed }, j) => !directed || Math.abs(Y[i * m + j]! - Y[best * m + j]!) <= NEAR * scales[j]!);
  return Array.from({ length: N }, (_, i) => i).filter(isNear).length;
}

/** Whether the models predict cases left out so well that an optimum reached at one stroke is no surprise. */
function isTrusted({ encoding, fitGlobally }: Problem, work: Work): boolean {
  const surrogate = fitGlobally(work);
  const clusters = clustersOf(surrogate, movableCount(encoding));
  return surrogate.outputs.every((_, j) => (crossValidate(surrogate, clusters, j).r2 ?? 0) >= TRUSTED_R2);
}

/** The improvement expected at the best input the search finds, in shares of the scale: the largest of all directed outputs. */
function expectedGainOf(problem: Problem, best: number, scales: readonly number[], work: Work): number | null {
  const { intervals, Y } = problem.cases;
  const m = intervals.length;
  const expected = expectedTerms(problem, best, WIDER, work);
  // Only inputs that were evaluated promise anything.
  if (expected === null) return 0;
  const { surrogate, terms } = expected;
  const logFeasible = intervals.reduce((sum, { directed }, j) => (directed ? sum : sum + terms[j]!), 0);
  const gains = intervals.flatMap((interval, j) => {
    const warp = surrogate.outputs[j]!.fitted?.warp;
    if (!interval.directed || !warp) return [];
    const sign = Number.isFinite(interval.upper) ? 1 : -1;
    const z = warp.toZ(Y[best * m + j]!);
    const improved = warp.fromZ(z - sign * Math.exp(terms[j]!));
    return [(Math.exp(logFeasible) * Math.abs(warp.fromZ(z) - improved)) / scales[j]!];
  });
  const most = Math.max(0, ...gains);
  return Number.isFinite(most) ? most : null;
}
