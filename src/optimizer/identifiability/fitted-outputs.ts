/** Describes each output of a fit: its value at the least misfit, and how far the inputs that the data leave open move it. */
import type { Residuals } from '../goal/residuals.ts';
import type { PredictedOutput } from '../interface/insights.ts';
import type { MisfitModel } from '../search/least-misfit.ts';
import type { Prepared } from '../search/prepare.ts';
import { slopeAt } from '../surrogate/warps.ts';

interface At {
  /** Number of the best case. */
  readonly best: number;
  /** Features of the least misfit. */
  readonly least: Float64Array;
  /** Covariance of two features. */
  readonly covariance: (f: number, g: number) => number;
  /** The derivatives by the inputs that derivatives by the features (length p) say. */
  readonly byInput: (gradient: Float64Array) => readonly number[];
  /** Two-sided quantile of the confidence. */
  readonly quantile: number;
  /** Directions in features of which it is not known how far the data leave them open; null where nothing is known. */
  readonly unknown: readonly Float64Array[] | null;
}

/**
 * By the slopes of the models. The components of many points leave out what hardly varies; that part is taken from the best run.
 *
 * @param model evaluated anywhere; it is evaluated again
 */
export function curveOf(
  { cases, request }: Prepared,
  { kept, points, components, leftOutAtBest }: Residuals,
  { aim, surrogate, predictor }: MisfitModel,
  { least, covariance, byInput, quantile, best, unknown }: At,
): PredictedOutput[] {
  aim.evaluate(least);
  aim.differentiate();
  const p = least.length;
  const m = request.goal.targets.length;
  const P = points.length;
  const q = m - kept.length;
  const J = aim.slopes();
  const residuals = aim.terms.slice();
  const fitted = points.map(({ output, value, factor }, i) => {
    const gradient = new Float64Array(p);
    let r = leftOutAtBest[i]!;
    for (let k = 0; k < q; k++) {
      const share = components ? components[k * P + i]! : Number(k === i);
      if (share === 0) continue;
      r += share * residuals[kept.length + k]!;
      for (let f = 0; f < p; f++) gradient[f]! += (share * J[(kept.length + k) * p + f]!) / factor;
    }
    // Along a direction that the data leave open these change by no more than their errors.
    return { ...banded(output, value + r / factor, gradient), isKnown: unknown !== null };
  });
  const others = kept.map((output, k) => {
    const model = surrogate.outputs[k]!.fitted;
    const gradient = new Float64Array(p);
    if (model === null) return banded(output, cases.Y[best * m + k]!, gradient);
    const z = predictor.mean[k]!;
    const slope = slopeAt(model.warp.fromZ, z);
    for (let f = 0; f < p; f++) gradient[f] = slope * predictor.meanGradient[k * p + f]!;
    return banded(output, model.warp.fromZ(z), gradient);
  });
  return [...fitted, ...others].sort((a, b) => a.output - b.output);

  function banded(output: number, predicted: number, gradient: Float64Array): PredictedOutput {
    let variance = 0;
    for (let f = 0; f < p; f++) for (let g = 0; g < p; g++) variance += gradient[f]! * gradient[g]! * covariance(f, g);
    const half = Math.min(1e300, quantile * Math.sqrt(Math.max(0, variance)));
    const isKnown = unknown?.every((direction) => half >= Math.abs(alongside(direction, gradient))) ?? false;
    return { output, predicted, low: predicted - half, high: predicted + half, isKnown, slopes: byInput(gradient) };
  }
}

/** The change over half the range. */
function alongside(direction: Float64Array, gradient: Float64Array): number {
  return direction.reduce((sum, share, f) => sum + share * gradient[f]!, 0);
}
