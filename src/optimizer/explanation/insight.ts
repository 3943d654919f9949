import type { OutputInsight } from '../problem.ts';
import { type Coding, movableCount } from '../space.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { crossValidate, placesOf } from './cross-validation.ts';
import { type Variation, variationsOf } from './sensitivity.ts';

/** Nothing is said about sensitivities with fewer places than inputs plus this: two more than fix a straight line. */
const LEAST_SURPLUS = 3;
/** Nor by a model that predicts less than this share of the variance. */
const LEAST_R2 = 0.5;
/**
 * The ranges count on an error of this many times the spread predicted, and of the upper end of a one-sided interval (90
 * percent) for the error on cases left out. Both come from one chosen model, which knows nothing of the others: with
 * one spread an eighth of the ranges missed the truth at eight cases, with two a tenth, with three most were useless.
 */
const SPREADS = 2;
const NORMAL_QUANTILE = 1.2816;

/** Quality and sensitivities of all outputs by the surrogate. */
export function outputInsights(coding: Coding, surrogate: Surrogate, predictor: Predictor): OutputInsight[] {
  const n = movableCount(coding);
  const places = placesOf(surrogate, n);
  return variationsOf(coding, surrogate, predictor).map((variation, j) => {
    const crossValidated = crossValidate(surrogate, places, j);
    const { r2, rmse } = crossValidated;
    const isKnown = r2 !== null && rmse !== null && r2 >= LEAST_R2 && places.length >= n + LEAST_SURPLUS;
    if (!isKnown || !Number.isFinite(variation.variance)) return { crossValidated, ...NOTHING_KNOWN };
    const missed = Math.max(SPREADS ** 2 * variation.doubt, rmse ** 2) * errorBound(places.length);
    return { crossValidated, ...shareOut(coding, variation, missed) };
  });
}

const NOTHING_KNOWN = { sensitivity: null, sensitivityRanges: null } as const;

/** The part of the variance that the model misses may belong to any of the inputs that move. */
function shareOut({ movable }: Coding, { variance, effects }: Variation, missed: number) {
  const unknown = Number.isFinite(missed) ? missed / (variance + missed) : 1;
  const sensitivity = Array.from(effects, (effect) => (variance > 0 ? Math.min(1, effect / variance) : 0));
  const sensitivityRanges = sensitivity.map((share, v) => {
    const low = (1 - unknown) * share;
    return { low, high: movable[v] === 1 ? low + unknown : 0 };
  });
  return { sensitivity, sensitivityRanges };
}

/** Upper bound of a mean square over that of `count` observations: count / chi2 by Wilson and Hilferty 1931. */
function errorBound(count: number): number {
  const freedom = count - 1;
  const root = 1 - 2 / (9 * freedom) - NORMAL_QUANTILE * Math.sqrt(2 / (9 * freedom));
  return count / (freedom * root ** 3);
}
