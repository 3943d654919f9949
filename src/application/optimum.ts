import { type Evaluation, evaluateOutput } from '../domain/acceptance.ts';
import type { ObjectiveDefinition } from '../domain/objective.ts';
import { isBetter, isEligible } from '../domain/optimum.ts';
import { aimsOn } from '../domain/robust-options.ts';
import type { SearchOptions } from '../domain/search-options.ts';

/** Whether a run satisfies everything and the search goes on for a surer one. @param optimalOutput that of the present optimum */
export function seeksSurer(
  objective: ObjectiveDefinition & { readonly options: SearchOptions | null },
  optimalOutput: readonly number[] | null,
): boolean {
  return aimsOn(objective) && optimalOutput !== null && evaluateOutput(objective, optimalOutput).isSatisfied;
}

/** Whether an inverse with this evaluation becomes the optimal one. `optimalOutput` is that of the present one, if any. */
export function beatsOptimum(
  objective: ObjectiveDefinition & { readonly options: SearchOptions | null },
  evaluation: Evaluation,
  optimalOutput: readonly number[] | null,
): boolean {
  // The first one stays until the search for a surer one has ended.
  if (!isEligible(evaluation) || seeksSurer(objective, optimalOutput)) return false;
  if (evaluation.isSatisfied || optimalOutput === null) return true;
  return isBetter(evaluation, evaluateOutput(objective, optimalOutput));
}
