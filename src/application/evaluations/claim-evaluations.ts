/** An evaluator asks for evaluations, and waits for them for a bounded time. */

import type { Db, Trx } from '../../db/connection/transaction.ts';
import type { EvaluationScope, LeaseReference } from '../../db/evaluations/evaluations.ts';
import * as evaluations from '../../db/evaluations/evaluations.ts';
import { findProject } from '../../db/problem/projects.ts';
import { notFound } from '../../domain/errors.ts';
import type { ClaimedEvaluation } from '../../domain/evaluations/evaluation.ts';
import { type IdempotentRequest, runOnce } from '../idempotent.ts';
import type { SuggestionWaiters } from '../search/suggestion-waiters.ts';
import type { ClaimAttempt, EvaluationWaiters } from './evaluation-waiters.ts';

export interface ClaimDeps {
  readonly db: Db;
  readonly evaluationWaiters: EvaluationWaiters;
  /** Counts requests that wait, whatever they wait for. */
  readonly suggestionWaiters: Pick<SuggestionWaiters, 'enter'>;
}

export interface ClaimRequest {
  readonly evaluator: string;
  readonly limit: number;
  readonly leaseSeconds: number;
  readonly waitMs: number;
  readonly projectId: number | null;
  readonly batchId: number | null;
  /** Sources this evaluator runs; default: the fine one only. */
  readonly sources: readonly string[];
}

interface ClaimOptions {
  /** Set when the request has an Idempotency-Key. */
  readonly idempotency: IdempotentRequest | undefined;
  /** Fires when the client has gone: nothing is claimed for it then. */
  readonly signal: AbortSignal;
}

export interface ClaimAnswer {
  readonly evaluations: readonly ClaimedEvaluation[];
  /** False: it was to wait, but too many requests of its account wait in this process already. */
  readonly mayWait: boolean;
}

/**
 * Claims what there is, or waits for it. Throws NOT_FOUND for a project or a batch that does not exist, OVERLOADED when too many
 * requests wait in all. With an Idempotency-Key a repeat gets the leases of the first request that are still held; where none is,
 * it claims again.
 */
export async function claimEvaluations(
  { db, evaluationWaiters, suggestionWaiters }: ClaimDeps,
  accountId: number,
  request: ClaimRequest,
  { idempotency, signal }: ClaimOptions,
): Promise<ClaimAnswer> {
  const { projectId, batchId, sources, waitMs } = request;
  const scope: EvaluationScope = { accountId, projectId, batchId, sources };
  const attempt: ClaimAttempt = (afterBatchId) => claim(db, scope, request, afterBatchId, idempotency);
  let heard: number | undefined;
  // A repeat may have leases already.
  if (waitMs === 0 || idempotency !== undefined || !evaluationWaiters.isAwaited(scope)) {
    const first = await evaluationWaiters.attempt(scope, attempt);
    if (first.claimed.length > 0) return { evaluations: first.claimed, mayWait: true };
    heard = first.heard;
    await refuseMissing(db, scope);
  }
  if (waitMs === 0) return { evaluations: [], mayWait: true };
  const leave = suggestionWaiters.enter(accountId);
  if (leave === undefined) return { evaluations: [], mayWait: false };
  try {
    const options = { timeoutMs: waitMs, signal, ...(heard !== undefined && { heard }) };
    return { evaluations: await evaluationWaiters.wait(scope, attempt, options), mayWait: true };
  } finally {
    leave();
  }
}

async function claim(
  db: Db,
  scope: EvaluationScope,
  request: ClaimRequest,
  afterBatchId: number,
  idempotency: IdempotentRequest | undefined,
): Promise<readonly ClaimedEvaluation[]> {
  const { evaluator, limit, leaseSeconds } = request;
  const claimOn = (handle: Db | Trx) =>
    evaluations.claimEvaluations(handle, { ...scope, isPushed: false, afterBatchId, limit, leaseSeconds, evaluator });
  return idempotency === undefined ? claimOn(db) : claimOnce(db, idempotency, claimOn);
}

/** Thrown to roll back: an empty answer is not stored, the next repeat may find something. */
class NothingClaimed extends Error {}

async function claimOnce(
  db: Db,
  idempotency: IdempotentRequest,
  claimOn: (trx: Trx) => Promise<readonly ClaimedEvaluation[]>,
): Promise<readonly ClaimedEvaluation[]> {
  const { accountId } = idempotency;
  let fresh: readonly ClaimedEvaluation[] = [];
  const work = async (trx: Trx) => {
    fresh = await claimOn(trx);
    if (fresh.length === 0) throw new NothingClaimed();
    const leases: readonly LeaseReference[] = fresh.map(({ id, leaseToken }) => ({ id, leaseToken }));
    return { kind: 'claim', leases };
  };
  const isSpent = async (trx: Trx, { leases }: { readonly leases: readonly LeaseReference[] }) =>
    (await evaluations.findHeld(trx, accountId, leases)).length === 0;
  try {
    const { outcome, isReplay } = await runOnce(db, idempotency, work, { isSpent });
    return isReplay ? await evaluations.findHeld(db, accountId, outcome.leases) : fresh;
  } catch (error) {
    if (error instanceof NothingClaimed) return [];
    throw error;
  }
}

/** Without this, an evaluator of a project that does not exist would wait forever. */
async function refuseMissing(db: Db, { accountId, projectId, batchId }: EvaluationScope): Promise<void> {
  if (projectId !== null) {
    const project = await findProject(db, accountId, projectId);
    if (project === undefined || project.disabledAt !== null) throw notFound('project', projectId);
  }
  if (batchId !== null && !(await evaluations.hasBatch(db, accountId, batchId))) throw notFound('batch', batchId);
}
