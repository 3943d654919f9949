/** Calls http evaluators, and renews the leases of running calls. */
import {
  claimPushed,
  handBackEvaluation,
  keepLease,
  PUSHED_CHANNEL,
  type PushDeps,
  type PushedEvaluation,
  pushEvaluation,
  storeOutcome,
} from '../application/evaluations/push-evaluation.ts';
import type { Listener } from '../db/connection/listen.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { LongSlots } from './account-slots.ts';
import { type Claimed, type Work, type WorkerLog, WorkLoop } from './work-loop.ts';

export interface EvaluatorCallsDeps extends PushDeps {
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly log: WorkerLog;
  readonly workerName: string;
  /** Simultaneous calls. */
  readonly concurrency: number;
  readonly pollIntervalMs: number;
  /** While true, nothing is claimed: an output could not be stored. */
  readonly isPaused?: (() => boolean) | undefined;
  readonly metrics?: Pick<Metrics, 'evaluationReported' | 'evaluationLeaseLost'> | undefined;
}

export function makeEvaluatorCalls(deps: EvaluatorCallsDeps): WorkLoop<PushedEvaluation> {
  return new WorkLoop(new EvaluatorCalls(deps), {
    listener: deps.listener,
    channel: PUSHED_CHANNEL,
    pollIntervalMs: deps.pollIntervalMs,
    isPaused: deps.isPaused,
    onClaimError: (error) => deps.log.warn({ err: error }, 'evaluations.claim-failed'),
  });
}

/** The calls of a killed worker are repeated after this time. An evaluator that answered 202 sends heartbeats within it. */
const LEASE_SECONDS = 60;
/** Leaves time for some renewals that fail. */
const RENEWALS_PER_LEASE = 4;
/** The pause before an unavailable evaluator is called again doubles up to this. */
const LONGEST_PAUSE_SECONDS = 60;
/** Remembered batches with an unavailable evaluator; a forgotten one is called a little more often. */
const REMEMBERED_BATCHES = 10_000;
/** Reason for aborting a call whose output is no longer needed. */
const UNWANTED = 'unwanted';

class EvaluatorCalls implements Work<PushedEvaluation> {
  readonly #deps: EvaluatorCallsDeps;
  readonly #slots: LongSlots;
  #afterBatchId = 0;
  /** Calls in a row that did not reach the evaluator, by batch. */
  readonly #misses = new Map<number, number>();

  constructor(deps: EvaluatorCallsDeps) {
    this.#deps = deps;
    this.#slots = new LongSlots(deps.concurrency);
  }

  async claim(inHand: readonly PushedEvaluation[]): Promise<Claimed<PushedEvaluation>> {
    const { db, workerName, concurrency } = this.#deps;
    const free = concurrency - inHand.length;
    if (free <= 0) return { items: [], again: 'when-finished' };
    const accounts = inHand.map(({ accountId }) => accountId);
    const passedOver = this.#slots.withoutSlot(accounts);
    const limit = this.#slots.limitOf(free, accounts);
    const after = { afterBatchId: this.#afterBatchId, passedOver };
    const claim = { limit, leaseSeconds: LEASE_SECONDS, ...after, workerName };
    const items = await claimPushed(db, claim);
    this.#afterBatchId = items.at(-1)?.batchId ?? this.#afterBatchId;
    const lost = items.filter(({ wasLost }) => wasLost).length;
    if (lost > 0) this.#deps.metrics?.evaluationLeaseLost(lost);
    // The accounts of these and others may have room for more.
    if (limit < free && items.length > 0) return { items, again: 'at-once' };
    // A finished call also frees a slot of its evaluator, which the claim does not know.
    return { items, again: 'when-finished' };
  }

  /** Never rejects: the outcome is stored, or the evaluation is handed back or left until its lease expires. */
  async perform(evaluation: PushedEvaluation, leaving: AbortSignal): Promise<void> {
    const { log, db } = this.#deps;
    const { id: evaluationId, batchId } = evaluation;
    const facts = { evaluationId, batchId, try: evaluation.tries + 1 };
    const ended = new AbortController();
    const renewal = this.#renew(evaluation, ended);
    const startedAt = performance.now();
    try {
      const signal = AbortSignal.any([leaving, ended.signal]);
      const outcome = await pushEvaluation(this.#deps, evaluation, signal);
      clearInterval(renewal);
      const delaySeconds = this.#pauseAfter(batchId, outcome.kind === 'away', outcome.retryAfterSeconds);
      const stored = await storeOutcome(db, evaluation, outcome, delaySeconds, leaving);
      const durationMs = Math.round(performance.now() - startedAt);
      if (stored.outcome !== 'later' && stored.outcome !== 'lost') {
        this.#deps.metrics?.evaluationReported(stored.outcome, stored.heldMs / 1_000);
      }
      const reason = 'reason' in outcome ? { reason: outcome.reason } : {};
      log.info({ ...facts, durationMs, outcome: outcome.kind, stored: stored.outcome, ...reason }, 'evaluation.pushed');
    } catch (error) {
      clearInterval(renewal);
      if (ended.signal.aborted) return log.info(facts, 'evaluation.unwanted');
      log.warn({ ...facts, err: error, isLeaving: leaving.aborted }, 'evaluation.interrupted');
      if (!leaving.aborted) return;
      await handBackEvaluation(db, evaluation).catch((again: unknown) => {
        log.warn({ ...facts, err: again }, 'evaluation.not-handed-back');
      });
    }
  }

  #renew(evaluation: PushedEvaluation, ended: AbortController): NodeJS.Timeout {
    return setInterval(
      () => {
        keepLease(this.#deps.db, evaluation).then(
          (isWanted) => {
            if (!isWanted) ended.abort(UNWANTED);
          },
          // Until the database is back the call continues; the report decides.
          (error: unknown) => this.#deps.log.warn({ evaluationId: evaluation.id, err: error }, 'lease.renewal-failed'),
        );
      },
      (1_000 * LEASE_SECONDS) / RENEWALS_PER_LEASE,
    );
  }

  #pauseAfter(batchId: number, isAway: boolean, retryAfterSeconds: number | null): number {
    const misses = isAway ? (this.#misses.get(batchId) ?? 0) + 1 : 0;
    this.#misses.delete(batchId);
    if (misses === 0) return 0;
    this.#misses.set(batchId, misses);
    if (this.#misses.size > REMEMBERED_BATCHES) this.#misses.delete(this.#misses.keys().next().value!);
    return Math.min(LONGEST_PAUSE_SECONDS, retryAfterSeconds ?? 2 ** Math.min(misses, 10));
  }
}
