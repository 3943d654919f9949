/**
 * When minimize or maximize can improve no further. The rule errs on the side of going on: it needs a long run of
 * suggestions that gained nothing, and a model that expects nothing from any place the search looked at.
 */
import type { Cases } from '../cases.ts';
import { normalCdf, normalDensity } from '../numerics/normal.ts';
import type { RandomStream } from '../numerics/random.ts';
import type { SuggestRequest } from '../problem.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { distanceTo, type Interval } from '../targets.ts';
import type { Box } from './box-newton.ts';

/** Suggestions without a gain before the model is asked: a full cycle of local turns and some more. */
const PATIENCE = 20;
const PATIENCE_PER_INPUT = 3;
/** Random points asked for expected improvement: all over the box, and at shrinking distances from the best. */
const PROBES = 200;

/** The best value so far of each directed output. */
export interface Standing {
  readonly j: number;
  readonly best: number;
  /** Natural units: gains below it count as none. */
  readonly negligible: number;
}

/** True when y improves on `best` in the direction of the interval by more than `least`. */
function improves(interval: Interval, y: number, best: number, least: number): boolean {
  return Number.isFinite(interval.upper) ? y < best - least : y > best + least;
}

/**
 * The directed outputs, when the last suggestions (20 + 3 n of them) improved none of them noticeably and the
 * undirected outputs were met at least once; null while that is not so.
 */
export function standstill(
  request: SuggestRequest,
  cases: Cases,
  intervals: readonly Interval[],
  n: number,
): Standing[] | null {
  const m = intervals.length;
  const directed = intervals.flatMap((interval, j) => (interval.directed ? [j] : []));
  const patience = PATIENCE + PATIENCE_PER_INPUT * n;
  if (directed.length === 0 || request.history.count - request.firstStep < patience) return null;
  const isFeasible = (i: number) =>
    intervals.every((interval, j) => interval.directed || distanceTo(interval, cases.Y[i * m + j]!) === 0);
  const feasible = cases.rows.flatMap((_, i) => (isFeasible(i) ? [i] : []));
  const since = request.history.count - patience;
  const standings: Standing[] = [];
  for (const j of directed) {
    const interval = intervals[j]!;
    let before: number | null = null;
    let after: number | null = null;
    for (const i of feasible) {
      const y = cases.Y[i * m + j]!;
      if (cases.rows[i]! < since && (before === null || improves(interval, y, before, 0))) before = y;
      if (after === null || improves(interval, y, after, 0)) after = y;
    }
    if (before === null || after === null) return null;
    const negligible = request.convergence * Math.max(Math.abs(after), Math.abs(interval.center));
    if (improves(interval, after, before, negligible)) return null;
    standings.push({ j, best: after, negligible });
  }
  return standings;
}

/**
 * True when some probe of the box promises more than a negligible gain in some directed output, weighted with the
 * chance that the other outputs are met there.
 */
export function expectsImprovement(
  standings: readonly Standing[],
  intervals: readonly Interval[],
  surrogate: Surrogate,
  predictor: Predictor,
  box: Box,
  around: Float64Array,
  random: RandomStream,
): boolean {
  const u = new Float64Array(around.length);
  for (let k = 0; k < PROBES; k++) {
    const reach = k % 2 === 0 ? null : 0.3 * 10 ** (-4 * random.uniform());
    for (let f = 0; f < u.length; f++) {
      const width = box.upper[f]! - box.lower[f]!;
      const value = reach === null ? box.lower[f]! + random.uniform() * width : around[f]! + reach * random.normal();
      u[f] = Math.min(box.upper[f]!, Math.max(box.lower[f]!, value));
    }
    if (promises(standings, intervals, surrogate, predictor, u)) return true;
  }
  return promises(standings, intervals, surrogate, predictor, around);
}

function promises(
  standings: readonly Standing[],
  intervals: readonly Interval[],
  surrogate: Surrogate,
  predictor: Predictor,
  u: Float64Array,
): boolean {
  predictor.predict(u, false, true);
  const { mean, sigma } = predictor;
  let chance = 1;
  surrogate.outputs.forEach(({ lower, upper }, j) => {
    if (intervals[j]!.directed) return;
    chance *= Math.max(0, normalCdf((upper - mean[j]!) / sigma[j]!) - normalCdf((lower - mean[j]!) / sigma[j]!));
  });
  return standings.some(({ j, best, negligible }) => {
    const warp = surrogate.outputs[j]!.fitted?.warp;
    if (!warp) return false;
    const sign = Number.isFinite(intervals[j]!.upper) ? 1 : -1;
    const z = warp.toZ(best);
    const least = Math.abs(warp.toZ(best - sign * negligible) - z);
    const gain = (sign * (z - mean[j]!)) / sigma[j]!;
    return chance * sigma[j]! * (gain * normalCdf(gain) + normalDensity(gain)) > least;
  });
}
