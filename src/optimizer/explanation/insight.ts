import type { OutputInsight } from '../interface/insights.ts';
import { type Encoding, movableCount } from '../space/encoding.ts';
import { clustersOf, crossValidate } from '../surrogate/cross-validation.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { type Variation, variationsOf } from './sensitivity.ts';

/** Sensitivities need as many clusters of cases as inputs plus this: two more than determine a straight line. */
const MIN_SURPLUS = 3;
/** They also need a model that predicts this share of the variance. */
const MIN_R2 = 0.5;
/**
 * The ranges allow for an error of this many predicted standard deviations, and for the upper 90 percent confidence limit
 * of the error on cases left out. Both come from the one model chosen, which knows nothing of the others: at eight cases
 * one standard deviation missed the truth in an eighth of the ranges, two in a tenth, and three made most ranges useless.
 */
const STANDARD_DEVIATIONS = 2;
/** The 90 percent quantile of the standard normal distribution. */
const NORMAL_QUANTILE = 1.2816;

/** The cross-validation and the sensitivities of all outputs. */
export function outputInsights(encoding: Encoding, surrogate: Surrogate, predictor: Predictor): OutputInsight[] {
  const n = movableCount(encoding);
  const clusters = clustersOf(surrogate, n);
  return variationsOf(encoding, surrogate, predictor).map((variation, j) => {
    const crossValidated = crossValidate(surrogate, clusters, j);
    const { r2, rmse } = crossValidated;
    const isKnown = r2 !== null && rmse !== null && r2 >= MIN_R2 && clusters.length >= n + MIN_SURPLUS;
    if (!isKnown || !Number.isFinite(variation.variance)) return { crossValidated, ...NOTHING_KNOWN };
    const missed =
      Math.max(STANDARD_DEVIATIONS ** 2 * variation.predictionVariance, rmse ** 2) * errorBound(clusters.length);
    return { crossValidated, ...shareOut(encoding, variation, missed) };
  });
}

export const NOTHING_KNOWN = { sensitivity: null, sensitivityRanges: null } as const;

/** The share of each input in the variance; what the model misses may belong to any input that moves. */
function shareOut({ movable }: Encoding, { variance, effects }: Variation, missed: number) {
  const unknown = Number.isFinite(missed) ? missed / (variance + missed) : 1;
  const sensitivity = Array.from(effects, (effect) => (variance > 0 ? Math.min(1, effect / variance) : 0));
  const sensitivityRanges = sensitivity.map((share, v) => {
    const low = (1 - unknown) * share;
    return { low, high: movable[v] === 1 ? low + unknown : 0 };
  });
  return { sensitivity, sensitivityRanges };
}

/**
 * Upper confidence limit of a mean square in units of the one observed with `count` cases: count / chi2, with the 10 percent
 * quantile of chi2 for count - 1 degrees of freedom.
 *
 * Source: Wilson and Hilferty 1931 for the quantile.
 */
function errorBound(count: number): number {
  const freedom = count - 1;
  const root = 1 - 2 / (9 * freedom) - NORMAL_QUANTILE * Math.sqrt(2 / (9 * freedom));
  return count / (freedom * root ** 3);
}
