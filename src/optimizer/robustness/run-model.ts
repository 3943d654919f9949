/** Draws outputs near an input from the models, and judges whether they meet the goal. */

import { type FailureModel, makeFailureModel } from '../acquisition/failure-model.ts';
import { squareBetween } from '../linalg/dense.ts';
import type { Work } from '../numerics/work.ts';
import type { Prepared } from '../search/prepare.ts';
import { featuresOf, movableCount } from '../space/encoding.ts';
import { clustersOf, crossValidate } from '../surrogate/cross-validation.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { applySecantCorrection } from '../surrogate/secant-correction.ts';

/** Share of the variance of an output that the models must predict on cases left out before they are believed. */
const MIN_R2 = 0.5;

export interface RunModel {
  /** Whether the models predict at least half of the variance of every output that has a target, on cases left out. */
  readonly isBelieved: boolean;
  readonly surrogate: Surrogate;
  /** Corrected around the case nearest to the input. */
  readonly predictor: Predictor;
  readonly failures: FailureModel | null;
  /** Length m, standardized: the standard deviation of two runs at one input; 0 for outputs without noise. */
  readonly noise: Float64Array;
  /** Length m: the values of a case, which outputs without a model always have. */
  readonly constants: Float64Array;
}

/**
 * The models around an input x (length n); null without a usable case.
 */
export function makeRunModel(prepared: Prepared, x: Float64Array, work: Work): RunModel | null {
  const { encoding, cases } = prepared;
  if (cases.N === 0) return null;
  const surrogate = prepared.fitGlobally(work);
  const predictor = new Predictor(surrogate, work);
  applySecantCorrection(surrogate, predictor, nearestRow(surrogate, featuresOf(encoding, x)));
  return {
    isBelieved: isBelieved(prepared, surrogate),
    surrogate,
    predictor,
    failures: makeFailureModel(cases, encoding.p),
    noise: noiseOf(surrogate),
    constants: cases.Y.slice(0, cases.intervals.length),
  };
}

function isBelieved({ encoding, cases }: Prepared, surrogate: Surrogate): boolean {
  const clusters = clustersOf(surrogate, movableCount(encoding));
  return cases.intervals.every(({ lower, upper }, j) => {
    if (!Number.isFinite(lower) && !Number.isFinite(upper)) return true;
    if (surrogate.outputs[j]!.fitted === null) return true;
    const { r2 } = crossValidate(surrogate, clusters, j);
    return r2 !== null && r2 >= MIN_R2;
  });
}

/** The row of the fit nearest to u, the first of several. */
function nearestRow({ geometry: { U, N, p } }: Surrogate, u: Float64Array): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < N; i++) {
    const square = squareBetween(U.subarray(i * p, (i + 1) * p), u);
    if (square < least) [best, least] = [i, square];
  }
  return best;
}

function noiseOf({ outputs, kernels }: Surrogate): Float64Array {
  return Float64Array.from(outputs, ({ fitted }) => {
    if (fitted === null) return 0;
    const { spec, factorized } = kernels[fitted.kernel]!;
    return spec.noisy ? fitted.sigma * Math.sqrt(factorized.nugget) : 0;
  });
}
