/**
 * Directed outputs, those to minimize or maximize: what to aim at when their aspirations are out of reach, and when to
 * stop. Stopping early is the worse mistake, so it takes many suggestions that gained nothing and a model that expects
 * nothing from the best input that the search finds.
 */

import type { Aim } from '../acquisition/acquisition.ts';
import type { Cases } from '../goal/cases.ts';
import { type Interval, improvementSign, isDirected, meetsLimits } from '../goal/targets.ts';
import type { SuggestRequest } from '../interface/problem.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';

/**
 * Suggestions without a gain before the model is believed: enough for the local rounds around one centre, and for as many
 * suggestions again that distrust the model.
 */
const PATIENCE = 30;
const PATIENCE_PER_INPUT = 5;

/** The case that meets all undirected intervals and comes nearest to the aspirations; -1 without a feasible case. */
export function bestFeasible(cases: Cases, intervals: readonly Interval[]): number {
  const m = intervals.length;
  let best = -1;
  for (let i = 0; i < cases.N; i++) {
    if (cases.isAdmissible[i] === 0 || (best >= 0 && cases.loss[i]! >= cases.loss[best]!)) continue;
    if (meetsLimits(intervals, cases.Y, i * m)) best = i;
  }
  return best;
}

/** Whether an output is to be minimized or maximized within limits that no case meets yet. */
export function seeksLimits(cases: Cases): boolean {
  return isDirected(cases.intervals) && bestFeasible(cases, cases.intervals) < 0;
}

/**
 * Aims of a search for an improvement on the case `feasible`. With -1 the search first has to meet the undirected
 * intervals.
 */
export function improvementAims(
  surrogate: Surrogate,
  cases: Cases,
  intervals: readonly Interval[],
  feasible: number,
): Aim[] {
  return intervals.map((interval, j): Aim => {
    if (!interval.directed) return 'interval';
    const warp = surrogate.outputs[j]!.fitted?.warp;
    return feasible < 0 || !warp ? 'ignore' : { incumbent: warp.toZ(cases.Y[feasible * intervals.length + j]!) };
  });
}

/**
 * True when none of the last 30 + 5 n suggestions improved the best feasible case noticeably. While inputs are pending,
 * suggestions know less of each other, so it takes more of them: the square root of 1 + pending times as many.
 *
 * @param feasible of `bestFeasible`
 * @param n number of movable variables
 * @param pending number of pending inputs
 */
export function hasStagnated(request: SuggestRequest, cases: Cases, feasible: number, n: number, pending = 0): boolean {
  const { intervals } = cases;
  const patience = (PATIENCE + PATIENCE_PER_INPUT * n) * Math.sqrt(1 + pending);
  if (feasible < 0 || request.history.count - request.firstSuggested < patience) return false;
  const since = request.history.count - patience;
  const earlier = cases.rows.filter((row) => row < since).length;
  const before = bestFeasible({ ...cases, N: earlier }, intervals);
  if (before < 0) return false;
  const m = intervals.length;
  return intervals.every((interval, j) => {
    if (!interval.directed) return true;
    const gain = Math.abs(cases.Y[feasible * m + j]! - cases.Y[before * m + j]!);
    return gain <= negligible(request, interval, cases.Y[feasible * m + j]!);
  });
}

/** The largest gain of one output that counts as none, in output units. */
function negligible(request: SuggestRequest, interval: Interval, best: number): number {
  return request.convergence * Math.max(Math.abs(best), Math.abs(interval.center));
}

/**
 * True when the improvement expected at the best input found is negligible for every directed output.
 *
 * @param feasible of `bestFeasible`, not -1
 * @param terms length m, of the acquisition there: log expected improvements of directed outputs, log probabilities of the
 * others
 */
export function expectsNoImprovement(
  request: SuggestRequest,
  surrogate: Surrogate,
  cases: Cases,
  feasible: number,
  terms: Float64Array,
): boolean {
  const { intervals } = cases;
  const m = intervals.length;
  let logFeasible = 0;
  for (let j = 0; j < m; j++) if (!intervals[j]!.directed) logFeasible += terms[j]!;
  return intervals.every((interval, j) => {
    const warp = surrogate.outputs[j]!.fitted?.warp;
    if (!interval.directed || !warp) return true;
    const best = cases.Y[feasible * m + j]!;
    const least = Math.abs(
      warp.toZ(best) - warp.toZ(best - improvementSign(interval) * negligible(request, interval, best)),
    );
    return logFeasible + terms[j]! < Math.log(least);
  });
}
