/** An evaluator hands back what it does not run to the end, as at its shutdown. No try is counted. */

import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { returnEvaluation } from '../../db/evaluations/evaluations.ts';
import { type EvaluationState, nextEvaluationState } from '../../domain/evaluations/evaluation.ts';
import { type LeaseReport, lockHeld } from './finish-evaluation.ts';

export interface Release extends LeaseReport {
  /** Time before it can be claimed again; default: 0. */
  readonly delaySeconds?: number;
  /** Shown until the next try is over; default: none. */
  readonly reason?: string;
}

/** A repeat changes nothing. Throws NOT_FOUND, LEASE_LOST. */
export async function releaseEvaluation(
  db: Db | Trx,
  accountId: number,
  id: number,
  report: Release,
): Promise<{ readonly state: EvaluationState; readonly isReleased: boolean; readonly heldMs: number }> {
  return inTransaction(db, async (trx) => {
    const evaluation = await lockHeld(trx, accountId, id, report);
    const heldMs = evaluation.heldNs / 1e6;
    const next = nextEvaluationState(evaluation.state, 'released');
    if (next === undefined) return { state: evaluation.state, isReleased: false, heldMs };
    await returnEvaluation(trx, {
      ...evaluation,
      delaySeconds: report.delaySeconds ?? 0,
      failureReason: report.reason ?? null,
    });
    return { state: next, isReleased: true, heldMs };
  });
}
