/**
 * Evidence that the objectives cannot all be met. It is a claim about a place the model has seen well, so it is made
 * only when the nearest point misses an interval by several times everything that could be wrong with the model: its
 * own spread there and its leave-one-out error. Silence is the default, except where every input has been tried.
 */
import type { Work } from '../numerics/work.ts';
import type { Prepared } from '../prepare.ts';
import type { Diagnosis } from '../problem.ts';
import { makeSeen } from '../search/seen.ts';
import { movableCount, snap } from '../space.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { bestOf, distanceTo, stallOf } from '../targets.ts';
import { averageOver, type Places, placesOf, residualsOf } from './cross-validation.ts';
import { conflictsAmong, toDiagnosis } from './misses.ts';
import { type Evidence, makeNearestSearch, type Nearest } from './nearest.ts';
import { diagnoseTried } from './tried.ts';

/** A miss counts from this many times the doubt about the prediction. */
const CERTAIN = 4;
/** Suggestions made, and suggestions without progress, before anything is claimed. */
const LEAST_STEPS = 5;
const LEAST_STALL = 3;
/**
 * Share of the variance of an output that the model must predict, left out place by place, to be a witness: with 0.9 it
 * took a lesser peak for the highest.
 */
const LEAST_R2 = 0.95;
/** Cases after which an output that never varied is taken for a constant: a step may hide in any gap. */
const CONSTANT_CASES = 50;
/** Error of an output that is no witness, standardized. */
const UNKNOWN = 1e6;
/** Outputs among which conflicting pairs are sought. */
const MOST_INVOLVED = 8;
/** A predicted place is shown instead of an evaluated one when it is nearer by at least this share. */
const NOTICEABLY = 0.025;

/** The diagnosis of a history by the surrogate fitted to it; null while nothing speaks against the objectives. */
export function diagnose(prepared: Prepared, surrogate: Surrogate, predictor: Predictor, work: Work): Diagnosis | null {
  const { request, coding, cases } = prepared;
  const { history, firstSuggested, goal } = request;
  if (cases.merit.some((value) => value === 0)) return null;
  const tried = makeSeen(coding, history.X, history.count).distinct;
  if (tried >= coding.size) return diagnoseTried(request, cases);
  const n = movableCount(coding);
  if (cases.N < 2 * n + 4 || history.count - firstSuggested < LEAST_STEPS || stallOf(cases.merit) < LEAST_STALL)
    return null;
  const places = placesOf(surrogate, n);
  const errors = Float64Array.from(surrogate.outputs, ({ fitted }, j) =>
    fitted || cases.N >= CONSTANT_CASES ? typicalError(residualsOf(surrogate, places, j), places) : UNKNOWN,
  );
  const evidence: Evidence = { request, coding, cases, surrogate, predictor, errors, work };
  const search = makeNearestSearch(evidence);
  const all = cases.intervals.map((_, j) => j);
  const nearest = search.surest(all);
  if (!isMissed(evidence, nearest, all)) return null;
  const conflicts = conflictsAmong(involvedOutputs(evidence, nearest), (outputs) =>
    isMissed(evidence, search.surest(outputs), outputs),
  );
  const shown = placeToShow(evidence, [nearest.u, search.fairest()]);
  const diagnosis = toDiagnosis(goal, cases.intervals, shown, conflicts);
  // A place where the model expects no miss at all refutes the claim.
  return diagnosis.unmet.length > 0 ? diagnosis : null;
}

/** Half the largest residual: the mean would be flattered by the many cases around the best one. */
function typicalError(residuals: Float64Array | null, places: Places): number {
  if (!residuals) return 0;
  const missed = averageOver(places, (i) => residuals[i]! ** 2);
  if (!(missed <= 1 - LEAST_R2)) return UNKNOWN;
  return residuals.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 2;
}

