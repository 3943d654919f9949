/**
 * Picks the best of several judged outputs: a satisfied one; with minimize or maximize and none satisfied, the one nearest
 * to its aspirations among those that meet all other objectives; with a fit the one with the least misfit among these; otherwise none.
 */
import { kneeOf, nonDominated } from '../../numbers/pareto.ts';
import { type Evaluation, evaluateOutput } from './acceptance.ts';
import { isImproved, type ObjectiveDefinition, outputsWithoutTarget } from './objective.ts';

/** Whether everything except aspirations and fits is satisfied. Without these: whether everything is. */
export function isEligible(evaluation: Evaluation): boolean {
  if (evaluation.isSatisfied) return true;
  const isOpen = evaluation.results.some(({ type }) => isImproved(type));
  return isOpen && evaluation.results.every(({ type, satisfied }) => isImproved(type) || satisfied);
}

/** Whether `challenger` beats `holder`, both eligible. In a tie the holder stays. */
export function isBetter(challenger: Evaluation, holder: Evaluation): boolean {
  if (challenger.isSatisfied !== holder.isSatisfied) return challenger.isSatisfied;
  return rankOf(challenger) < rankOf(holder);
}

function rankOf({ misfit, convergence }: Evaluation): number {
  return misfit ?? convergence;
}

/** Position of the best output, the first of equals; null if none is eligible. Without aspirations it is the knee of the front. */
export function findOptimum(
  definition: ObjectiveDefinition,
  outputs: readonly (readonly number[] | null)[],
): number | null {
  if (outputsWithoutTarget(definition).length > 0) return findKnee(definition, outputs);
  let best: { readonly index: number; readonly evaluation: Evaluation } | null = null;
  outputs.forEach((output, index) => {
    if (output === null) return;
    const evaluation = evaluateOutput(definition, output);
    if (isEligible(evaluation) && (best === null || isBetter(evaluation, best.evaluation)))
      best = { index, evaluation };
  });
  return (best as { readonly index: number } | null)?.index ?? null;
}

/** The best compromise among the eligible outputs in those without aspiration. */
function findKnee(definition: ObjectiveDefinition, outputs: readonly (readonly number[] | null)[]): number | null {
  const open = outputsWithoutTarget(definition).map((j) => ({
    j,
    sign: definition.objectiveTypes[j] === 'minimize' ? 1 : -1,
  }));
  const eligible = outputs.flatMap((output, index) =>
    output !== null && isEligible(evaluateOutput(definition, output))
      ? [{ index, at: open.map(({ j, sign }) => sign * output[j]!) }]
      : [],
  );
  const front = nonDominated(eligible.map(({ at }) => at)).map((k) => eligible[k]!);
  return front[kneeOf(front.map(({ at }) => at))]?.index ?? null;
}
