/**
 * Evidence that the objectives cannot all be met. The claim is made only when the nearest point misses an interval by
 * several times all that may be wrong with the model there: its sigma and its error on cases left out. By default nothing is
 * claimed, unless every input of the space has been evaluated.
 */

import type { Cases } from '../goal/cases.ts';
import { bestOf, distanceTo, isDirected, l1NormOf, meetsLimits } from '../goal/targets.ts';
import type { Diagnosis } from '../interface/insights.ts';
import type { Work } from '../numerics/work.ts';
import { areConstant, type CaseMisses, type Expected, leastExpected, missesOfCases } from '../search/compromise.ts';
import { bestFeasible } from '../search/directed-outputs.ts';
import type { Prepared } from '../search/prepare.ts';
import { movableCount, roundToInput } from '../space/encoding.ts';
import { makeSeen } from '../space/seen.ts';
import { areSmall, averageOver, type Clusters, clustersOf, residualsOf } from '../surrogate/cross-validation.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { globalScope } from '../surrogate/scope.ts';
import { conflictsAmong, toDiagnosis } from './conflicts.ts';
import { costsOf } from './costs.ts';
import { diagnoseExhaustedSpace } from './exhausted-space.ts';
import { type Doubt, type Evidence, makeNearestSearch, type Nearest } from './nearest.ts';

/** A miss is certain from this many times the uncertainty of the prediction. */
const CERTAIN = 4;
/** Evaluated suggestions, and evaluations without progress, before anything is claimed. */
const MIN_SUGGESTIONS = 5;
const MIN_STALL = 3;
/** Least unit of a miss, standardized: nearer to the end of an interval errors are compared as they are. */
const LEAST_UNIT = 0.05;
/** Times the sigma of a model that is trusted by errors in proportion: with 1 a lesser of several peaks was taken for the highest. */
const WIDENING = 4;
/** With more inputs few cases lie near the miss, and errors in proportion took a lesser of several peaks for the highest. */
const MAX_SCALED_INPUTS = 5;
/** Error of an output whose model is not trusted, standardized. */
const UNKNOWN = 1e6;
/** Largest number of outputs among which conflicting pairs are sought. */
const MAX_INVOLVED = 8;
/** A predicted point is shown instead of an evaluated one when it is nearer by at least this share. */
const NOTICEABLY = 0.025;

/**
 * The diagnosis of a history by its surrogate; null while nothing speaks against the objectives.
 *
 * @param isProven whether the search found the best compromise, which is evidence enough
 */
export function diagnose(
  prepared: Prepared,
  surrogate: Surrogate,
  predictor: Predictor,
  work: Work,
  isProven = false,
): Diagnosis | null {
  const { request, encoding, conditions, cases } = prepared;
  const { history, firstSuggested, goal } = request;
  if (cases.loss.some((value) => value === 0)) return null;
  const evaluated = makeSeen(prepared, history.X, history.count).distinct;
  if (evaluated >= prepared.countUpTo(evaluated + 1)) return diagnoseExhaustedSpace(request, cases);
  const n = movableCount(encoding);
  const suggestions = history.count - firstSuggested;
  // Every category may behave in its own way.
  const features = encoding.owner.reduce((count, v) => count + encoding.movable[v]!, 0);
  const isEnough = cases.N >= 2 * features + 4 && suggestions >= MIN_SUGGESTIONS && cases.stall >= MIN_STALL;
  if (!isEnough && !isProven) return null;
  const clusters = clustersOf(surrogate, n);
  const { rows } = globalScope(prepared, cases, goal);
  const doubts = surrogate.outputs.map(({ fitted }, j): Doubt => {
    if (!fitted && !areConstant(cases)) return { error: UNKNOWN, widening: 1 };
    const scale = goal.l1 || n > MAX_SCALED_INPUTS ? null : missScale(cases, surrogate, rows, j);
    return doubtOf(residualsOf(surrogate, clusters, j), clusters, scale);
  });
  const evidence: Evidence = { request, encoding, conditions, cases, surrogate, predictor, doubts, work };
  const search = makeNearestSearch(evidence);
  const all = cases.intervals.map((_, j) => j);
  const nearest = search.leastCertainMiss(all);
  if (!isProven && !isMissed(evidence, nearest, all)) return null;
  const conflicts = conflictsAmong(involvedOutputs(evidence, nearest), (outputs) =>
    isMissed(evidence, search.leastCertainMiss(outputs), outputs),
  );
  const feasible = hasLimits(cases) ? bestFeasible(cases, cases.intervals) : -1;
  const misses = missesOfCases(prepared);
  const compromise = feasible < 0 ? leastExpected(prepared, misses, {}, { ...work, spent: 0 }) : null;
  const shown =
    feasible < 0
      ? pointToShow(evidence, misses, compromise)
      : pointWithinLimits(evidence, feasible, search.bestWithinLimits());
  const costs = compromise && compromise.worst > 0 ? { costs: costsOf(prepared, misses, compromise, work) } : null;
  const at = (point: Shown): Diagnosis => ({
    ...toDiagnosis(goal, cases.intervals, point, conflicts),
    ...(feasible >= 0 && { attainable: directedOf(cases, point.nearestOutput) }),
    ...costs,
  });
  const diagnosis = at(shown);
  if (diagnosis.unmet.length > 0) return diagnosis;
  // A point where the model expects no miss refutes the claim, unless many runs have shown that the model is wrong there.
  return isProven && feasible < 0 && misses.best >= 0 ? at(evaluatedPoint(evidence, misses.best)) : null;
}

