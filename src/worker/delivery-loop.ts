/**
 * Sends due events to webhooks; the poll finds those whose pause is over.
 *
 * No receiver holds up another: a webhook gets few places at once, one that fails a single one, and all failing ones
 * together at most half of the places. A lease outlives the attempt's time limit, so that none needs renewing.
 */
import {
  claimDeliveries,
  type DeliverDeps,
  type DeliveryOutcome,
  deliverEvent,
  EVENTS_CHANNEL,
  releaseDelivery,
} from '../application/deliver-events.ts';
import type { Listener } from '../db/listen.ts';
import type { LeasedDelivery } from '../domain/event.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { ClaimLoop } from './claim-loop.ts';
import type { WorkerLog } from './suggestion-loop.ts';

export interface DeliveryLoopDeps extends DeliverDeps {
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly log: WorkerLog;
  readonly workerName: string;
  /** Attempts under way at once, at least 2. */
  readonly concurrency: number;
  readonly perWebhook: number;
  /** Longer than an attempt can take. */
  readonly leaseMs: number;
  readonly pollIntervalMs: number;
  /** While it is true nothing is claimed: what would be sent could not be noted, and would be sent again. */
  readonly isPaused?: (() => boolean) | undefined;
  readonly metrics?: Pick<Metrics, 'deliverySettled'> | undefined;
}

interface Running {
  readonly isFailing: boolean;
  readonly done: Promise<void>;
}

export class DeliveryLoop {
  readonly #deps: DeliveryLoopDeps;
  readonly #running = new Map<LeasedDelivery, Running>();
  readonly #leaving = new AbortController();
  readonly #claims: ClaimLoop;
  #stopping: Promise<void> | undefined;

  constructor(deps: DeliveryLoopDeps) {
    this.#deps = deps;
    this.#claims = new ClaimLoop({
      listener: deps.listener,
      channel: EVENTS_CHANNEL,
      pollIntervalMs: deps.pollIntervalMs,
      claim: () => this.#claim(),
      onError: (error) => deps.log.warn({ err: error }, 'events.claim-failed'),
      isPaused: deps.isPaused,
    });
  }

  start(): void {
    this.#claims.start();
  }

  /** Claims nothing more, lets attempts finish within the grace, then calls them off and hands them back. */
  stop(graceMs: number): Promise<void> {
    this.#stopping ??= this.#shutDown(graceMs);
    return this.#stopping;
  }

  async #shutDown(graceMs: number): Promise<void> {
    const grace = setTimeout(() => this.#leaving.abort(), graceMs);
    await this.#claims.stop();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    clearTimeout(grace);
  }

  async #claim(): Promise<void> {
    const limits = this.#freePlaces();
    if (limits.healthyLimit + limits.failingLimit === 0) return;
    for (const delivery of await claimDeliveries(this.#deps.db, { ...this.#deps, ...limits })) this.#begin(delivery);
  }

  /** Places of this pass; the failing ones are kept apart, so that the others' are never used up by them. */
  #freePlaces(): { readonly healthyLimit: number; readonly failingLimit: number } {
    const forFailing = Math.floor(this.#deps.concurrency / 2);
    const failing = [...this.#running.values()].filter(({ isFailing }) => isFailing).length;
    const healthy = this.#running.size - failing;
    return {
      healthyLimit: Math.max(0, this.#deps.concurrency - forFailing - healthy),
      failingLimit: Math.max(0, forFailing - failing),
    };
  }

  #begin(delivery: LeasedDelivery): void {
    const done = this.#deliver(delivery).finally(() => {
      this.#running.delete(delivery);
      this.#claims.wake();
    });
    this.#running.set(delivery, { isFailing: delivery.isFailing, done });
  }

  /** Never rejects: whatever goes wrong, the delivery is either noted, handed back, or left to its lease. */
  async #deliver(delivery: LeasedDelivery): Promise<void> {
    const { log, db } = this.#deps;
    const startedAt = performance.now();
    try {
      const outcome = await deliverEvent(this.#deps, delivery, this.#leaving.signal);
      this.#tell(delivery, outcome, performance.now() - startedAt);
    } catch (error) {
      const isLeaving = this.#leaving.signal.aborted;
      log.warn({ ...factsOf(delivery), err: error, isLeaving }, 'event.interrupted');
      if (!isLeaving) return;
      await releaseDelivery(db, delivery).catch((again: unknown) => {
        log.warn({ ...factsOf(delivery), err: again }, 'event.not-handed-back');
      });
    }
  }

  #tell(delivery: LeasedDelivery, outcome: DeliveryOutcome, durationMs: number): void {
    const { log, metrics } = this.#deps;
    const facts = { ...factsOf(delivery), durationMs: Math.round(durationMs) };
    metrics?.deliverySettled(outcome.kind === 'failed' && outcome.isDead ? 'dead' : outcome.kind, durationMs / 1000);
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
