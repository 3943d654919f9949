/**
 * Targets at the edge of what can be reached.
 *
 * The spread of a two-sided output in the acquisition has a floor, so that the search aims at the middle of its interval. Where a
 * few inputs barely meet all targets, the product of these probabilities is largest outside of them: a small sure miss of one
 * output costs less than the edges of all others. Once a run is that near, the floor is left aside, and the input with the least
 * worst miss takes the place of the one found if it is more likely to meet everything.
 */
import { logIntervalProbability } from '../acquisition/interval-probability.ts';
import { plainMisses } from '../goal/misses.ts';
import { bestOf, byLoss } from '../goal/targets.ts';
import type { Goal } from '../interface/problem.ts';
import { featuresOf } from '../space/encoding.ts';
import type { Found } from './maximize-acquisition.ts';
import type { Problem, ScopeSearch } from './scope-search.ts';

/** The worst miss of the best run, in tolerances, from which the edge may be near. */
const NARROW_MISS = 1;
/** Gain of the log probability that all targets are met which is worth another aim. */
const WORTHWHILE = 1;

/** The input that the search evaluates in place of the one found: the same, unless another is better at the edge. */
export function atTheEdge(problem: Problem, search: ScopeSearch, found: Found | null): Found | null {
  const { aim, cases, encoding, request } = problem;
  if (aim.noise !== null || !aim.doesRunDecide) return found;
  const { goal } = request;
  const m = cases.intervals.length;
  const misses = plainMisses(goal, cases.intervals);
  const worst = Float64Array.from({ length: cases.N }, (_, i) => misses.worstOf(cases.Y, i * m));
  const isRepeat = found === null || found.isSecondBest === true;
  if (!isRepeat && worst[bestOf(worst)]! > NARROW_MISS) return found;
  const u = found && featuresOf(encoding, found.x);
  const chance = u ? logChanceAt(search, goal, u) : Number.NEGATIVE_INFINITY;
  if (chance > -WORTHWHILE) return found;
  const ranked = Array.from(search.scope.rows).sort(byLoss(worst));
  const other = search.leastWorstMiss(misses, ranked, u ? [u] : []);
  if (other === null || (other.worst > 0 && hasOrder(goal))) return found;
  return logChanceAt(search, goal, featuresOf(encoding, other.x)) > chance + WORTHWHILE ? other : found;
}

/** Whether outputs count unequally where not all can be met. */
function hasOrder({ weights, priorities }: Goal): boolean {
  return weights !== undefined || priorities !== undefined;
}

/** Log of the probability that u meets all targets, without a floor. An exact goal: normal, with the sum of all variances. */
function logChanceAt({ surrogate, predictor }: ScopeSearch, { l1 }: Goal, u: Float64Array): number {
  predictor.predict(u);
  const { mean, sigma } = predictor;
  const term = { value: 0, byMean: 0, bySpread: 0, curvature: 0 };
  if (l1) {
    let norm = 0;
    let variance = 0;
    surrogate.outputs.forEach(({ fitted }, j) => {
      if (fitted === null) return;
      const { fromZ } = fitted.warp;
      norm += Math.abs(fromZ(mean[j]!) - l1.center[j]!);
      variance += ((fromZ(mean[j]! + sigma[j]!) - fromZ(mean[j]! - sigma[j]!)) / 2) ** 2;
    });
    logIntervalProbability(norm, Math.sqrt(variance) || Number.MIN_VALUE, Number.NEGATIVE_INFINITY, l1.threshold, term);
    return term.value;
  }
  return surrogate.outputs.reduce((sum, { fitted, lower, upper }, j) => {
    const isAsked = Number.isFinite(lower) || Number.isFinite(upper);
    if (fitted === null || !isAsked || !(upper > lower)) return sum;
    logIntervalProbability(mean[j]!, sigma[j]!, lower, upper, term);
    return sum + term.value;
  }, 0);
}
