/**
 * The output of an evaluation. An inverse is completed in the same transaction; the output of a case waits for its batch. Whoever
 * held the evaluation last may report, even after the lease has expired, as long as nobody else has claimed it; and again, with
 * the same output. An output that comes after the objective has ended is kept with the stopped inverse where that takes it.
 */

import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { finishEvaluation, type LockedEvaluation } from '../../db/evaluations/evaluations.ts';
import { readJacobian, type SentJacobian } from '../../domain/data/jacobian.ts';
import { DomainError, refuseViolations } from '../../domain/errors.ts';
import { type EvaluationState, nextEvaluationState } from '../../domain/evaluations/evaluation.ts';
import { areEqualVectors, checkLength } from '../../domain/vectors.ts';
import { inOrder, type SentOutput } from '../search/output-by-name.ts';
import type { InverseView } from '../views.ts';
import { completeInverse, isOutputConflict, type LeaseReport, leaseLost, lockHeld } from './finish-evaluation.ts';

export interface OutputReport extends LeaseReport, SentOutput {
  /** Computing time that the evaluator stated, or null: the time since the claim. */
  readonly computeTimeNs: number | null;
  /** Its derivatives as they were sent. */
  readonly sentJacobian?: SentJacobian | null;
}

export interface ReportedEvaluation {
  readonly state: EvaluationState;
  /** null for a case, and for an inverse that took no output any more. */
  readonly view: InverseView | null;
  /** Since the claim. */
  readonly heldMs: number;
}

/** Throws NOT_FOUND, VALIDATION_FAILED (the lease stays), LEASE_LOST, OUTPUT_CONFLICT. */
export async function reportEvaluation(
  db: Db | Trx,
  accountId: number,
  id: number,
  report: OutputReport,
): Promise<ReportedEvaluation> {
  const reported = await inTransaction(db, async (trx) => {
    const evaluation = await lockHeld(trx, accountId, id, report);
    const { output } = readOutput(evaluation, report);
    const ordered = { ...report, output };
    return evaluation.inverseId === null
      ? reportCase(trx, evaluation, ordered)
      : reportInverse(trx, evaluation, ordered);
  });
  if (reported instanceof DomainError) throw reported;
  return reported;
}

function readOutput({ outputCount, outputNames }: LockedEvaluation, report: OutputReport): SentOutput {
  const sent = inOrder(report, outputCount, outputNames);
  refuseViolations(checkLength(['output'], sent.output, outputCount, 'output'));
  return sent;
}

async function reportCase(
  trx: Trx,
  evaluation: LockedEvaluation,
  { output, computeTimeNs, sentJacobian = null }: OutputReport,
): Promise<ReportedEvaluation> {
  const { id, state, heldNs } = evaluation;
  const { jacobian, violations } = readJacobian(sentJacobian, evaluation, ['jacobian']);
  refuseViolations(violations);
  const heldMs = heldNs / 1e6;
  const next = nextEvaluationState(state, 'output-loaded');
  if (next === 'done') {
    await finishEvaluation(trx, {
      ...evaluation,
      state: next,
      output,
      jacobian,
      computeTimeNs: computeTimeNs ?? heldNs,
      failureReason: null,
    });
    return { state: next, view: null, heldMs };
  }
  if (state === 'failed') throw hasFailed(id);
  if (state === 'done' && !areEqualVectors(evaluation.output ?? [], output)) {
    const message = `Evaluation ${id} already has a different output, which is kept. Only the stored output is accepted again.`;
    throw new DomainError('OUTPUT_CONFLICT', message);
  }
  return { state, view: null, heldMs };
}

function hasFailed(id: number): DomainError {
  return leaseLost(id, 'the evaluation has failed, after its last try or its last lost lease');
}

/** An error is returned where the evaluation changes all the same. */
async function reportInverse(
  trx: Trx,
  evaluation: LockedEvaluation,
  { output, computeTimeNs, sentJacobian = null, actor = null }: OutputReport,
): Promise<ReportedEvaluation | DomainError> {
  const { id, state, heldNs } = evaluation;
  const heldMs = heldNs / 1e6;
  if (state === 'failed') throw hasFailed(id);
  const heldFor = computeTimeNs ?? heldNs;
  const next = nextEvaluationState(state, 'output-loaded');
  const finish = (final: 'done' | 'cancelled') =>
    finishEvaluation(trx, {
      ...evaluation,
      state: final,
      output: null,
      jacobian: null,
      computeTimeNs: heldFor,
      failureReason: null,
    });
  try {
    const measurement = { kind: 'output', output, computeTimeNs: heldFor, sentJacobian } as const;
    const view = await completeInverse(trx, evaluation, measurement, actor);
    if (next === undefined) return { state, view: view ?? null, heldMs };
    const final = view === undefined ? 'cancelled' : 'done';
    await finish(final);
    return { state: final, view: view ?? null, heldMs };
  } catch (error) {
    if (next === undefined || !isOutputConflict(error)) throw error;
    // It was loaded in another way: nobody has to run it again.
    await finish('cancelled');
    return error;
  }
}
