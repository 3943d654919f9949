/**
 * Evidence that the objectives cannot all be met. It is a claim about a place the model has seen well, so it is made
 * only when the nearest point misses an interval by several times everything that could be wrong with the model: its
 * own spread there and its leave-one-out error. Silence is the default.
 */
import { type Acquisition, type Aim, makeAcquisition } from '../acquisition/acquisition.ts';
import type { Cases } from '../cases.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import type { Diagnosis, SuggestRequest } from '../problem.ts';
import { climb } from '../search/box-newton.ts';
import { type Coding, movableCount, snap } from '../space.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { distanceTo, stallOf } from '../targets.ts';
import { residualsOf } from './cross-validation.ts';

/** A miss counts from this many times the doubt about the prediction. */
const CERTAIN = 4;
/** Suggestions made, and suggestions without progress, before anything is claimed. */
const LEAST_STEPS = 5;
const LEAST_STALL = 3;
/** Share of the variance of an output that the model must explain, left out point by point, to be a witness. */
const LEAST_R2 = 0.9;
/** Cases after which an output that never varied is taken for a constant: a step may hide in any gap. */
const CONSTANT_CASES = 25;
/** Error of an output that is no witness, standardized. */
const UNKNOWN = 1e6;
/** Outputs among which conflicting pairs are sought. */
const MOST_INVOLVED = 8;
const STEPS = 25;

interface Evidence {
  readonly request: SuggestRequest;
  readonly coding: Coding;
  readonly cases: Cases;
  readonly surrogate: Surrogate;
  readonly predictor: Predictor;
  readonly starts: readonly Float64Array[];
  /** Leave-one-out error per output, standardized. */
  readonly errors: Float64Array;
  readonly work: Work;
}

/** A place that comes nearest to some of the objectives. */
interface Nearest {
  readonly u: Float64Array;
  /** Length m, standardized: how far the mean is from its interval, and how wrong it may be. */
  readonly gaps: Float64Array;
  readonly doubts: Float64Array;
}

/** The diagnosis of a history by the surrogate fitted to it; null while nothing speaks against the objectives. */
export function diagnose(
  request: SuggestRequest,
  coding: Coding,
  cases: Cases,
  surrogate: Surrogate,
  predictor: Predictor,
  work: Work,
): Diagnosis | null {
  const n = movableCount(coding);
  const steps = request.history.count - request.firstStep;
  if (cases.N < 2 * n + 4 || steps < LEAST_STEPS || stallOf(cases.merit) < LEAST_STALL) return null;
  if (cases.merit.some((value) => value === 0)) return null;
  const errors = Float64Array.from(surrogate.outputs, ({ fitted }, j) =>
    fitted || cases.N >= CONSTANT_CASES ? typicalError(residualsOf(surrogate, j)) : UNKNOWN,
  );
  const starts = startsOf(request, coding, cases);
  const evidence: Evidence = { request, coding, cases, surrogate, predictor, starts, errors, work };
  const all = cases.intervals.map((_, j) => j);
  const nearest = nearestTo(evidence, all);
  if (!isMissed(evidence, nearest, all)) return null;
  return describe(evidence, nearest);
}

/**
 * Half the largest leave-one-out residual. The mean would be flattered by the many points that lie close together
 * around the best one; the isolated ones tell how well the model knows the rest of the box.
 */
function typicalError(residuals: Float64Array | null): number {
  if (!residuals) return 0;
  const missed = residuals.reduce((sum, value) => sum + value * value, 0) / residuals.length;
  if (missed > 1 - LEAST_R2) return UNKNOWN;
  return residuals.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 2;
}

/** The five best cases, the centre of the box and twenty random points, features. */
function startsOf(request: SuggestRequest, coding: Coding, { U, merit }: Cases): Float64Array[] {
  const { p } = coding;
  const order = Array.from(merit, (_, i) => i).sort((a, b) => merit[a]! - merit[b]! || a - b);
  const random = makeRandom(request.seed, 4, request.history.count);
  const drawn = Array.from({ length: 20 }, () =>
    coding.lower.map((low, f) => low + random.uniform() * (coding.upper[f]! - low)),
  );
  return [...order.slice(0, 5).map((i) => U.slice(i * p, (i + 1) * p)), new Float64Array(p), ...drawn];
}

