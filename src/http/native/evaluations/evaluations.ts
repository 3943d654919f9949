import { z } from 'zod';
import { claimEvaluations } from '../../../application/evaluations/claim-evaluations.ts';
import { extendEvaluation } from '../../../application/evaluations/extend-evaluation.ts';
import { failEvaluation } from '../../../application/evaluations/fail-evaluation.ts';
import { getEvaluation, listEvaluations } from '../../../application/evaluations/read-evaluations.ts';
import { releaseEvaluation } from '../../../application/evaluations/release-evaluation.ts';
import { reportEvaluation } from '../../../application/evaluations/report-evaluation.ts';
import {
  type ClaimedEvaluation,
  EVALUATION_STATES,
  type EvaluationState,
  outcomeOf,
  type ReportOutcome,
} from '../../../domain/evaluations/evaluation.ts';
import { activeSpan } from '../../../telemetry/trace-context.ts';
import { ok, pageOf } from '../../answer/answers.ts';
import type { HttpDeps } from '../../operation/deps.ts';
import { type Call, defineOperation, type Operation } from '../../operation/operation.ts';
import {
  claimedEvaluationsSchema,
  evaluationClaim,
  evaluationSchema,
  extendedLeaseSchema,
  failedEvaluationSchema,
  leaseReport,
  newEvaluationOutput,
  newFailure,
  newHeartbeat,
  presentClaimedEvaluation,
  presentEvaluation,
  presentExtendedLease,
  presentFailedEvaluation,
  presentReportedEvaluation,
  releasedEvaluationSchema,
  reportedEvaluationSchema,
} from './evaluations.wire.ts';

const tag = 'Evaluations';
const evaluation = '/evaluations/{evaluation_id}';
const EVALUATES = ['evaluate', 'write'] as const;
const READS = ['read', 'evaluate', 'write'] as const;
const LEASE_LOST = 'The lease is lost (lease-lost): another evaluator has claimed the evaluation, or it has failed.';
/** Seconds to pause when the account may not have more requests waiting. */
const RETRY_AFTER_SECONDS = 5;
const stateSchema = z.enum(EVALUATION_STATES, `must be one of ${EVALUATION_STATES.join(', ')}.`);

/** Counts a report and, in a recorded trace, shows the run as a span that began with the claim. */
function observe({ metrics, tracing }: HttpDeps, id: number, outcome: ReportOutcome, heldMs: number): void {
  metrics?.evaluationReported(outcome, heldMs / 1000);
  if (!activeSpan()?.isRecorded) return;
  const attributes = { 'backsolve.evaluation_id': id, 'backsolve.outcome': outcome };
  tracing?.begin({ name: 'run evaluation', kind: 'internal', startedAgoMs: heldMs, attributes }).end();
}

/** If the client disconnects, releases the evaluations claimed for it without counting a lost lease. */
async function handBack(
  { deps, accountId, log }: Pick<Call<unknown, unknown>, 'deps' | 'accountId' | 'log'>,
  claimed: readonly ClaimedEvaluation[],
): Promise<void> {
  for (const { id, leaseToken } of claimed) {
    try {
      await releaseEvaluation(deps.db, accountId, id, { leaseToken });
    } catch (error) {
      log.warn({ err: error, evaluationId: id }, 'evaluation.not-released');
    }
  }
}

/** Throws if the key was revoked while the request waited; evaluations claimed for it are released. */
async function requireAdmission(call: Call<unknown, unknown>, claimed: readonly ClaimedEvaluation[]): Promise<void> {
  try {
    await call.requireAdmission();
  } catch (error) {
    await handBack(call, claimed);
    throw error;
  }
}