/** Whether the given outputs are certainly not met together there. An exact goal is judged by the sum. */
function isMissed(
  { request, cases, surrogate, predictor, errors }: Evidence,
  { u, gaps, doubts }: Nearest,
  outputs: readonly number[],
): boolean {
  const { l1 } = request.goal;
  if (!l1) return outputs.some((j) => gaps[j]! > CERTAIN * doubts[j]!);
  predictor.predict(u, false, false);
  let least = 0;
  for (const j of outputs) {
    const warp = surrogate.outputs[j]!.fitted?.warp;
    if (!warp) {
      if (errors[j] !== UNKNOWN) least += Math.abs(cases.Y[j]! - l1.center[j]!);
      continue;
    }
    const target = warp.toZ(l1.center[j]!);
    const off = Math.max(0, Math.abs(predictor.mean[j]! - target) - CERTAIN * doubts[j]!);
    least += Math.abs(warp.fromZ(target + off) - l1.center[j]!);
  }
  return least > l1.threshold;
}

/** Outputs that are missed, then those that lie nearest to an end of their interval: they hold the others back. */
function involvedOutputs({ cases, surrogate, predictor }: Evidence, nearest: Nearest): number[] {
  predictor.predict(nearest.u, false, false);
  const slack = surrogate.outputs.map(({ lower, upper }, j) =>
    nearest.gaps[j]! > 0
      ? -nearest.gaps[j]! / nearest.doubts[j]!
      : Math.min(predictor.mean[j]! - lower, upper - predictor.mean[j]!),
  );
  return cases.intervals
    .map((_, j) => j)
    .filter((j) => Number.isFinite(slack[j]!))
    .sort((a, b) => slack[a]! - slack[b]! || a - b)
    .slice(0, MOST_INVOLVED)
    .sort((a, b) => a - b);
}

type Shown = Pick<Diagnosis, 'nearestInput' | 'nearestOutput' | 'nearestIs'>;

/** The best case, or the nearest of the predicted places when that is noticeably nearer. */
function placeToShow(
  { request, coding, cases, surrogate, predictor }: Evidence,
  places: readonly Float64Array[],
): Shown {
  const { l1 } = request.goal;
  const m = cases.intervals.length;
  /** Distance of an output from the goal: the sum for an exact one, else the root of the squares in units of the data. */
  const badness = (output: readonly number[]) => {
    if (l1) return output.reduce((sum, y, j) => sum + Math.abs(y - l1.center[j]!), 0);
    const scaled = cases.intervals.map((interval, j) => {
      const warp = surrogate.outputs[j]!.fitted?.warp;
      return distanceTo(interval, output[j]!) / ((warp && Math.abs(warp.fromZ(1) - warp.fromZ(0))) || 1);
    });
    return Math.hypot(...scaled);
  };
  const outputOf = (i: number) => Array.from(cases.Y.subarray(i * m, (i + 1) * m));
  const evaluated = Float64Array.from({ length: cases.N }, (_, i) => badness(outputOf(i)));
  const best = bestOf(evaluated);
  const row = cases.rows[best]! * coding.n;
  let shown: Shown = {
    nearestInput: Array.from(request.history.X.subarray(row, row + coding.n)),
    nearestOutput: outputOf(best),
    nearestIs: 'evaluated',
  };
  let least = (1 - NOTICEABLY) * evaluated[best]!;
  for (const place of places) {
    const u = place.slice();
    const x = new Float64Array(coding.n);
    snap(coding, u, x);
    predictor.predict(u, false, false);
    const output = surrogate.outputs.map(({ fitted }, j) =>
      fitted ? fitted.warp.fromZ(predictor.mean[j]!) : cases.Y[j]!,
    );
    const value = badness(output);
    if (!output.every(Number.isFinite) || !(value < least)) continue;
    least = value;
    shown = {
      nearestInput: Array.from(x),
      nearestOutput: output,
      nearestIs: 'predicted',
    };
  }
  return shown;
}
