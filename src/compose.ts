/** The only place that builds things. `close` takes them down in reverse order. */
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { SettledSteps } from './application/await-suggestion.ts';
import { tidyEvents } from './application/deliver-events.ts';
import { purgeIdempotencyKeys } from './application/idempotent.ts';
import { failExhaustedJobs } from './application/maintenance.ts';
import { KeyUse } from './application/record-key-use.ts';
import type { Config } from './config.ts';
import { readBacklog } from './db/backlog.ts';
import { connect, poolUsage } from './db/client.ts';
import { findLostLimits } from './db/lost-limits.ts';
import { Listener, notify } from './db/listen.ts';
import { makeMigrationCheck } from './db/migrate.ts';
import { makeSharedWindow, purgeRateLimits } from './db/rate-limits.ts';
import { type Db, databaseTrouble } from './db/transaction.ts';
import { type Engine, startEngine } from './engine/pool.ts';
import { buildHealthServer } from './http/health-server.ts';
import { makeRateLimiter, type RateLimiter, WINDOW_SECONDS } from './http/rate-limiter.ts';
import { presentEvent } from './http/sdk/events.wire.ts';
import { buildServer } from './http/server.ts';
import type { Log } from './log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { traceEngine, traceStatements } from './telemetry/traced.ts';
import type { Tracing } from './telemetry/tracing.ts';
import { makeSender } from './webhooks/deliver.ts';
import { type JudgeUrl, makeDnsResolve, makeUrlJudge, resolveBySystem } from './webhooks/target-guard.ts';
import { EventLoop } from './worker/event-loop.ts';
import { type ScheduledTask, startSchedule } from './worker/schedule.ts';
import { SuggestionLoop } from './worker/suggestion-loop.ts';

/** For commands that report what went wrong. */
export { databaseTrouble };

export interface Roles {
  /** Answers HTTP. */
  readonly ingress: boolean;
  /** Computes suggestions. */
  readonly worker: boolean;
}

export interface Service {
  readonly db: Db;
  /** Where the ingress listens, e.g. http://127.0.0.1:8080; undefined without one. */
  readonly url: string | undefined;
  /** Answers requests under way, finishes or hands back claimed work, then lets go of everything. Idempotent. */
  close(): Promise<void>;
}

const HEARTBEAT_MS = 5_000;
const RECONNECT_MS = 500;

/** A pool for commands that need nothing but the database. */
export function openDatabase(config: Config, url: string, log: Log, tracing?: Tracing): Db {
  return connect({
    url,
    poolSize: config.database.poolSize,
    preparesStatements: config.database.preparesStatements,
    statementTimeoutMs: config.database.statementTimeoutMs,
    lockTimeoutMs: config.database.lockTimeoutMs,
    applicationName: 'backsolve',
    onConnectionError: (error) => log.warn({ err: error }, 'database.connection-lost'),
    ...(tracing !== undefined && { aroundStatement: traceStatements(tracing) }),
  });
}

/**
 * Builds and starts what the roles need. What was started before a failure is taken down again. `engine` replaces the
 * optimizer's threads: benchmarks and fault tests bring their own.
 */
