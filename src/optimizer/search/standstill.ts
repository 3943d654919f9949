/**
 * Whether a search is to end by its stop rule: an addition to what the search itself finds, which it does not change.
 *
 * A stated patience is counted and nothing else. Without one the rule is for outputs to minimize or maximize and asks for
 * evidence that they can improve no further: either a dozen runs that meet the other targets came as near as the best one and models of
 * the cases around it expect little there, or these expect next to nothing, models of all cases expect little anywhere and
 * predict cases left out at all, and the runs since the last improvement met the other targets often enough to count as attempts. Ending
 * early is the worse mistake. The constants are chosen on the problems of the collection (bench/solvers/ends.ts).
 */

import type { Cases } from '../goal/cases.ts';
import { improvementSign, isDirected, meetsLimits } from '../goal/targets.ts';
import type { Standstill, StopRule } from '../interface/problem.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import { movableCount } from '../space/encoding.ts';
import { clustersOf, crossValidate } from '../surrogate/cross-validation.ts';
import { areModelsExact, OPTIMISM } from './compromise.ts';
import { bestFeasible } from './directed-outputs.ts';
import { bestAttainable, improvementSought } from './improvement.ts';
import { localRegion, type Region } from './local-mode.ts';
import { progressOf, scalesAround } from './progress.ts';
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
/**
 * The largest improvements that the models may expect, in multiples of the one that counts as none. Surrounded by a dozen runs as good,
 * the best one may still be on the floor of a valley: without a limit there a search was ended 8 percent above its optimum.
 */
const NEGLIGIBLE_GAIN = { surrounded: 0.2, nearby: 0.02, anywhere: 2 };
/** Least share of the variance of every output that the models of all cases predict of cases left out. */
const LEAST_R2 = 0;

/** Null while the search goes on. Needs at least one case. */
export function standstillOf(problem: Problem, rule: StopRule, work: Work): Standstill | null {
  const { cases, request } = problem;
  const { intervals } = cases;
  const best = bestFeasible(cases, intervals);
  const scales = scalesAround(problem, best);
  const { quiet, lastRow } = progressOf(problem, rule.improvementBelow, scales);
  if (rule.patience !== undefined) return quiet >= rule.patience ? { quiet, expectedGain: null } : null;
  if (best < 0 || !isDirected(intervals)) return null;
  if (quiet < QUIET) return null;
  const gain = gainLeft(problem, rule, work);
  if (gain !== null) return { quiet, expectedGain: gain };
  const feasible = withinLimits(cases);
  const isSurrounded = countNear(cases, feasible, best, scales) >= SURROUNDED;
  const attempts = feasible.filter((i) => cases.rows[i]! > lastRow).length;
  const hasTried = attempts >= FEASIBLE_SHARE * (request.history.count - 1 - lastRow);
  if (!isSurrounded && !hasTried) return null;
  const region = regionAround(problem, best);
  const nearby = region && expectedGainOf(problem, best, scales, region, { ...work });
  const expects = (share: number) => nearby === null || nearby > share * rule.improvementBelow;
  const isFloor = isSurrounded && (region === null || !expects(NEGLIGIBLE_GAIN.surrounded));
  // Without a stated aspiration a search aims near to its best value, and the floor may be that of a local minimum. Spreads as predicted:
  // wider ones expect something everywhere.
  const isProof =
    isFloor &&
    (!request.goal.targets[0]!.isUnstated || littleGainAnywhere(problem, best, scales, rule, { ...work }, 1) !== null);
  if (isProof) return { quiet, expectedGain: nearby };
  if (!hasTried || nearby === null || expects(NEGLIGIBLE_GAIN.nearby)) return null;
  // The models that the expected gain comes from; other work before would fit them again.
  if (!predictAtAll(problem, { ...work })) return null;
  const anywhere = littleGainAnywhere(problem, best, scales, rule, { ...work });
  return anywhere === null ? null : { quiet, expectedGain: Math.max(nearby, anywhere) };
}

/**
 * Largest gain that models of all cases expect anywhere, if it is little; null if it is more, and if they know nothing.
 *
 * @param wider see `expectedGainOf`
 */
function littleGainAnywhere(
  problem: Problem,
  best: number,
  scales: readonly number[],
  { improvementBelow }: StopRule,
  work: Work,
  wider?: number,
): number | null {
  const gain = expectedGainOf(problem, best, scales, null, work, wider);
  return gain !== null && gain <= NEGLIGIBLE_GAIN.anywhere * improvementBelow ? gain : null;
}

/** The largest improvement that the models hold possible, where they agree that it is negligible; null while more may be gained. */
function gainLeft(problem: Problem, { improvementBelow }: StopRule, work: Work): number | null {
  // Models of one material or size tell little about another: with discrete inputs this ended four of six plays early.
  if (problem.encoding.discrete.includes(1)) return null;
  const sought = improvementSought(problem, improvementBelow);
  if (sought === null || sought.quiet < QUIET + movableCount(problem.encoding) / 2) return null;
  if (!areModelsExact(problem.fitGlobally({ ...work }))) return null;
  const expected = bestAttainable(problem, sought, {}, { ...work });
  if (expected === null || expected.gain > improvementBelow) return null;
  const possible = bestAttainable(problem, sought, { optimism: OPTIMISM }, { ...work });
  if (possible === null || possible.gain > NEGLIGIBLE_GAIN.anywhere * improvementBelow) return null;
  return predictAtAll(problem, { ...work }) ? Math.max(0, expected.gain, possible.gain) : null;
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

/** The admissible cases that meet all undirected intervals. */
function withinLimits({ intervals, Y, N, isAdmissible }: Cases): readonly number[] {
  const m = intervals.length;
  return Array.from({ length: N }, (_, i) => i).filter(
    (i) => isAdmissible[i] === 1 && meetsLimits(intervals, Y, i * m),
  );
}

/** Number of the given cases that come as near to the best as `NEAR`. */
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
 * @param wider factor on all spreads
 */
function expectedGainOf(
  problem: Problem,
  best: number,
  scales: readonly number[],
  region: Region | null,
  work: Work,
  wider = WIDER,
): number | null {
  const { intervals, Y } = problem.cases;
  const m = intervals.length;
  const expected = expectedTerms(problem, best, wider, region, work);
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
