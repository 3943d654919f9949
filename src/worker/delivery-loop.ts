/**
 * Sends due events to webhooks. No receiver holds up another: a webhook gets few slots at a time, one that fails a single slot, and
 * all failing webhooks together at most half of the slots. A lease outlives the time limit of an attempt, so none is renewed.
 */
import {
  claimDeliveries,
  type DeliverDeps,
  type DeliveryOutcome,
  deliverEvent,
  EVENTS_CHANNEL,
  releaseDelivery,
} from '../application/webhooks/deliver-events.ts';
import type { Listener } from '../db/connection/listen.ts';
import type { LeasedDelivery } from '../domain/webhooks/event.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Claimed, type Work, type WorkerLog, WorkLoop } from './work-loop.ts';

export interface DeliveryLoopDeps extends DeliverDeps {
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly log: WorkerLog;
  readonly workerName: string;
  /** Simultaneous attempts, at least 2. */
  readonly concurrency: number;
  readonly perWebhook: number;
  /** Longer than an attempt can take. */
  readonly leaseMs: number;
  readonly pollIntervalMs: number;
  /** While true, nothing is claimed: an attempt whose outcome cannot be stored would be repeated. */
  readonly isPaused?: (() => boolean) | undefined;
  readonly metrics?: Pick<Metrics, 'deliveryFinished'> | undefined;
}

export function makeDeliveryLoop(deps: DeliveryLoopDeps): WorkLoop<LeasedDelivery> {
  return new WorkLoop(new DeliveryWork(deps), {
    listener: deps.listener,
    channel: EVENTS_CHANNEL,
    pollIntervalMs: deps.pollIntervalMs,
    isPaused: deps.isPaused,
    onClaimError: (error) => deps.log.warn({ err: error }, 'events.claim-failed'),
  });
}

class DeliveryWork implements Work<LeasedDelivery> {
  readonly #deps: DeliveryLoopDeps;

  constructor(deps: DeliveryLoopDeps) {
    this.#deps = deps;
  }

  async claim(inHand: readonly LeasedDelivery[]): Promise<Claimed<LeasedDelivery>> {
    const limits = this.#freeSlots(inHand);
    const isFull = limits.healthyLimit + limits.failingLimit === 0;
    const items = isFull ? [] : await claimDeliveries(this.#deps.db, { ...this.#deps, ...limits });
    // A finished attempt also frees a slot of its webhook, which the claim does not know.
    return { items, again: 'when-finished' };
  }

  /** Failing webhooks have slots of their own, so that they cannot use up those of the others. */
  #freeSlots(inHand: readonly LeasedDelivery[]): { readonly healthyLimit: number; readonly failingLimit: number } {
    const forFailing = Math.floor(this.#deps.concurrency / 2);
    const failing = inHand.filter(({ isFailing }) => isFailing).length;
    const healthy = inHand.length - failing;
    return {
      healthyLimit: Math.max(0, this.#deps.concurrency - forFailing - healthy),
      failingLimit: Math.max(0, forFailing - failing),
    };
  }

  /** Never rejects: the outcome is stored, or the delivery is handed back or left until its lease expires. */
  async perform(delivery: LeasedDelivery, leaving: AbortSignal): Promise<void> {
    const { log, db } = this.#deps;
    const startedAt = performance.now();
    try {
      const outcome = await deliverEvent(this.#deps, delivery, leaving);
      this.#report(delivery, outcome, performance.now() - startedAt);
    } catch (error) {
      const isLeaving = leaving.aborted;
      log.warn({ ...factsOf(delivery), err: error, isLeaving }, 'event.interrupted');
      if (!isLeaving) return;
      await releaseDelivery(db, delivery).catch((again: unknown) => {
        log.warn({ ...factsOf(delivery), err: again }, 'event.not-handed-back');
      });
    }
  }

  #report(delivery: LeasedDelivery, outcome: DeliveryOutcome, durationMs: number): void {
    const { log, metrics } = this.#deps;
    const facts = { ...factsOf(delivery), durationMs: Math.round(durationMs) };
    metrics?.deliveryFinished(outcome.kind === 'failed' && outcome.isDead ? 'dead' : outcome.kind, durationMs / 1000);
    if (outcome.kind === 'delivered') log.info({ ...facts, status: outcome.status }, 'event.delivered');
    else if (outcome.kind === 'lost') log.warn(facts, 'event.lost');
    else if (outcome.cause !== undefined) log.error({ ...facts, err: outcome.cause }, 'event.not-rendered');
    else log.warn({ ...facts, error: outcome.error }, outcome.isDead ? 'event.dead' : 'event.not-delivered');
  }
}

/** Neither the URL, which may carry a token, nor the secret. */
function factsOf(delivery: LeasedDelivery): object {
  const { id, webhookId, attempt, event } = delivery;
  return { deliveryId: id, webhookId, attempt, eventId: event.id, name: event.name };
}
