import { listCompletedOutputs } from '../db/inverses.ts';
import type { Db, Trx } from '../db/transaction.ts';
import { type Evaluation, evaluateOutput } from '../domain/acceptance.ts';
import { type Objective, outputsWithoutTarget } from '../domain/objective.ts';
import { findOptimum, isBetter, isEligible } from '../domain/optimum.ts';

/**
 * Whether an inverse with this evaluation becomes the optimal one. `optimalOutput` is that of the present one, if any. Of several
 * solutions the first stays optimal.
 */
export function beatsOptimum(
  objective: Pick<Objective, 'options'> & Parameters<typeof evaluateOutput>[0],
  evaluation: Evaluation,
  optimalOutput: readonly number[] | null,
): boolean {
  if (!isEligible(evaluation)) return false;
  if (optimalOutput === null) return true;
  const optimal = evaluateOutput(objective, optimalOutput);
  if (objective.options?.solutions && optimal.isSatisfied) return false;
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
  const runs = [...(await listCompletedOutputs(db, objective.id)), { id: inverseId, output }];
  const best = findOptimum(
    objective,
    runs.map((run) => run.output),
  );
  return best === null ? null : runs[best]!.id;
}
