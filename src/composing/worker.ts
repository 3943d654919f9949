/** The worker: it computes suggestions, delivers events and tidies up. */
import { hostname } from 'node:os';
import { tidyEvents } from '../application/deliver-events.ts';
import { purgeIdempotencyKeys } from '../application/idempotent.ts';
import { judgeEarlierObjectives } from '../application/judge-runs.ts';
import { failExhaustedJobs } from '../application/maintenance.ts';
import { dropEndedSecrets } from '../application/manage-webhooks.ts';
import { purgeDeleted } from '../application/purge-deleted.ts';
import { renderEvent } from '../application/render-event.ts';
import { purgeRateLimits } from '../db/rate-limits.ts';
import type { LeasedDelivery } from '../domain/event.ts';
import { sdkEvents } from '../http/sdk/events.wire.ts';
import { traceJobs } from '../telemetry/traced.ts';
import { makeSender } from '../webhooks/deliver.ts';
import { makeDnsResolve, resolveBySystem } from '../webhooks/target-guard.ts';
import { makeDeliveryLoop } from '../worker/delivery-loop.ts';
import { EventBodies } from '../worker/event-bodies.ts';
import { type ScheduledTask, startSchedule } from '../worker/schedule.ts';
import { makeSuggestionLoop } from '../worker/suggestion-loop.ts';
import type { WorkLoop } from '../worker/work-loop.ts';
import { atMost, type Closer, HAND_BACK_MS, type Parts } from './parts.ts';

export function startWorker({ config, log, db, disk, listener, engine, metrics, tracing }: Parts): Closer {
  const loop = makeSuggestionLoop({
    db,
    listener,
    engine,
    log,
    workerName: `${hostname()}:${process.pid}`,
    workLimit: config.engine.workLimit,
    concurrency: config.worker.concurrency,
    leaseMs: config.worker.leaseMs,
    pollIntervalMs: config.worker.pollIntervalMs,
    isPaused: () => disk.isFull,
    metrics,
    aroundJob: tracing && traceJobs(tracing),
  });
  metrics?.watchWorker(() => ({ running: loop.runningCount, concurrency: config.worker.concurrency }));
  const deliveries = composeDeliveryLoop({ config, log, db, disk, listener, metrics });
  const tasks: ScheduledTask[] = [
    { name: 'fail-exhausted-jobs', cron: '*/5 * * * * *', run: () => failExhaustedJobs(db) },
    { name: 'purge-idempotency-keys', cron: '45 * * * * *', run: () => purgeIdempotencyKeys(db) },
    { name: 'purge-rate-limits', cron: '15 */10 * * * *', run: () => purgeRateLimits(db) },
    {
      name: 'judge-earlier-objectives',
      cron: '*/10 * * * * *',
      run: (signal) => judgeEarlierObjectives(db, { signal }),
    },
    { name: 'tidy-events', cron: '30 * * * * *', run: () => tidyEvents(db) },
    { name: 'drop-webhook-secrets', cron: '0 * * * * *', run: () => dropEndedSecrets(db) },
    {
      name: 'purge-deleted',
      cron: '0 * * * * *',
      run: (signal) => purgeDeleted(db, { keptDays: config.deletedDataKeptDays, signal }),
    },
  ];
  const stopSchedule = startSchedule(tasks, log);
  loop.start();
  deliveries.start();
  const stop = (graceMs: number) => Promise.all([loop.stop(graceMs), deliveries.stop(graceMs), stopSchedule()]);
  return (graceLeftMs) => atMost(graceLeftMs + HAND_BACK_MS, stop(graceLeftMs));
}

/** Simultaneous attempts per webhook: enough for a receiver that answers quickly, without flooding one that does not. */
const ATTEMPTS_PER_WEBHOOK = 4;
/** What an attempt may take beyond its timeout: reading the record and storing the outcome. */
const ATTEMPT_SLACK_MS = 20_000;

type DeliveryLoopParts = Pick<Parts, 'config' | 'log' | 'db' | 'disk' | 'listener' | 'metrics'>;

function composeDeliveryLoop(parts: DeliveryLoopParts): WorkLoop<LeasedDelivery> {
  const { config, log, db, disk, listener, metrics } = parts;
  const { allowPrivate, timeoutMs, concurrency, maximumBytes } = config.webhooks;
  const bodies = new EventBodies((event) => renderEvent({ db, form: sdkEvents, maximumBytes }, event));
  return makeDeliveryLoop({
    db,
    listener,
    log,
    send: makeSender({
      allowPrivate,
      timeoutMs,
      resolve: allowPrivate ? resolveBySystem : makeDnsResolve(),
      userAgent: 'Backsolve',
      now: Date.now,
    }),
    bodyOf: bodies.of,
    workerName: `${hostname()}:${process.pid}`,
    concurrency,
    perWebhook: ATTEMPTS_PER_WEBHOOK,
    leaseMs: timeoutMs + ATTEMPT_SLACK_MS,
    pollIntervalMs: config.worker.pollIntervalMs,
    isPaused: () => disk.isFull,
    metrics,
  });
}
