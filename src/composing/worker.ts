/** The worker: it computes suggestions, delivers events and tidies up. */
import { hostname } from 'node:os';
import { purgeSessions } from '../application/accounts/browser-sessions.ts';
import { countStorage } from '../application/accounts/count-storage.ts';
import { purgeDrafts } from '../application/accounts/page-drafts.ts';
import { purgeDeleted } from '../application/deletion/purge-deleted.ts';
import { failLostEvaluations } from '../application/evaluations/fail-evaluation.ts';
import { purgeLinks } from '../application/exports/shared-links.ts';
import { purgeIdempotencyKeys } from '../application/idempotent.ts';
import { purgeNotes } from '../application/notes/keep-notes.ts';
import { removeFiles } from '../application/notes/note-files.ts';
import { judgeEarlierObjectives } from '../application/search/judge-runs.ts';
import { failExhaustedJobs, stopOverdue } from '../application/search/maintenance.ts';
import { type DeliverDeps, tidyEvents } from '../application/webhooks/deliver-events.ts';
import { dropEndedSecrets } from '../application/webhooks/manage-webhooks.ts';
import { renderEvent } from '../application/webhooks/render-event.ts';
import { renderMail } from '../application/webhooks/render-mail.ts';
import { purgeWorkbooks } from '../application/workbooks/keep-workbooks.ts';
import { purgeRateLimits } from '../db/accounts/rate-limits.ts';
import { hasQueuedWork } from '../db/search/queued-work.ts';
import type { LeasedDelivery, ReceiverKind } from '../domain/webhooks/event.ts';
import { presentClaimedEvaluation } from '../http/native/evaluations/evaluations.wire.ts';
import { sdkEvents } from '../http/sdk/events.wire.ts';
import { makeCallEvaluator } from '../outside/webhooks/call-evaluator.ts';
import { makeSender, type SendEvent } from '../outside/webhooks/deliver.ts';
import { makeDnsResolve, resolveBySystem } from '../outside/webhooks/target-guard.ts';
import { traceJobs } from '../telemetry/traced.ts';
import { makeBatchLoop } from '../worker/batch-loop.ts';
import { makeDeliveryLoop } from '../worker/delivery-loop.ts';
import { makeEvaluatorCalls } from '../worker/evaluator-calls.ts';
import { EventBodies } from '../worker/event-bodies.ts';
import { type ScheduledTask, startSchedule } from '../worker/schedule.ts';
import { makeSuggestionLoop } from '../worker/suggestion-loop.ts';
import type { WorkLoop } from '../worker/work-loop.ts';
import { composeMail, mailServerOf } from './mail.ts';
import { atMost, type Closer, HAND_BACK_MS, type Parts } from './parts.ts';

export interface RunningWorker {
  readonly close: Closer;
  /** Whether nothing is queued for workers and this one has nothing in hand; open batches are advanced to find out. */
  readonly isDrained: () => Promise<boolean>;
}