/** The scale on which the misses of one output are compared, standardized. */
interface MissScale {
  /** Length N of the fit: the cases. */
  readonly z: Float64Array;
  /** The end of the interval at which it is missed, or nearest to being missed. */
  readonly end: number;
  /** Distance of the best case from that end: errors count in full up to it, and in proportion to it beyond. */
  readonly unit: number;
  /** Length N, at most 1: how much the error of a case counts, the miss of all outputs at the best case over that of the case. */
  readonly relevance: Float64Array;
}

/** The scale of output j around the best case, for the cases of a fit; null for an output without a model or a finite end. */
function missScale(cases: Cases, surrogate: Surrogate, rows: Int32Array, j: number): MissScale | null {
  const { fitted, lower, upper } = surrogate.outputs[j]!;
  if (!fitted) return null;
  const row = bestOf(cases.loss);
  const best = fitted.warp.toZ(caseOutput(cases, row)[j]!);
  const end = Math.abs(best - lower) < Math.abs(best - upper) ? lower : upper;
  if (!Number.isFinite(end)) return null;
  const relevance = Float64Array.from(rows, (i) => Math.sqrt(cases.loss[row]! / cases.loss[i]!));
  return { z: fitted.warp.z, end, unit: Math.max(LEAST_UNIT, Math.abs(best - end)), relevance };
}

/**
 * Half the largest residual: a mean would be flattered by the many cases around the incumbent. 0 for a constant. Or less where
 * the errors are in proportion to the distance from the end of the interval: what is wrong with the model far beyond the miss
 * in question casts doubt on it in proportion only. A hundred that is taken for eighty is no reason to doubt that two is not
 * reached.
 */
function doubtOf(residuals: Float64Array | null, clusters: Clusters, scale: MissScale | null): Doubt {
  if (!residuals) return { error: 0, widening: 1 };
  const plain = areSmall(residuals, clusters, 1)
    ? residuals.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 2
    : UNKNOWN;
  if (scale === null) return { error: plain, widening: 1 };
  const { z, end, unit, relevance } = scale;
  const onScale = (value: number) => unit * Math.asinh((value - end) / unit);
  const errors = residuals.map((residual, i) => onScale(z[i]!) - onScale(z[i]! - residual));
  const mean = averageOver(clusters, (i) => onScale(z[i]!));
  const variance = averageOver(clusters, (i) => (onScale(z[i]!) - mean) ** 2);
  const largest = errors.reduce((most, error, i) => Math.max(most, relevance[i]! * Math.abs(error)), 0);
  const scaled = areSmall(errors, clusters, variance) ? largest / 2 : UNKNOWN;
  return scaled < plain ? { error: scaled, widening: WIDENING } : { error: plain, widening: 1 };
}

/** True when the given outputs are certainly not met together at the point, for an exact goal by the sum. */
function isMissed(
  { request, cases, surrogate, predictor, doubts }: Evidence,
  { u, gaps, uncertainties }: Nearest,
  outputs: readonly number[],
): boolean {
  const { l1 } = request.goal;
  if (!l1) return outputs.some((j) => gaps[j]! > CERTAIN * uncertainties[j]!);
  predictor.predictMeans(u);
  let least = 0;
  for (const j of outputs) {
    const warp = surrogate.outputs[j]!.fitted?.warp;
    if (!warp) {
      if (doubts[j]!.error !== UNKNOWN) least += Math.abs(cases.Y[j]! - l1.center[j]!);
      continue;
    }
    const target = warp.toZ(l1.center[j]!);
    const off = Math.max(0, Math.abs(predictor.mean[j]! - target) - CERTAIN * uncertainties[j]!);
    least += Math.abs(warp.fromZ(target + off) - l1.center[j]!);
  }
  return least > l1.threshold;
}

