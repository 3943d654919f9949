/**
 * A try that failed. What can be retried, and may be, waits for its next try; otherwise the evaluation has failed, and with it the
 * run of its inverse or its case. So do evaluations whose leases were lost too often.
 */

import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import {
  finishEvaluation,
  type LockedEvaluation,
  listLostEvaluations,
  lockEvaluation,
  returnEvaluation,
} from '../../db/evaluations/evaluations.ts';
import { DomainError } from '../../domain/errors.ts';
import {
  type EvaluationState,
  failureEvent,
  nextEvaluationState,
  retryDelaySeconds,
} from '../../domain/evaluations/evaluation.ts';
import { completeInverse, isOutputConflict, type LeaseReport, lockHeld } from './finish-evaluation.ts';

export interface FailureReport extends LeaseReport {
  readonly reason: string;
  readonly isRetryable: boolean;
}

export interface FailedEvaluation {
  readonly state: EvaluationState;
  /** Tries that have failed so far, this one included. */
  readonly tries: number;
  /** Since the claim. */
  readonly heldMs: number;
}

/** A repeat changes nothing. Throws NOT_FOUND, LEASE_LOST, and OUTPUT_CONFLICT when the output was reported before. */
export async function failEvaluation(
  db: Db | Trx,
  accountId: number,
  id: number,
  report: FailureReport,
): Promise<FailedEvaluation> {
  return inTransaction(db, async (trx) => {
    const evaluation = await lockHeld(trx, accountId, id, report);
    const { state, tries, heldNs } = evaluation;
    const heldMs = heldNs / 1e6;
    if (state === 'done') {
      throw new DomainError('OUTPUT_CONFLICT', `Evaluation ${id} is done; its output is kept.`);
    }
    const event = failureEvent(evaluation, report.isRetryable);
    const next = nextEvaluationState(state, event);
    if (next === undefined) return { state, tries, heldMs };
    const failed = { ...evaluation, tries: tries + 1 };
    if (next === 'waiting') {
      const delaySeconds = retryDelaySeconds(failed.tries);
      await returnEvaluation(trx, { ...failed, delaySeconds, failureReason: report.reason });
      return { state: next, tries: failed.tries, heldMs };
    }
    return { state: await finishFailed(trx, failed, report.reason, report.actor), tries: failed.tries, heldMs };
  });
}

/** Fails the run of the inverse as well. An inverse that takes no report any more leaves the evaluation cancelled. */
async function finishFailed(
  trx: Trx,
  evaluation: LockedEvaluation,
  failureReason: string,
  actor: string | null = null,
): Promise<'failed' | 'cancelled'> {
  const isTaken = evaluation.inverseId === null || (await failInverse(trx, evaluation, failureReason, actor));
  const state = isTaken ? 'failed' : 'cancelled';
  await finishEvaluation(trx, {
    ...evaluation,
    state,
    output: null,
    jacobian: null,
    computeTimeNs: evaluation.heldNs,
    failureReason,
  });
  return state;
}

async function failInverse(
  trx: Trx,
  evaluation: LockedEvaluation,
  reason: string,
  actor: string | null,
): Promise<boolean> {
  try {
    return (await completeInverse(trx, evaluation, { kind: 'failed', reason }, actor)) !== undefined;
  } catch (error) {
    if (isOutputConflict(error)) return false;
    throw error;
  }
}

/** Most evaluations of one pass. */
const PASS_LIMIT = 500;

/** One pass: fails the evaluations whose last lease has expired. Several processes may run it simultaneously. */
export async function failLostEvaluations(db: Db): Promise<{ readonly failed: number }> {
  let failed = 0;
  for (const { id, accountId } of await listLostEvaluations(db, PASS_LIMIT)) {
    const isFailed = await inTransaction(db, async (trx) => {
      const evaluation = await lockEvaluation(trx, accountId, id);
      if (evaluation === undefined || !evaluation.isExpired) return false;
      const losses = evaluation.losses + 1;
      if (losses < evaluation.maximumLosses) return false;
      const times = losses === 1 ? 'once' : `${losses} times`;
      const reason = `its lease was lost ${times}: its evaluators were killed, froze, or ran longer than ${evaluation.timeoutSeconds} s`;
      await finishFailed(trx, { ...evaluation, losses }, reason);
      return true;
    });
    if (isFailed) failed += 1;
  }
  return { failed };
}
