/** Shared parts of reports about an evaluation: who may report, and how a report reaches the inverse. */

import type { Trx } from '../../db/connection/transaction.ts';
import { type LockedEvaluation, lockEvaluation } from '../../db/evaluations/evaluations.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { type Measurement, recordOutput } from '../search/record-output.ts';
import type { InverseView } from '../views.ts';

export interface LeaseReport {
  readonly leaseToken: string;
  /** The actor that reports, as the run names it; default: none, for a worker that calls the evaluator. */
  readonly actor?: string | null;
}

/** Locks the evaluation for whoever held it last. Throws NOT_FOUND, LEASE_LOST. */
export async function lockHeld(
  trx: Trx,
  accountId: number,
  id: number,
  { leaseToken }: LeaseReport,
): Promise<LockedEvaluation> {
  const evaluation = await lockEvaluation(trx, accountId, id);
  if (evaluation === undefined) throw notFound('evaluation', id);
  if (evaluation.leaseToken !== leaseToken) {
    throw leaseLost(id, evaluation.leaseToken === null ? 'no evaluator holds it' : 'another evaluator has claimed it');
  }
  return evaluation;
}

export function leaseLost(id: number, reason: string): DomainError {
  const message = `The lease of evaluation ${id} is lost: ${reason}. Drop this run and claim again.`;
  return new DomainError('LEASE_LOST', message);
}

/**
 * Completes the inverse of an evaluation, on the transaction that finishes the evaluation. Undefined: it takes no output any more.
 * Throws what recordOutput throws about the output itself, and OUTPUT_CONFLICT.
 */
export async function completeInverse(
  trx: Trx,
  { accountId, inverseId }: LockedEvaluation,
  measurement: Measurement,
  actor: string | null = null,
): Promise<InverseView | undefined> {
  try {
    return await recordOutput(trx, accountId, { inverseId: inverseId! }, measurement, actor);
  } catch (error) {
    const isClosed = error instanceof DomainError && CLOSED.has(error.code);
    if (isClosed) return undefined;
    throw error;
  }
}

/** The objective has ended, or was deleted. */
const CLOSED: ReadonlySet<string> = new Set(['NO_OPEN_ITERATION', 'OBJECTIVE_ENDED', 'NOT_FOUND']);

export function isOutputConflict(error: unknown): error is DomainError {
  return error instanceof DomainError && error.code === 'OUTPUT_CONFLICT';
}
