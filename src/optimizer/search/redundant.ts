/**
 * Inputs that repeat a run to within what can matter: so near to it that the models expect no other outcome. Where one run tells the
 * value of an input, their evaluation teaches nothing.
 */
import type { Cases } from '../goal/cases.ts';
import { toleranceOf } from '../goal/misses.ts';
import { distanceTo } from '../goal/targets.ts';
import type { SuggestRequest } from '../interface/problem.ts';
import type { Encoding } from '../space/encoding.ts';
import type { ScopeModels } from './imagined.ts';

/** Inputs are near each other that differ by no more than this in any feature: a thousandth of a range. */
const NEAR = 2e-3;
/** Share of a tolerance by which an output has to change to matter. */
const NOTICEABLE = 0.01;
/** Share of its value by which an output to minimize or maximize has to change to matter. */
const NOTICEABLE_GAIN = 1e-4;
/** Share of its miss by which an output that a run missed has to change to matter. */
const PROGRESS = 0.5;

/** The evaluated cases and the request that they serve. */
interface Known {
  readonly request: SuggestRequest;
  readonly encoding: Encoding;
  readonly cases: Cases;
}

/** Whether the input with the features u (length p) repeats an evaluated one; for searches in which one run decides. */
export function makeRedundancy(
  { request, encoding, cases }: Known,
  { surrogate, predictor }: ScopeModels,
): (u: Float64Array) => boolean {
  const { intervals, U, Y, N } = cases;
  const { p, discrete, owner } = encoding;
  const { l1 } = request.goal;
  const isNear = (u: Float64Array, i: number) =>
    u.every((value, f) => Math.abs(value - U[i * p + f]!) <= (discrete[owner[f]!] === 1 ? 0 : NEAR));
  const meansAt = (u: Float64Array) => {
    predictor.predictMeans(u);
    return predictor.mean.slice();
  };
  /** In output units: the change of an output that matters beside its value y in a run; infinite where none does. */
  const leastChange = (j: number, y: number) => {
    const interval = intervals[j]!;
    // Aspirations may be far out of reach.
    if (interval.directed) return NOTICEABLE_GAIN * Math.abs(y);
    const change = (NOTICEABLE * toleranceOf(request.goal, j)) / (l1 ? intervals.length : 1);
    const miss = l1 ? Number.POSITIVE_INFINITY : distanceTo(interval, y);
    return miss > 0 ? Math.min(change, PROGRESS * miss) : Number.POSITIVE_INFINITY;
  };
  const isUnchanged = (mean: Float64Array, i: number) => {
    const before = meansAt(U.slice(i * p, (i + 1) * p));
    const compared = intervals.flatMap((_, j) => {
      const { fitted } = surrogate.outputs[j]!;
      const least = leastChange(j, Y[i * intervals.length + j]!);
      if (fitted === null || least === Number.POSITIVE_INFINITY) return [];
      const { fromZ } = fitted.warp;
      return [Math.abs(fromZ(mean[j]!) - fromZ(before[j]!)) <= least];
    });
    return compared.length > 0 && compared.every(Boolean);
  };
  return (u) => {
    let mean: Float64Array | null = null;
    for (let i = 0; i < N; i++) {
      if (!isNear(u, i)) continue;
      mean ??= meansAt(u);
      if (isUnchanged(mean, i)) return true;
    }
    return false;
  };
}
