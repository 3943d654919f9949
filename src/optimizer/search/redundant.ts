/**
 * Inputs that repeat a run to within what can matter: so near to it that the models expect no other outcome. Where one run tells the
 * value of an input, their evaluation teaches nothing.
 */
import { distanceTo, isOpenEnded, toleranceOf } from '../goal/targets.ts';
import type { ScopeModels } from './imagined.ts';
import type { Problem } from './scope-search.ts';

/** Inputs are near each other that differ by no more than this in any feature: a thousandth of a range. */
const NEAR = 2e-3;
/** Share of a tolerance by which an output has to change to matter. */
const NOTICEABLE = 0.01;
/** Share of its miss by which an output that a run missed has to change to matter. */
const PROGRESS = 0.5;

/** Whether the input with the features u (length p) repeats an evaluated or pending one; never where runs are noisy. */
export function makeRedundancy(
  { aim, request, encoding, cases, pending }: Problem,
  { surrogate, predictor }: ScopeModels,
): (u: Float64Array) => boolean {
  if (aim.noise !== null || !aim.doesRunDecide) return () => false;
  const { intervals, U, Y, N } = cases;
  const { p, discrete, owner } = encoding;
  const m = intervals.length;
  const { l1, targets } = request.goal;
  const isNear = (u: Float64Array, X: Float64Array, row: number) =>
    u.every((value, f) => {
      const difference = Math.abs(value - X[row * p + f]!);
      return discrete[owner[f]!] === 1 ? difference === 0 : difference <= NEAR;
    });
  const meansAt = (u: Float64Array) => {
    predictor.predictMeans(u);
    return predictor.mean.slice();
  };
  /** In output units: the change of output j that matters beside the value y; infinite where none does. */
  const leastChange = (j: number, y: number | null) => {
    const interval = intervals[j]!;
    const target = targets[j]!;
    if (isOpenEnded(target))
      return NOTICEABLE * toleranceOf({ lower: y ?? interval.center, upper: Number.POSITIVE_INFINITY });
    const change = NOTICEABLE * toleranceOf(interval);
    if (l1 || interval.directed || y === null) return change;
    const miss = distanceTo(interval, y);
    return miss > 0 ? Math.min(change, PROGRESS * miss) : Number.POSITIVE_INFINITY;
  };
  /** Whether no output is expected to change by what matters; `row` is that of a case, or null for a pending input. */
  const isSame = (mean: Float64Array, other: Float64Array, row: number | null) => {
    let compared = 0;
    for (let j = 0; j < m; j++) {
      const { fitted } = surrogate.outputs[j]!;
      if (fitted === null) continue;
      const least = leastChange(j, row === null ? null : Y[row * m + j]!);
      if (least === Number.POSITIVE_INFINITY) continue;
      const { fromZ } = fitted.warp;
      if (Math.abs(fromZ(mean[j]!) - fromZ(other[j]!)) > least) return false;
      compared++;
    }
    return compared > 0;
  };
  return (u) => {
    let mean: Float64Array | null = null;
    const repeats = (X: Float64Array, row: number, caseRow: number | null) => {
      if (!isNear(u, X, row)) return false;
      mean ??= meansAt(u);
      return isSame(mean, meansAt(X.slice(row * p, (row + 1) * p)), caseRow);
    };
    for (let i = 0; i < N; i++) if (repeats(U, i, i)) return true;
    for (let i = 0; i < pending.count; i++) if (repeats(pending.U, i, null)) return true;
    return false;
  };
}
