/**
 * Picks the best of several judged outputs: a satisfied one; with minimize or maximize and none satisfied, the one nearest
 * to its aspirations among those that meet all other objectives; otherwise none.
 */
import { type Evaluation, evaluateOutput } from './acceptance.ts';
import { isAspiration, type ObjectiveDefinition } from './objective.ts';

/** Whether everything except aspirations is satisfied. Without aspirations: whether everything is. */
export function isEligible(evaluation: Evaluation): boolean {
  if (evaluation.isSatisfied) return true;
  const hasAspiration = evaluation.results.some((result) => isAspiration(result.type));
  return hasAspiration && evaluation.results.every((result) => isAspiration(result.type) || result.satisfied);
}

/** Whether `challenger` beats `holder`, both eligible. In a tie the holder stays. */
export function isBetter(challenger: Evaluation, holder: Evaluation): boolean {
  if (challenger.isSatisfied !== holder.isSatisfied) return challenger.isSatisfied;
  return challenger.convergence < holder.convergence;
}

/** Position of the best output, the first of equals; null if none is eligible. */
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
