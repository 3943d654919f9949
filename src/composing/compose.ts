/** The only place that builds objects, with the other files of this folder. `close` takes them down in reverse order. */
import { hostname } from 'node:os';
import { Designs } from '../application/problem/designs.ts';
import { readBacklog } from '../db/backlog.ts';
import { poolUsage } from '../db/connection/client.ts';
import { DiskSpace, hasRoom } from '../db/connection/disk-space.ts';
import { Listener, notify } from '../db/connection/listen.ts';
import { findLostLimits } from '../db/connection/lost-limits.ts';
import type { Db } from '../db/connection/transaction.ts';
import { makeMigrationCheck } from '../db/migrate.ts';
import { type Engine, startEngine } from '../engine/pool.ts';
import { buildHealthServer } from '../http/health-server.ts';
import type { Log } from '../log.ts';
import type { Config } from '../settings/config.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { traceEngine, traceStatements } from '../telemetry/traced.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { openDatabase } from './database.ts';
import { makeFiles } from './files.ts';
import { allowedHosts, type RunningIngress, startIngress } from './ingress.ts';
import type { Closer, Parts } from './parts.ts';
import { makeSheets } from './sheets.ts';
import { startWorker } from './worker.ts';

export interface Roles {
  /** Answers HTTP. */
  readonly ingress: boolean;
  /** Computes suggestions. */
  readonly worker: boolean;
}

export interface Service {
  readonly db: Db;
  /** The address of the ingress, e.g. http://127.0.0.1:8080; undefined without one. */
  readonly url: string | undefined;
  /** Whether nothing is queued for workers and that of this process has nothing in hand. Rejects when the database is unavailable. */
  isDrained(): Promise<boolean>;
  /** Answers requests in progress, finishes or releases claimed work, then closes everything. Idempotent. */
  close(): Promise<void>;
}

const HEARTBEAT_MS = 5_000;
const RECONNECT_MS = 500;

/**
 * Builds and starts what the roles need. After a failure, everything already started is taken down. `engine` replaces the
 * optimizer's threads in benchmarks and fault tests.
 */
export async function startService(
  config: Config,
  url: string,
  log: Log,
  roles: Roles & { readonly engine?: Engine; readonly prove?: Parts['prove'] },
): Promise<Service> {
  const closers: Closer[] = [];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    const graceEndsAt = performance.now() + config.shutdownGraceMs;
    closing ??= (async () => {
      for (const closeOne of closers.reverse()) await closeOne(Math.max(0, graceEndsAt - performance.now()));
    })();
    return closing;
  };
  try {
    const tracing = await startTracing(config, log, roles);
    closers.push(async () => tracing?.close());
    const db = openDatabase(config, url, log, {
      ...(tracing !== undefined && { aroundStatement: traceStatements(tracing) }),
      onDiskFull: () => disk.note(),
    });
    closers.push(() => db.destroy());
    const disk = watchDisk(config, log, db);
    closers.push(async () => disk.stop());
    const metrics = await startMetrics(config, roles, db, disk);
    const listener = startListener(config.database.listenUrl ?? url, db, log);
    closers.push(() => listener.stop());
    const threads = roles.engine ?? startThreads(config, log, roles);
    closers.push(() => threads.close());
    const engine = tracing === undefined ? threads : traceEngine(threads, tracing);
    const isDatabaseReady = makeMigrationCheck(db);
    const { prove } = roles;
    const sheets = makeSheets(config, log);
    closers.push(async () => sheets?.close());
    const designs = new Designs({ engine, ...config.engine });
    const parts = {
      config,
      log,
      db,
      disk,
      listener,
      engine,
      designs,
      sheets,
      files: makeFiles(config),
      metrics,
      tracing,
      isDatabaseReady,
      prove,
    };
    const worker = roles.worker ? startWorker(parts) : undefined;
    if (worker !== undefined) closers.push(worker.close);
    let ingress: RunningIngress | undefined;
    const isReady = roles.ingress ? async () => (await ingress?.isReady()) ?? false : parts.isDatabaseReady;
    for (const port of healthPorts(config, roles)) closers.push(await startHealth(parts, port, isReady));
    if (roles.ingress) ingress = await startIngress(parts);
    if (ingress !== undefined) closers.push(ingress.close);
    void warnOfLostLimits(config, db, log);
    return { db, url: ingress?.url, isDrained: async () => (await worker?.isDrained()) ?? true, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A pooler may ignore the timeouts that a connection requests; without them a hung statement keeps its locks. */
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

/** Polls of a worker per probe of a full disk: a probe writes 20 MB. */
const POLLS_PER_PROBE = 5;

function watchDisk(config: Config, log: Log, db: Db): DiskSpace {
  return new DiskSpace({
    probeIntervalMs: POLLS_PER_PROBE * config.worker.pollIntervalMs,
    hasRoom: () => hasRoom(db),
    onChange: (isFull) => {
      if (isFull)
        log.error({ todo: "free space on the database's disk; nothing needs to be restarted" }, 'database.disk-full');
      else log.info({}, 'database.disk-has-room');
    },
  });
}

function commandOf(roles: Roles): string {
  if (roles.ingress && roles.worker) return 'start';
  return roles.ingress ? 'serve' : 'work';
}

/** Loaded only when an endpoint is set. */
async function startTracing({ telemetry }: Config, log: Log, roles: Roles): Promise<Tracing | undefined> {
  if (telemetry.otlpEndpoint === undefined) return undefined;
  const { startOtlpTracing } = await import('../telemetry/otlp-tracing.ts');
  return startOtlpTracing({
    endpoint: telemetry.otlpEndpoint,
    headers: telemetry.otlpHeaders,
    sampler: telemetry.sampler,
    sampleRatio: telemetry.sampleRatio,
    resource: {
      'service.namespace': 'backsolve',
      'service.name': `backsolve-${commandOf(roles)}`,
      'service.instance.id': `${hostname()}:${process.pid}`,
    },
    onError: (error) => log.warn({ err: error }, 'traces.not-sent'),
  });
}

/** Loaded only when a port answers /metrics. */
async function startMetrics(config: Config, roles: Roles, db: Db, disk: DiskSpace): Promise<Metrics | undefined> {
  if (healthPorts(config, roles).size === 0) return undefined;
  const { makeMetrics } = await import('../telemetry/metrics.ts');
  const { TOP_ACCOUNTS } = await import('../telemetry/backlog-gauges.ts');
  return makeMetrics({
    readBacklog: () => readBacklog(db, TOP_ACCOUNTS),
    readPool: () => poolUsage(db),
    isDiskFull: () => disk.isFull,
    cell: config.cell,
  });
}

/** Ports besides the public one, for probes and metrics. */
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

/** Probes are answered immediately. */
const HEALTH_GRACE_MS = 1_000;

/** Probes and metrics on a separate port. */
async function startHealth(
  { config, log, disk, metrics }: Parts,
  port: number,
  isReady: () => Promise<boolean>,
): Promise<() => Promise<void>> {
  const takesWrites = () => !disk.isFull;
  const server = buildHealthServer({
    log,
    isReady,
    takesWrites,
    metrics,
    shutdownGraceMs: HEALTH_GRACE_MS,
    allowedHosts: allowedHosts(config),
  });
  await server.listen({ host: config.http.host, port });
  return () => server.close();
}
