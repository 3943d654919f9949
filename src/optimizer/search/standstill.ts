/**
 * Whether a search is to end by its stop rule: an addition to what the search itself finds, which it does not change.
 *
 * A stated patience is counted and nothing else. Without one the rule is for outputs to minimize or maximize and asks for
 * evidence that they can improve no further: either a dozen runs that meet the other targets came as near as the best one, or
 * models of the cases around the best one expect next to nothing there, models of all cases expect little anywhere and
 * predict cases left out at all, and the runs since the last improvement met the other targets often enough to count as attempts. Ending
 * early is the worse mistake. The constants are chosen on the problems of the collection (bench/solvers/ends.ts).
 */

import type { Cases } from '../goal/cases.ts';
import { distanceTo, type Interval, improvementSign, isDirected, lossScales, meetsLimits } from '../goal/targets.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import type { Standstill, StopRule, SuggestRequest } from '../problem.ts';
import { movableCount } from '../space/encoding.ts';
import { clustersOf, crossValidate } from '../surrogate/cross-validation.ts';
import { bestFeasible } from './directed-outputs.ts';
import { localRegion, type Region } from './local-mode.ts';
import { expectedTerms, type Problem } from './scope-search.ts';

/** Suggestions in a row without an improvement before any evidence counts. */
const QUIET = 5;
/** Runs near the best one, itself included, that are evidence without any model. */
const SURROUNDED = 12;
/** A run is near whose directed outputs differ from the best by no more than this share of the scale. */
const NEAR = 0.01;
/** Least share of the suggestions since the last improvement that meet the other targets: a run that does not is no attempt to improve. */
const FEASIBLE_SHARE = 0.2;
/** Spreads are this many times wider than predicted, since the models of a young search are overconfident. */
const WIDER = 3;
/** The largest improvements that the models may expect, in multiples of the one that counts as none. */
const NEGLIGIBLE_GAIN = { nearby: 0.02, anywhere: 2 };
/** Least share of the variance of every output that the models of all cases predict of cases left out. */
const LEAST_R2 = 0;
/** The scale of an output is at least this share of how far designed outputs lie from the best, or its zero would have none. */
const LEAST_SCALE = 0.01;

/** Null while the search goes on. Needs at least one case. */
export function standstillOf(problem: Problem, rule: StopRule, work: Work): Standstill | null {
  const { cases, request } = problem;
  const { intervals } = cases;
  const best = bestFeasible(cases, intervals);
  const scales = intervals.map((_, j) => scaleOf(problem, j, best));
  const { quiet, lastRow } = progressOf(problem, rule.improvementBelow, scales);
  if (rule.patience !== undefined) return quiet >= rule.patience ? { quiet, expectedGain: null } : null;
  if (best < 0 || !isDirected(intervals)) return null;
  if (quiet < QUIET) return null;
  const feasible = withinLimits(cases);
  if (countNear(cases, feasible, best, scales) >= SURROUNDED) return { quiet, expectedGain: null };
  const attempts = feasible.filter((i) => cases.rows[i]! > lastRow).length;
  if (attempts < FEASIBLE_SHARE * (request.history.count - 1 - lastRow)) return null;
  const region = regionAround(problem, best);
  if (region === null) return null;
  const nearby = expectedGainOf(problem, best, scales, region, { ...work });
  if (nearby === null || nearby > NEGLIGIBLE_GAIN.nearby * rule.improvementBelow) return null;
  // The models that the expected gain comes from; other work before would fit them anew.
  if (!predictAtAll(problem, { ...work })) return null;
  const anywhere = expectedGainOf(problem, best, scales, null, { ...work });
  if (anywhere === null || anywhere > NEGLIGIBLE_GAIN.anywhere * rule.improvementBelow) return null;
  return { quiet, expectedGain: Math.max(nearby, anywhere) };
}

/** The region of a first local round around the case `best`; null with too few cases for it. */
function regionAround(problem: Problem, best: number): Region | null {
  const { cases, encoding, request } = problem;
  if (cases.N < movableCount(encoding) + 3) return null;
  const loss = cases.loss.slice();
  // The case with the least loss is the centre, and another may be nearer to the targets without meeting the limits.
  loss[best] = -1;
  return localRegion(problem, cases.U, loss, 0, makeRandom(request.seed, 8, request.history.count));
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
  /** Row of the history after which those suggestions come. */
  readonly lastRow: number;
}

/**
 * Until a case meets all undirected intervals, an improvement is a smaller miss of them; from then on, a better value of a
 * directed output. Small gains add up.
 */
function progressOf({ request, cases }: Problem, share: number, scales: readonly number[]): Progress {
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

/** The admissible cases that meet all undirected intervals. */
function withinLimits({ intervals, Y, N, isAdmissible }: Cases): readonly number[] {
  const m = intervals.length;
  return Array.from({ length: N }, (_, i) => i).filter(
    (i) => isAdmissible[i] === 1 && meetsLimits(intervals, Y, i * m),
  );
}

/** How many of some cases come as near to the best as `NEAR`. */
function countNear({ intervals, Y }: Cases, among: readonly number[], best: number, scales: readonly number[]): number {
  const m = intervals.length;
  const isNear = (i: number) =>
    intervals.every(({ directed }, j) => !directed || Math.abs(Y[i * m + j]! - Y[best * m + j]!) <= NEAR * scales[j]!);
  return among.filter(isNear).length;
}

/** Whether the models of all cases predict those left out better than their mean does. Too few to tell are no objection. */
function predictAtAll({ encoding, fitGlobally }: Problem, work: Work): boolean {
  const surrogate = fitGlobally(work);
  const clusters = clustersOf(surrogate, movableCount(encoding));
  return surrogate.outputs.every((_, j) => (crossValidate(surrogate, clusters, j).r2 ?? 1) >= LEAST_R2);
}

/**
 * The improvement expected at the best input the search finds, in shares of the scale: the largest of all directed outputs. null
 * when the models know nothing of one.
 *
 * @param region where to model and to look; null for everywhere
 */
function expectedGainOf(
  problem: Problem,
  best: number,
  scales: readonly number[],
  region: Region | null,
  work: Work,
): number | null {
  const { intervals, Y } = problem.cases;
  const m = intervals.length;
  const expected = expectedTerms(problem, best, WIDER, region, work);
  // Only inputs that were evaluated promise anything.
  if (expected === null) return 0;
  const { surrogate, terms } = expected;
  const logFeasible = intervals.reduce((sum, { directed }, j) => (directed ? sum : sum + terms[j]!), 0);
  const gains = intervals.flatMap((interval, j) => {
    if (!interval.directed) return [];
    const warp = surrogate.outputs[j]!.fitted?.warp;
    if (!warp) return [Number.POSITIVE_INFINITY];
    const z = warp.toZ(Y[best * m + j]!);
    const improved = warp.fromZ(z - improvementSign(interval) * Math.exp(terms[j]!));
    return [(Math.exp(logFeasible) * Math.abs(warp.fromZ(z) - improved)) / scales[j]!];
  });
  const most = Math.max(0, ...gains);
  return Number.isFinite(most) ? most : null;
}