/** The place where the given outputs miss their intervals least, relative to the doubt about each. */
function nearestTo(
  { coding, surrogate, predictor, cases, starts, errors, work }: Evidence,
  outputs: readonly number[],
) {
  const { lower, upper } = coding;
  const aims = cases.intervals.map((interval, j): Aim => {
    const open = interval.lower === Number.NEGATIVE_INFINITY && interval.upper === Number.POSITIVE_INFINITY;
    return outputs.includes(j) && !open ? 'interval' : 'ignore';
  });
  const isDirected = cases.intervals.map((interval) => interval.directed);
  const acquisition: Acquisition = makeAcquisition(surrogate, predictor, aims, isDirected, null);
  const frozen = errors.map((error, j) => Math.max(2 * error, acquisition.frozenFloor[j]!, 1e-3));
  const ranked = starts
    .map((u) => ({ u: u.slice(), value: acquisition.evaluate(u, frozen, false) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, 4);
  let best = ranked[0]!.u;
  let most = Number.NEGATIVE_INFINITY;
  for (const { u } of ranked) {
    const value = climb(acquisition, u, frozen, { lower, upper }, STEPS, work);
    if (value > most) [best, most] = [u, value];
  }
  return assess(surrogate, predictor, errors, best);
}

function assess(surrogate: Surrogate, predictor: Predictor, errors: Float64Array, u: Float64Array): Nearest {
  predictor.predict(u, false, true);
  const { mean, sigma } = predictor;
  const gaps = Float64Array.from(surrogate.outputs, ({ lower, upper }, j) =>
    Math.max(0, lower - mean[j]!, mean[j]! - upper),
  );
  const doubts = errors.map((error, j) => Math.hypot(error, sigma[j]!) + 1e-9);
  return { u: u.slice(), gaps, doubts };
}

/** Whether the given outputs are certainly not met together there. An exact goal is judged by the sum. */
function isMissed(
  { request, surrogate, predictor }: Evidence,
  { u, gaps, doubts }: Nearest,
  outputs: readonly number[],
) {
  const { l1 } = request.goal;
  if (!l1) return outputs.some((j) => gaps[j]! > CERTAIN * doubts[j]!);
  predictor.predict(u, false, false);
  let least = 0;
  for (const j of outputs) {
    const warp = surrogate.outputs[j]!.fitted?.warp;
    if (!warp) continue;
    const target = warp.toZ(l1.center[j]!);
    const off = Math.max(0, Math.abs(predictor.mean[j]! - target) - CERTAIN * doubts[j]!);
    least += Math.abs(warp.fromZ(target + off) - l1.center[j]!);
  }
  return least > l1.threshold || outputs.some((j) => !surrogate.outputs[j]!.fitted && gaps[j]! > 0);
}

function describe(evidence: Evidence, nearest: Nearest): Diagnosis {
  const { coding, cases, surrogate, predictor } = evidence;
  const m = cases.intervals.length;
  const u = nearest.u.slice();
  const x = new Float64Array(coding.n);
  snap(coding, u, x);
  predictor.predict(u, false, false);
  const predicted = surrogate.outputs.map(({ fitted }, j) =>
    fitted ? fitted.warp.fromZ(predictor.mean[j]!) : cases.Y[j]!,
  );
  const order = Array.from(cases.merit, (_, i) => i).sort((a, b) => cases.merit[a]! - cases.merit[b]! || a - b);
  const best = order[0]!;
  const observed = Array.from(cases.Y.subarray(best * m, (best + 1) * m));
  const badness = (output: readonly number[]) =>
    cases.intervals.reduce((worst, interval, j) => {
      const warp = surrogate.outputs[j]!.fitted?.warp;
      const unit = (warp ? Math.abs(warp.fromZ(1) - warp.fromZ(0)) : 0) || 1;
      return worst + (distanceTo(interval, output[j]!) / unit) ** 2;
    }, 0);
  const isPrediction = predicted.every(Number.isFinite) && badness(predicted) < 0.9 * badness(observed);
  const row = cases.rows[best]!;
  const input = isPrediction ? x : evidence.request.history.X.subarray(row * coding.n, (row + 1) * coding.n);
  const output = isPrediction ? predicted : observed;
  const unmet = cases.intervals.flatMap((interval, j) => {
    const distance = Math.min(Number.MAX_VALUE, distanceTo(interval, output[j]!));
    return distance > 0 && nearest.gaps[j]! > 0 ? [{ output: j, distance, relaxBy: distance }] : [];
  });
  return {
    // JSON has no -0.
    nearestInput: Array.from(input, (value) => value + 0),
    nearestOutput: output.map((value) => value + 0),
    nearestIs: isPrediction ? 'predicted' : 'evaluated',
    unmet,
    conflicts: conflictsOf(evidence, nearest),
  };
}

/** Pairs that are met one by one but certainly not together; each output is tried alone first. */
function conflictsOf(evidence: Evidence, nearest: Nearest): [number, number][] {
  const { cases, surrogate, predictor } = evidence;
  predictor.predict(nearest.u, false, true);
  // Outputs that are missed, then those that lie nearest to an end of their interval: they hold the others back.
  const slack = surrogate.outputs.map(({ lower, upper }, j) =>
    nearest.gaps[j]! > 0
      ? -nearest.gaps[j]! / nearest.doubts[j]!
      : Math.min(predictor.mean[j]! - lower, upper - predictor.mean[j]!),
  );
  const involved = cases.intervals
    .map((_, j) => j)
    .filter((j) => Number.isFinite(slack[j]!))
    .sort((a, b) => slack[a]! - slack[b]! || a - b)
    .slice(0, MOST_INVOLVED)
    .filter((j) => !isMissed(evidence, nearestTo(evidence, [j]), [j]));
  const pairs: [number, number][] = [];
  for (const [index, j] of involved.entries()) {
    for (const k of involved.slice(index + 1)) {
      if (isMissed(evidence, nearestTo(evidence, [j, k]), [j, k])) pairs.push(j < k ? [j, k] : [k, j]);
    }
  }
  return pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}
