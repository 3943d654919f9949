import { findInverse } from '../db/inverses.ts';
import type { PlacedObjective } from '../db/objectives.ts';
import type { Trx } from '../db/transaction.ts';
import { type Evaluation, evaluateOutput } from '../domain/acceptance.ts';
import { isBetter, isEligible } from '../domain/optimum.ts';

/** Whether an inverse judged like this becomes the optimal inverse. The caller holds the lock of the objective. */
export async function beatsOptimum(
  trx: Trx,
  accountId: number,
  objective: PlacedObjective,
  evaluation: Evaluation,
): Promise<boolean> {
  if (!isEligible(evaluation)) return false;
  if (objective.optimalInverseId === null || evaluation.isSatisfied) return true;
  const holder = await findInverse(trx, accountId, objective.optimalInverseId);
  if (holder?.output == null) return true;
  return isBetter(evaluation, evaluateOutput(objective, holder.output));
}