export const evaluationOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/evaluations/claim',
    operationId: 'claimEvaluations',
    tag,
    scope: EVALUATES,
    summary: 'Claim evaluations to run',
    description:
      'Batches are served round robin, the oldest evaluations of each first. A claimed evaluation is yours until leaseExpiresAt: send heartbeats while you run it, then its output, or that it failed. With wait the request stays open until there is something to claim. A repeat under the same Idempotency-Key gets the leases of the first request that are still held.',
    body: evaluationClaim,
    handlesIdempotency: true,
    answers: {
      200: {
        description: 'The claimed evaluations.',
        schema: claimedEvaluationsSchema,
        headers: {
          'Retry-After':
            'Seconds until another claim makes sense, when the account has as many requests waiting as it may.',
        },
      },
    },
    refusals: { 404: 'There is no such project or batch.' },
    handle: async (call) => {
      const { deps, accountId, body, idempotency, whenGone } = call;
      const gone = new AbortController();
      let claimed: readonly ClaimedEvaluation[] = [];
      whenGone(() => {
        gone.abort();
        void handBack(call, claimed);
      });
      const options = { idempotency, signal: gone.signal };
      const { evaluations, mayWait } = await claimEvaluations(deps, accountId, body, options);
      claimed = evaluations;
      if (gone.signal.aborted) await handBack(call, claimed);
      if (body.waitMs > 0) await requireAdmission(call, claimed);
      const lost = evaluations.filter(({ wasLost }) => wasLost).length;
      if (lost > 0) deps.metrics?.evaluationLeaseLost(lost);
      const answer = ok.answer({ evaluations: evaluations.map(presentClaimedEvaluation) });
      return mayWait ? answer : { ...answer, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } };
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${evaluation}/heartbeat`,
    operationId: 'heartbeatEvaluation',
    tag,
    scope: EVALUATES,
    summary: 'Extend the lease of an evaluation',
    description:
      'Send one each third of the lease. The lease then lasts as long as was claimed from now on, but never longer than timeoutSeconds and one lease after the claim. An Idempotency-Key changes nothing: every heartbeat counts.',
    body: newHeartbeat,
    handlesIdempotency: true,
    answers: ok.spec('The lease as it is now.', extendedLeaseSchema),
    refusals: { 409: LEASE_LOST },
    handle: async ({ deps, accountId, ids, body }) => {
      const { leaseToken, progress = null, message = null } = body;
      const heartbeat = { accountId, id: ids.evaluationId, leaseToken, progress, message };
      return ok.answer(presentExtendedLease(await extendEvaluation(deps.db, heartbeat)));
    },
  }),
  defineOperation({
    method: 'PUT',
    path: `${evaluation}/output`,
    operationId: 'putEvaluationOutput',
    tag,
    scope: EVALUATES,
    summary: 'Report the output of an evaluation',
    description:
      'Completes its inverse as well. A repeat with the same output gets the same answer. An output that arrives after the lease has expired is accepted until another evaluator claims the evaluation.',
    body: newEvaluationOutput,
    answers: ok.spec('The evaluation is over.', reportedEvaluationSchema),
    refusals: { 409: `${LEASE_LOST} Or the evaluation already has a different output (output-conflict).` },
    handle: async ({ deps, accountId, principal, ids, body }) => {
      const report = { ...body, actor: principal.actor };
      const reported = await reportEvaluation(deps.db, accountId, ids.evaluationId, report);
      observe(deps, ids.evaluationId, outcomeOf(reported.state), reported.heldMs);
      return ok.answer(presentReportedEvaluation(reported));
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${evaluation}/failure`,
    operationId: 'failEvaluation',
    tag,
    scope: EVALUATES,
    summary: 'Report that a try failed',
    description:
      'A retryable evaluation waits 2, 4, 8 ... seconds, at most 60, for its next try. After maximumTries, or if it is not retryable, the evaluation has failed: its inverse becomes a failed run, its case a failed case. The search continues.',
    body: newFailure,
    answers: ok.spec('The state of the evaluation.', failedEvaluationSchema),
    refusals: { 409: `${LEASE_LOST} Or its output was reported before (output-conflict).` },
    handle: async ({ deps, accountId, principal, ids, body }) => {
      const { leaseToken, reason, retryable: isRetryable } = body;
      const report = { leaseToken, reason, isRetryable, actor: principal.actor };
      const failed = await failEvaluation(deps.db, accountId, ids.evaluationId, report);
      observe(deps, ids.evaluationId, outcomeOf(failed.state), failed.heldMs);
      return ok.answer(presentFailedEvaluation(failed));
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${evaluation}/release`,
    operationId: 'releaseEvaluation',
    tag,
    scope: EVALUATES,
    summary: 'Hand an evaluation back',
    description: 'For an evaluator that shuts down. No try is counted, and others can claim it immediately.',
    body: leaseReport,
    answers: ok.spec('The evaluation waits again, unless it was over.', releasedEvaluationSchema),
    refusals: { 409: LEASE_LOST },
    handle: async ({ deps, accountId, ids, body }) => {
      const { state, isReleased, heldMs } = await releaseEvaluation(deps.db, accountId, ids.evaluationId, body);
      if (isReleased) observe(deps, ids.evaluationId, 'released', heldMs);
      return ok.answer({ state });
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/evaluations',
    operationId: 'listEvaluations',
    tag,
    scope: READS,
    summary: 'List evaluations',
    isList: true,
    hasOrder: true,
    texts: { state: { schema: stateSchema, description: `Only those in this state.` } },
    numbers: {
      batch_id: {
        description: 'Only those of this batch.',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: null,
      },
      project_id: {
        description: 'Only those of this project.',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: null,
      },
    },
    answers: pageOf.spec('The evaluations, oldest first unless order says otherwise.', evaluationSchema),
    handle: async (call) => {
      const { deps, accountId, numbers, texts, page } = call;
      const state = (texts['state'] ?? null) as EvaluationState | null;
      const filter = { state, batchId: numbers['batch_id'] ?? null, projectId: numbers['project_id'] ?? null };
      return pageOf.answer(call, await listEvaluations(deps.db, accountId, filter, page), presentEvaluation);
    },
  }),
  defineOperation({
    method: 'GET',
    path: evaluation,
    operationId: 'getEvaluation',
    tag,
    scope: READS,
    summary: 'Read an evaluation',
    answers: ok.spec('The evaluation.', evaluationSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentEvaluation(await getEvaluation(deps.db, accountId, ids.evaluationId))),
  }),
];