export async function startService(
  config: Config,
  url: string,
  log: Log,
  roles: Roles & { readonly engine?: Engine },
): Promise<Service> {
  const closers: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      for (const closeOne of closers.reverse()) await closeOne();
    })();
    return closing;
  };
  try {
    const tracing = await startTracing(config, log, roles);
    closers.push(async () => tracing?.close());
    const db = openDatabase(config, url, log, tracing);
    closers.push(() => db.destroy());
    const metrics = await startMetrics(config, roles, db);
    const listener = startListener(config.database.listenUrl ?? url, db, log);
    closers.push(() => listener.stop());
    const threads = roles.engine ?? startThreads(config, log, roles);
    closers.push(() => threads.close());
    const engine = tracing === undefined ? threads : traceEngine(threads, tracing);
    const parts = { config, log, db, listener, engine, metrics, tracing, isDatabaseReady: makeMigrationCheck(db) };
    if (roles.worker) closers.push(startWorker(parts));
    let ingress: RunningIngress | undefined;
    const isReady = roles.ingress ? async () => (await ingress?.isReady()) ?? false : parts.isDatabaseReady;
    for (const port of healthPorts(config, roles)) closers.push(await startHealth(parts, port, isReady));
    if (roles.ingress) ingress = await startIngress(parts);
    if (ingress !== undefined) closers.push(ingress.close);
    void warnOfLostLimits(config, db, log);
    return { db, url: ingress?.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A pooler may swallow the time limits that a connection asks for; without them a hung statement holds its locks. */
async function warnOfLostLimits({ database }: Config, db: Db, log: Log): Promise<void> {
  const limits = await findLostLimits(db, database).catch(() => []);
  if (limits.length > 0) log.warn({ limits, remedy: 'alter role ... set' }, 'database.limits-not-in-force');
}

function startThreads(config: Config, log: Log, roles: Roles): Engine {
  return startEngine({
    ...config.engine,
    keepWarm: roles.worker,
    onError: (error) => log.warn({ err: error }, 'engine.error'),
  });
}

interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly db: Db;
  readonly listener: Listener;
  readonly engine: Engine;
  readonly metrics: Metrics | undefined;
  readonly tracing: Tracing | undefined;
  readonly isDatabaseReady: () => Promise<boolean>;
}

/** Loaded only when an endpoint is set. */
async function startTracing({ telemetry }: Config, log: Log, roles: Roles): Promise<Tracing | undefined> {
  if (telemetry.otlpEndpoint === undefined) return undefined;
  const { startOtlpTracing } = await import('./telemetry/otlp-tracing.ts');
  const role = roles.ingress && roles.worker ? 'start' : roles.ingress ? 'serve' : 'work';
  return startOtlpTracing({
    endpoint: telemetry.otlpEndpoint,
    headers: telemetry.otlpHeaders,
    sampler: telemetry.sampler,
    sampleRatio: telemetry.sampleRatio,
    resource: {
      'service.namespace': 'backsolve',
      'service.name': `backsolve-${role}`,
      'service.instance.id': `${hostname()}:${process.pid}`,
    },
    onError: (error) => log.warn({ err: error }, 'traces.not-sent'),
  });
}

/** Loaded only when some port answers /metrics. */
async function startMetrics(config: Config, roles: Roles, db: Db): Promise<Metrics | undefined> {
  if (healthPorts(config, roles).size === 0) return undefined;
  const { makeMetrics } = await import('./telemetry/metrics.ts');
  const { TOP_ACCOUNTS } = await import('./telemetry/backlog-gauges.ts');
  return makeMetrics({ readBacklog: () => readBacklog(db, TOP_ACCOUNTS), readPool: () => poolUsage(db) });
}

/** Ports beside the public one: probes and metrics. */
function healthPorts({ worker, telemetry }: Config, roles: Roles): ReadonlySet<number> {
  const ports = [roles.ingress ? undefined : worker.healthPort, telemetry.metricsPort];
  return new Set(ports.filter((port) => port !== undefined));
}

function startListener(url: string, db: Db, log: Log): Listener {
  const listener = new Listener({
    url,
    applicationName: 'backsolve-listen',
    heartbeatMs: HEARTBEAT_MS,
    reconnectMs: RECONNECT_MS,
    onError: (error) => log.warn({ err: error }, 'listen.connection-lost'),
    probe: {
      notify: (channel, payload) => notify(db, channel, payload),
      onDeaf: () => log.warn({ remedy: 'set LISTEN_DATABASE_URL' }, 'listen.deaf'),
    },
  });
  listener.start();
  return listener;
}

function startWorker({ config, log, db, listener, engine, metrics, tracing }: Parts): () => Promise<void> {
  const loop = new SuggestionLoop({
    db,
    listener,
    engine,
    log,
    workerName: `${hostname()}:${process.pid}`,
    workLimit: config.engine.workLimit,
    concurrency: config.worker.concurrency,
    leaseMs: config.worker.leaseMs,
    pollIntervalMs: config.worker.pollIntervalMs,
    graceMs: config.shutdownGraceMs,
    metrics,
    tracing,
  });
  metrics?.watchWorker(() => ({ running: loop.runningCount, concurrency: config.worker.concurrency }));
  const events = makeEventLoop({ config, log, db, listener, metrics });
  const tasks: ScheduledTask[] = [
    { name: 'fail-exhausted-jobs', cron: '*/5 * * * * *', run: () => failExhaustedJobs(db) },
    { name: 'purge-idempotency-keys', cron: '45 * * * * *', run: () => purgeIdempotencyKeys(db) },
    { name: 'purge-rate-limits', cron: '15 */10 * * * *', run: () => purgeRateLimits(db) },
    { name: 'tidy-events', cron: '30 * * * * *', run: () => tidyEvents(db) },
  ];
  const stopSchedule = startSchedule(tasks, log);
  loop.start();
  events.start();
  const stop = () => Promise.all([loop.stop(), events.stop(), stopSchedule()]);
  return () => atMost(config.shutdownGraceMs + HAND_BACK_MS, stop());
}

/** What handing work back takes while the database answers. */
const HAND_BACK_MS = 3_000;

/** Waits at most so long: what hangs on dead connections is left to leases, whose time runs out by itself. */
async function atMost(limitMs: number, work: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([work, delay(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
}

/** Probes and metrics on a port of their own. */
async function startHealth(
  { config, log, metrics }: Parts,
  port: number,
  isReady: () => Promise<boolean>,
): Promise<() => Promise<void>> {
  const server = buildHealthServer({ log, isReady, metrics });
  await server.listen({ host: config.http.host, port });
  return () => server.close();
}

/** Attempts of one webhook under way at once: enough for a receiver that answers quickly, no flood for one that does not. */
const ATTEMPTS_PER_WEBHOOK = 4;
/** What an attempt may take besides its time limit: reading the record and writing what came of it. */
const ATTEMPT_SLACK_MS = 20_000;

type EventLoopParts = Pick<Parts, 'config' | 'log' | 'db' | 'listener' | 'metrics'>;

function makeEventLoop({ config, log, db, listener, metrics }: EventLoopParts): EventLoop {
  const { allowPrivate, timeoutMs, concurrency } = config.webhooks;
  return new EventLoop({
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
    present: presentEvent,
    workerName: `${hostname()}:${process.pid}`,
    concurrency,
    perWebhook: ATTEMPTS_PER_WEBHOOK,
    leaseMs: timeoutMs + ATTEMPT_SLACK_MS,
    pollIntervalMs: config.worker.pollIntervalMs,
    graceMs: config.shutdownGraceMs,
    metrics,
  });
}

/** Which URLs webhooks may have; commands register them too. */
export function webhookUrlJudge(config: Config): JudgeUrl {
  return makeUrlJudge({ allowPrivate: config.webhooks.allowPrivate });
}

interface RunningIngress {
  readonly url: string;
  readonly isReady: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

async function startIngress(parts: Parts): Promise<RunningIngress> {
  const { config, log, db, listener, engine, metrics, tracing } = parts;
  const settledSteps = new SettledSteps(listener, config.worker.pollIntervalMs, config.suggest.maximumWaiting);
  const limiter = makeLimiter(config, db);
  const keyUse = new KeyUse();
  const { app, isReady } = await buildServer({
    db,
    engine,
    settledSteps,
    log,
    metrics,
    tracing,
    settings: {
      bodyLimitBytes: config.http.bodyLimitBytes,
      suggestWaitMs: config.suggest.waitMs,
      suggestWaitMaximumMs: config.suggest.waitMaximumMs,
      trustProxy: config.http.trustProxy as boolean | number | string[],
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      rateLimitPerMinute: config.http.rateLimitPerMinute,
      load: config.http.load,
      account: config.account,
      corsOrigins: config.http.corsOrigins,
      isRegistrationOpen: config.http.allowRegistration ?? false,
    },
    isDatabaseReady: parts.isDatabaseReady,
    databaseTrouble,
    judgeWebhookUrl: webhookUrlJudge(config),
    noteKeyUse: (keyId) => keyUse.note(keyId, new Date()),
    ...(limiter !== undefined && { rateLimiter: limiter }),
  });
  const stopSchedule = startSchedule(
    [{ name: 'record-key-use', cron: '*/20 * * * * *', run: () => keyUse.flush(db) }],
    log,
  );
  const close = async () => {
    await app.close();
    settledSteps.close();
    const flush = async () => {
      await stopSchedule();
      await keyUse.flush(db).catch((error: unknown) => log.warn({ err: error }, 'key-use.not-recorded'));
    };
    await atMost(HAND_BACK_MS, flush());
  };
  try {
    return { url: await app.listen({ host: config.http.host, port: config.http.port }), isReady, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Undefined: no limit. */
function makeLimiter(config: Config, db: Db): RateLimiter | undefined {
  const limit = config.http.rateLimitPerMinute;
  if (limit === 0) return undefined;
  const window = makeSharedWindow(db, { limit, windowSeconds: WINDOW_SECONDS });
  return makeRateLimiter(limit, window, () => performance.now());
}

/** A 32 MiB body over a slow line still arrives in this time. */
const REQUEST_TIMEOUT_MS = 120_000;