/** The outputs that are missed, then those nearest to an end of their interval, which hold the others back; ascending. */
function involvedOutputs({ cases, surrogate, predictor }: Evidence, nearest: Nearest): number[] {
  predictor.predictMeans(nearest.u);
  const slack = surrogate.outputs.map(({ lower, upper }, j) =>
    nearest.gaps[j]! > 0
      ? -nearest.gaps[j]! / nearest.uncertainties[j]!
      : Math.min(predictor.mean[j]! - lower, upper - predictor.mean[j]!),
  );
  return cases.intervals
    .map((_, j) => j)
    .filter((j) => Number.isFinite(slack[j]!))
    .sort((a, b) => slack[a]! - slack[b]! || a - b)
    .slice(0, MAX_INVOLVED)
    .sort((a, b) => a - b);
}

type Shown = Pick<Diagnosis, 'nearestInput' | 'nearestOutput' | 'nearestIs'>;

/** The case that misses least, or the best compromise that the models expect if its worst miss is noticeably smaller. */
function pointToShow(evidence: Evidence, { worst, best }: CaseMisses, compromise: Expected | null): Shown {
  if (best < 0) return evaluatedPoint(evidence, bestOf(worst));
  const evaluated = evaluatedPoint(evidence, best);
  if (compromise === null || !(compromise.worst < (1 - NOTICEABLY) * worst[best]!)) return evaluated;
  const predicted = predictedPoint(evidence, compromise.u);
  return predicted.nearestOutput.every(Number.isFinite) ? predicted : evaluated;
}

/** Whether there are outputs with a direction beside others. */
function hasLimits({ intervals }: Cases): boolean {
  return isDirected(intervals) && intervals.some(({ directed }) => !directed);
}

/**
 * Chooses between the case that meets all limits and the prediction at u (features): the one nearer to the aspirations,
 * if u meets the limits too.
 */
function pointWithinLimits(evidence: Evidence, feasible: number, u: Float64Array): Shown {
  const { intervals } = evidence.cases;
  const evaluated = evaluatedPoint(evidence, feasible);
  const predicted = predictedPoint(evidence, u);
  if (!meetsLimits(intervals, predicted.nearestOutput) || !predicted.nearestOutput.every(Number.isFinite))
    return evaluated;
  const distanceOf = ({ nearestOutput }: Shown) => distanceFromGoal(evidence, nearestOutput);
  return distanceOf(predicted) < (1 - NOTICEABLY) * distanceOf(evaluated) ? predicted : evaluated;
}

function directedOf({ intervals }: Cases, output: readonly number[]): NonNullable<Diagnosis['attainable']> {
  return intervals.flatMap(({ directed }, j) => (directed ? [{ output: j, value: output[j]! }] : []));
}

/** L1 norm for an exact goal; otherwise the Euclidean norm of the misses, each in units of its output's variation. */
function distanceFromGoal({ request, cases, surrogate }: Evidence, output: readonly number[]): number {
  const { l1 } = request.goal;
  if (l1) return l1NormOf(l1, (j) => output[j]!);
  const scaled = cases.intervals.map((interval, j) => {
    const warp = surrogate.outputs[j]!.fitted?.warp;
    return distanceTo(interval, output[j]!) / ((warp && Math.abs(warp.fromZ(1) - warp.fromZ(0))) || 1);
  });
  return Math.hypot(...scaled);
}

function caseOutput({ Y, intervals }: Cases, i: number): number[] {
  const m = intervals.length;
  return Array.from(Y.subarray(i * m, (i + 1) * m));
}

function evaluatedPoint({ request, encoding, cases }: Evidence, i: number): Shown {
  const { history, goal } = request;
  const rowOf = (values: Float64Array, width: number) =>
    Array.from(values.subarray(cases.rows[i]! * width, (cases.rows[i]! + 1) * width));
  return {
    nearestInput: rowOf(history.X, encoding.n),
    nearestOutput: rowOf(history.Y, goal.targets.length),
    nearestIs: 'evaluated',
  };
}

/** The prediction at the admissible input nearest to the features u. */
function predictedPoint({ encoding, cases, surrogate, predictor }: Evidence, u: Float64Array): Shown {
  const rounded = u.slice();
  const x = new Float64Array(encoding.n);
  roundToInput(encoding, rounded, x);
  predictor.predictMeans(rounded);
  const output = surrogate.outputs.map(({ fitted }, j) =>
    fitted ? fitted.warp.outputAt(predictor.mean[j]!) : cases.Y[j]!,
  );
  return { nearestInput: Array.from(x), nearestOutput: output, nearestIs: 'predicted' };
}
