/** The calls of an evaluator, and what their errors mean to it. */
import { BacksolveError, ConnectionError, NotBacksolveError, UnknownOperationError } from '../index.ts';
import { AnswerError, readEvaluations, readHeartbeat, readState } from './claimed-answer.ts';
import { cleanReason, type Evaluation, type Outcome } from './evaluation.ts';

/** As much of the TypeScript client as an evaluator needs. It retries what a retry can cure, then throws. */
export interface ServiceClient {
  call(
    operationId: string,
    options: {
      readonly path?: Readonly<Record<string, string | number>>;
      readonly body?: unknown;
      readonly idempotencyKey?: string;
      readonly signal?: AbortSignal;
    },
  ): Promise<{ readonly body: unknown; readonly headers: Headers }>;
}

/** One claim, under the Idempotency-Key by which it can be repeated. */
export interface ClaimRequest {
  readonly key: string;
  readonly limit: number;
  /** Seconds. */
  readonly wait: number;
}

/** Selects the evaluations that are claimed, names who claims them, and states for how long without a heartbeat. */
export interface Claim {
  readonly projectId?: number | undefined;
  readonly batchId?: number | undefined;
  /** Sources of the project that it runs; absent: the black box itself, which is called fine. */
  readonly sources?: readonly string[] | undefined;
  /** Its name in the record of the evaluation. */
  readonly evaluator: string;
  /** 5 to 3600. */
  readonly leaseSeconds: number;
}

/** The part of an evaluation that a report or a release needs. */
export type Lease = Pick<Evaluation, 'id' | 'leaseToken'>;

export interface EvaluationCalls {
  /** At most `limit`; waits up to `wait` seconds for the first one. */
  claim(request: ClaimRequest, signal: AbortSignal): Promise<Claimed>;
  heartbeat(evaluation: Evaluation, signal: AbortSignal): Promise<{ readonly isWanted: boolean }>;
  report(lease: Lease, outcome: Reportable, computeTimeNs: number, signal: AbortSignal): Promise<Reported>;
  release(lease: Lease, signal: AbortSignal): Promise<void>;
  readState(evaluation: Evaluation, signal: AbortSignal): Promise<string>;
}

interface Reported {
  /** That the evaluation is in afterwards. */
  readonly state: string;
  /** Whether the objective may have ended with it. */
  readonly mayBeLast: boolean;
}

export interface Claimed {
  readonly evaluations: readonly Evaluation[];
  /** Time that the service asks to wait before the next claim. */
  readonly retryAfterSeconds: number | undefined;
}

export type Reportable = Exclude<Outcome, { kind: 'abort' }>;

/** However long a service asks to wait before the next claim. */
const LONGEST_WAIT_SECONDS = 300;

export function makeEvaluationCalls(client: ServiceClient, claim: Claim): EvaluationCalls {
  const on = ({ id, leaseToken }: Lease, body: object, signal: AbortSignal) => ({
    path: { evaluation_id: id },
    body: { leaseToken, ...body },
    signal,
  });
  return {
    async claim({ key, limit, wait }, signal) {
      const body = { ...withoutUndefined(claim), limit, wait };
      const answer = await client.call('claimEvaluations', { body, idempotencyKey: key, signal });
      const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
      return {
        evaluations: readEvaluations(answer.body, limit),
        retryAfterSeconds: Number.isFinite(retryAfter) ? Math.min(retryAfter, LONGEST_WAIT_SECONDS) : undefined,
      };
    },

    async heartbeat(evaluation, signal) {
      const { body } = await client.call('heartbeatEvaluation', on(evaluation, {}, signal));
      return readHeartbeat(body);
    },

    async report(lease, outcome, computeTimeNs, signal) {
      const { body } =
        outcome.kind === 'output'
          ? await client.call(
              'putEvaluationOutput',
              on(
                lease,
                {
                  output: outcome.output,
                  computeTime: Math.round(computeTimeNs),
                  ...(outcome.jacobian != null && { jacobian: outcome.jacobian }),
                },
                signal,
              ),
            )
          : await client.call(
              'failEvaluation',
              on(lease, { reason: cleanReason(outcome.reason), retryable: outcome.retryable }, signal),
            );
      const { state, inverse } = readState(body);
      return { state, mayBeLast: inverse != null && inverse.status !== 'active' };
    },

    async release(lease, signal) {
      await client.call('releaseEvaluation', on(lease, {}, signal));
    },

    async readState({ id }, signal) {
      const { body } = await client.call('getEvaluation', { path: { evaluation_id: id }, signal });
      return readState(body).state;
    },
  };
}

/**
 * away: the service cannot answer now, a later call may succeed. lost: the evaluation is no longer this evaluator's. denied: the
 * key does not allow it, or this is no such service, or one that answers nonsense. refused: this very request never succeeds. Undefined: a fault of this program.
 */
export type Trouble = 'away' | 'lost' | 'denied' | 'refused';

/** `isKnown`: whether the service has answered before, so that another answer comes from what stands in front of it. */
export function troubleOf(error: unknown, isKnown = true): Trouble | undefined {
  if (error instanceof ConnectionError || isAbort(error)) return 'away';
  if (error instanceof NotBacksolveError) return isKnown ? 'away' : 'denied';
  if (error instanceof UnknownOperationError || error instanceof AnswerError) return 'denied';
  if (!(error instanceof BacksolveError)) return undefined;
  const { status } = error;
  if (status === 401 || status === 403) return 'denied';
  if (status === 404 || status === 409 || status === 410) return 'lost';
  return status === 408 || status === 429 || status >= 500 ? 'away' : 'refused';
}

/** A call that took too long, or that was given up. */
function isAbort(error: unknown): boolean {
  return error instanceof DOMException && ['AbortError', 'TimeoutError'].includes(error.name);
}

function withoutUndefined(claim: Claim): object {
  return Object.fromEntries(Object.entries(claim).filter(([, value]) => value !== undefined));
}
