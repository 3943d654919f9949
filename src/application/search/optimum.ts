import type { Db, Trx } from '../../db/connection/transaction.ts';
import { listCompletedOutputs } from '../../db/search/inverses.ts';
import { type Evaluation, evaluateOutput } from '../../domain/acceptance.ts';
import { type Objective, type ObjectiveDefinition, outputsWithoutTarget } from '../../domain/objective.ts';
import { aimsOn } from '../../domain/robust-options.ts';
import { findOptimum, isBetter, isEligible } from '../../domain/search/optimum.ts';

type Judged = ObjectiveDefinition & Pick<Objective, 'options'>;

/** Whether a run satisfies everything and the search goes on for a surer one. @param optimalOutput that of the present optimum */
export function seeksSurer(objective: Judged, optimalOutput: readonly number[] | null): boolean {
  return aimsOn(objective) && optimalOutput !== null && evaluateOutput(objective, optimalOutput).isSatisfied;
}

/**
 * Whether an inverse with this evaluation becomes the optimal one. `optimalOutput` is that of the present one, if any. Of several
 * solutions the first stays optimal.
 */
export function beatsOptimum(
  objective: Judged,
  evaluation: Evaluation,
  optimalOutput: readonly number[] | null,
): boolean {
  if (!isEligible(evaluation)) return false;
  if (optimalOutput === null) return true;
  const optimal = evaluateOutput(objective, optimalOutput);
  // The first solution stays until the search for a surer one, or for more, has ended.
  if (optimal.isSatisfied && (aimsOn(objective) || objective.options?.solutions)) return false;
  return evaluation.isSatisfied || isBetter(evaluation, optimal);
}

/**
 * The optimal inverse once this output is known, or null when it stays. With outputs without aspiration it is the knee of the front
 * of all inverses, which any run may move.
 */
export async function findOptimalNow(
  db: Db | Trx,
  objective: Objective,
  completed: { readonly inverseId: number; readonly output: readonly number[]; readonly evaluation: Evaluation },
  optimalOutput: readonly number[] | null,
): Promise<number | null> {
  const { inverseId, output, evaluation } = completed;
  if (outputsWithoutTarget(objective).length === 0) {
    return beatsOptimum(objective, evaluation, optimalOutput) ? inverseId : null;
  }
  if (!isEligible(evaluation)) return null;
  return kneeOf(objective, [...(await listCompletedOutputs(db, objective.id)), { id: inverseId, output }]);
}

/** The id of the run at the knee of the front of these, or null without an eligible one. */
export function kneeOf(
  definition: ObjectiveDefinition,
  runs: readonly { readonly id: number; readonly output: readonly number[] }[],
): number | null {
  const best = findOptimum(
    definition,
    runs.map(({ output }) => output),
  );
  return best === null ? null : runs[best]!.id;
}