export function startWorker(parts: Parts): RunningWorker {
  const { config, log, db, disk, listener, engine, designs, metrics, tracing } = parts;
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
  const batches = makeBatchLoop({
    db,
    listener,
    designs,
    log,
    limits: config.account,
    pollIntervalMs: config.worker.pollIntervalMs,
    isPaused: () => disk.isFull,
  });
  const calls = makeEvaluatorCalls({
    db,
    listener,
    log,
    call: makeCallEvaluator({
      allowPrivate: false,
      allowedHosts: config.evaluators.allowPrivate,
      resolve: makeDnsResolve(),
      resolvePrivate: resolveBySystem,
      userAgent: 'Backsolve',
      now: Date.now,
    }),
    bodyOf: (evaluation) => Buffer.from(JSON.stringify(presentClaimedEvaluation(evaluation))),
    workerName: `${hostname()}:${process.pid}`,
    longestCallMs: config.evaluators.longestCallMs,
    sheets: parts.sheets,
    concurrency: config.evaluators.concurrency,
    pollIntervalMs: config.worker.pollIntervalMs,
    isPaused: () => disk.isFull,
    metrics,
  });
  const failLost = async () => {
    const counts = await failLostEvaluations(db);
    metrics?.evaluationLeaseLost(counts.failed);
    return counts;
  };
  const tasks: ScheduledTask[] = [
    { name: 'fail-exhausted-jobs', cron: '*/5 * * * * *', run: () => failExhaustedJobs(db) },
    { name: 'stop-overdue', cron: '*/5 * * * * *', run: () => stopOverdue(db) },
    { name: 'fail-lost-evaluations', cron: '*/2 * * * * *', run: failLost },
    { name: 'purge-idempotency-keys', cron: '45 * * * * *', run: () => purgeIdempotencyKeys(db) },
    { name: 'purge-rate-limits', cron: '15 */10 * * * *', run: () => purgeRateLimits(db) },
    { name: 'purge-sessions', cron: '25 */10 * * * *', run: () => purgeSessions(db) },
    { name: 'purge-workbooks', cron: '55 */10 * * * *', run: () => purgeWorkbooks(db) },
    { name: 'purge-links', cron: '40 */10 * * * *', run: () => purgeLinks(db) },
    {
      name: 'purge-notes',
      cron: '40 * * * * *',
      run: () => purgeNotes(db, config.deletedDataKeptDays),
    },
    { name: 'purge-drafts', cron: '35 */10 * * * *', run: () => purgeDrafts(db) },
    {
      name: 'judge-earlier-objectives',
      cron: '*/10 * * * * *',
      run: (signal) => judgeEarlierObjectives(db, { signal }),
    },
    { name: 'tidy-events', cron: '30 * * * * *', run: () => tidyEvents(db) },
    { name: 'count-storage', cron: '20 * * * * *', run: (signal) => countStorage(db, signal) },
    { name: 'drop-webhook-secrets', cron: '0 * * * * *', run: () => dropEndedSecrets(db) },
    {
      name: 'purge-deleted',
      cron: '0 * * * * *',
      run: (signal) => purgeDeleted(db, { keptDays: config.deletedDataKeptDays, signal }),
    },
  ];
  const { files } = parts;
  if (files !== undefined) {
    tasks.push({ name: 'remove-files', cron: '50 * * * * *', run: () => removeFiles(db, files) });
  }
  const stopSchedule = startSchedule(tasks, log);
  loop.start();
  deliveries.start();
  batches.start();
  calls.start();
  const stop = (graceMs: number) =>
    Promise.all([
      loop.stop(graceMs),
      deliveries.stop(graceMs),
      batches.stop(graceMs),
      calls.stop(graceMs),
      stopSchedule(),
    ]);
  const isIdle = async () => {
    const inHand = loop.runningCount + deliveries.runningCount + batches.runningCount + calls.runningCount;
    return inHand === 0 && !(await hasQueuedWork(db));
  };
  return {
    close: (graceLeftMs) => atMost(graceLeftMs + HAND_BACK_MS, stop(graceLeftMs)),
    isDrained: async () => (await isIdle()) && (await batches.advanceAll()) === 0 && (await isIdle()),
  };
}

/** Simultaneous attempts per webhook: enough for a receiver that answers quickly, without flooding one that does not. */
const ATTEMPTS_PER_WEBHOOK = 4;
/** Time for an attempt beyond its timeout: reading the record and storing the outcome. */
const ATTEMPT_SLACK_MS = 20_000;

type DeliveryLoopParts = Pick<Parts, 'config' | 'log' | 'db' | 'disk' | 'listener' | 'metrics'>;

function composeDeliveryLoop(parts: DeliveryLoopParts): WorkLoop<LeasedDelivery> {
  const { config, log, db, disk, listener, metrics } = parts;
  const { allowPrivate, timeoutMs, concurrency, maximumBytes } = config.webhooks;
  const bodies = new EventBodies((event) => renderEvent({ db, form: sdkEvents, maximumBytes }, event));
  const post = makeSender({
    allowPrivate,
    timeoutMs,
    resolve: allowPrivate ? resolveBySystem : makeDnsResolve(),
    userAgent: 'Backsolve',
    now: Date.now,
  });
  const server = mailServerOf(config);
  const letters = { db, publicUrl: server?.publicUrl ?? '', cell: config.cell };
  const BODIES: Readonly<Record<ReceiverKind, DeliverDeps['bodyOf']>> = {
    http: bodies.of,
    mail: (_, delivery) => renderMail(letters, delivery),
  };
  const SEND: Readonly<Record<ReceiverKind, SendEvent>> = { http: post, mail: composeMail(server) };
  return makeDeliveryLoop({
    db,
    listener,
    log,
    send: (outgoing, signal) => SEND[outgoing.kind](outgoing, signal),
    bodyOf: (event, delivery) => BODIES[delivery.kind](event, delivery),
    workerName: `${hostname()}:${process.pid}`,
    concurrency,
    perWebhook: ATTEMPTS_PER_WEBHOOK,
    leaseMs: timeoutMs + ATTEMPT_SLACK_MS,
    pollIntervalMs: config.worker.pollIntervalMs,
    isPaused: () => disk.isFull,
    metrics,
  });
}
