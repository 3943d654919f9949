import { type Evaluation, evaluateOutput } from '../domain/acceptance.ts';
import type { ObjectiveDefinition } from '../domain/objective.ts';
import { isBetter, isEligible } from '../domain/optimum.ts';

/** Whether an inverse with this evaluation becomes the optimal one. `optimalOutput` is that of the present one, if any. */
export function beatsOptimum(
  objective: ObjectiveDefinition,
  evaluation: Evaluation,
  optimalOutput: readonly number[] | null,
): boolean {
  if (!isEligible(evaluation)) return false;
  if (evaluation.isSatisfied || optimalOutput === null) return true;
  return isBetter(evaluation, evaluateOutput(objective, optimalOutput));
}
