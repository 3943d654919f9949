/**
 * Which of several judged outputs counts as the best found so far: a satisfied one; with minimize or maximize and none
 * satisfied, the one nearest to its aspirations among those that meet all other objectives; otherwise none.
 */
import { type Evaluation, evaluateOutput } from './acceptance.ts';
import { isAspiration, type ObjectiveDefinition } from './objective.ts';

/** Whether everything is satisfied apart from aspirations. False for definitions that have none, unless satisfied. */
export function isEligible(evaluation: Evaluation): boolean {
  if (evaluation.isSatisfied) return true;
  const hasAspiration = evaluation.results.some((result) => isAspiration(result.type));
  return hasAspiration && evaluation.results.every((result) => isAspiration(result.type) || result.satisfied);
}

/** Whether `challenger` beats `holder`; both eligible. Ties keep the holder. */
export function isBetter(challenger: Evaluation, holder: Evaluation): boolean {
  if (challenger.isSatisfied !== holder.isSatisfied) return challenger.isSatisfied;
  return challenger.convergence < holder.convergence;
}

/** Position of the best output, or null when none is eligible. The first of equals wins. */
export function findOptimum(
  definition: ObjectiveDefinition,
  outputs: readonly (readonly number[] | null)[],
): number | null {
  let best: { readonly index: number; readonly evaluation: Evaluation } | null = null;
  outputs.forEach((output, index) => {
    if (output === null) return;
    const evaluation = evaluateOutput(definition, output);
    if (isEligible(evaluation) && (best === null || isBetter(evaluation, best.evaluation)))
      best = { index, evaluation };
  });
  return (best as { readonly index: number } | null)?.index ?? null;
}
