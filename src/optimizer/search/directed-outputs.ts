/**
 * Outputs to minimize or maximize: what to aim at when their aspiration is out of reach, and when to stop. The stop
 * errs on the side of going on: it needs a long run of suggestions that gained nothing, and a model that expects
 * nothing from the best place the search finds.
 */
import type { Aim } from '../acquisition/acquisition.ts';
import type { Cases } from '../cases.ts';
import type { SuggestRequest } from '../problem.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { distanceTo, type Interval } from '../targets.ts';

/**
 * Suggestions without a gain before the model is believed: a full cycle of local turns, and as many again that distrust
 * it. Stopping early is the worse mistake.
 */
const PATIENCE = 30;
const PATIENCE_PER_INPUT = 5;

/** The case that meets all undirected intervals and comes nearest to the aspirations; -1 without such a case. */
export function bestFeasible(cases: Cases, intervals: readonly Interval[]): number {
  const m = intervals.length;
  let best = -1;
  for (let i = 0; i < cases.N; i++) {
    if (best >= 0 && cases.merit[i]! >= cases.merit[best]!) continue;
    if (intervals.every((interval, j) => interval.directed || distanceTo(interval, cases.Y[i * m + j]!) === 0))
      best = i;
  }
  return best;
}

/** Aims for a search that improves on the case `feasible`; with -1 it first has to meet the undirected intervals. */
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

/** True when none of the last suggestions (30 + 5 n of them) improved the best feasible case noticeably. */
export function isStandstill(
  request: SuggestRequest,
  cases: Cases,
  intervals: readonly Interval[],
  feasible: number,
  n: number,
): boolean {
  const patience = PATIENCE + PATIENCE_PER_INPUT * n;
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

/** Gains of one output, in natural units, that count as none. */
function negligible(request: SuggestRequest, interval: Interval, best: number): number {
  return request.convergence * Math.max(Math.abs(best), Math.abs(interval.center));
}

/**
 * True when the improvement expected at the best place is negligible for every directed output.
 *
 * @param value acquisition there, and `terms` (length m) its summands: log expected improvements for directed outputs,
 * log chances for the others
 */
export function expectsNothing(
  request: SuggestRequest,
  surrogate: Surrogate,
  cases: Cases,
  intervals: readonly Interval[],
  feasible: number,
  terms: Float64Array,
): boolean {
  const m = intervals.length;
  let logChance = 0;
  for (let j = 0; j < m; j++) if (!intervals[j]!.directed) logChance += terms[j]!;
  return intervals.every((interval, j) => {
    const warp = surrogate.outputs[j]!.fitted?.warp;
    if (!interval.directed || !warp) return true;
    const best = cases.Y[feasible * m + j]!;
    const sign = Number.isFinite(interval.upper) ? 1 : -1;
    const least = Math.abs(warp.toZ(best) - warp.toZ(best - sign * negligible(request, interval, best)));
    return logChance + terms[j]! < Math.log(least);
  });
}
