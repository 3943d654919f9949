/**
 * Fills the disk under `backsolve start` while clients play, frees it, and then fills it again until Postgres cannot write its
 * write-ahead log and ends. Nothing is restarted by hand. Exits with code 1 if an answer was 500, a read failed while the
 * database ran, or anything acknowledged to a client is missing.
 *
 *   npx node bench/drills/full-disk.ts [--megabytes 400] [--clients 4] [--seconds 30] [--log-seconds 30]
 *
 * Needs root and Linux: the disk is a separate file system in memory.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Admin } from '../../harness/database-server.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { findRunningPostgres } from '../../src/postgres/embedded-postgres.ts';
import { describeViolations, startLoad, verifyDatabase } from './load.ts';

const { values: options } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '400' },
    clients: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '30' },
    'log-seconds': { type: 'string', default: '30' },
  },
});
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
/** A service that takes longer has not recovered on its own. */
const BACK_LIMIT_MS = 60_000;
/** A client pauses for 30 s after each 507. */
const CALL_LIMIT_MS = 300_000;

if (process.getuid?.() !== 0) throw new Error('mounting a file system needs root');
const folder = await mkdtemp(join(tmpdir(), 'backsolve-full-disk-'));
const disk = join(folder, 'disk');
execFileSync('mkdir', [disk]);
execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${options.megabytes}m`, 'tmpfs', disk]);
await Promise.all([chmod(folder, 0o755), chmod(disk, 0o755)]);
let child: ChildProcess | undefined;
try {
  const found = await drill();
  console.log(JSON.stringify(found, null, 2));
  process.exitCode = found.complaints.length === 0 ? 0 : 1;
} finally {
  if (child !== undefined && child.exitCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
  execFileSync('umount', [disk]);
  await rm(folder, { recursive: true, force: true });
}

async function drill() {
  const dataDir = join(disk, 'data');
  const service = await startService(dataDir);
  const load = await startLoad({
    ports: [service.port],
    key: service.key,
    clients: Number(options.clients),
    inverseLimit: 20,
    timeLimitMs: CALL_LIMIT_MS,
    doubled: 0.05,
    loadsOpenOutput: false,
  });
  const reader = startReader(service);
  const complaints: string[] = [];
  await delay(10_000);

  // A fresh segment of the log, which otherwise may run out of room in this phase already.
  await administer(dataDir, (admin) => admin.query('select pg_switch_wal()'));
  const full = await whileFull(service, reader, async () => delay(Number(options.seconds) * 1_000));
  if (full.readsFailed > 0) complaints.push(`${full.readsFailed} reads failed while the disk was full`);
  if (full.writes['507'] === undefined) complaints.push('no write was refused: the disk was not full');
  await delay(5_000);

  const logFull = await whileFull(service, reader, async () => {
    await useUpLog(dataDir);
    await delay(Number(options['log-seconds']) * 1_000);
  });
  if (logFull.databaseEnds === 0) complaints.push('the database did not end: there was room for its log');
  await delay(5_000);

  const report = await load.stop();
  reader.stop();
  const url = await findRunningPostgres(dataDir);
  complaints.push(...describeViolations(await verifyDatabase(url!, load.journals)), ...report.complaints);
  if (service.answered500() > 0) complaints.push(`${service.answered500()} answers were 500`);
  return {
    inverses: report.inverses,
    objectives: report.objectives,
    full,
    logFull,
    retries: report.retries,
    complaints,
  };
}

interface Running {
  readonly port: number;
  readonly metricsPort: number;
  readonly key: string;
  /** Counts the logged lines of an event since the start. */
  count(event: string): number;
  answered500(): number;
}

async function startService(dataDir: string): Promise<Running> {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const settings = {
    DATA_DIR: dataDir,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    RATE_LIMIT_PER_MINUTE: '0',
    MAXIMUM_EVENT_LOOP_DELAY_MS: '0',
    ENGINE_THREADS: '1',
    // Requests are logged from this level on.
    LOG_LEVEL: 'debug',
  };
  child = spawn(process.execPath, [MAIN, 'start'], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const events = new Map<string, number>();
  let failed = 0;
  const key = Promise.withResolvers<string>();
  child.once('exit', (code) => key.reject(new Error(`the service ended with code ${code}`)));
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const text = /bks_\w+/.exec(line)?.[0];
    if (text !== undefined) key.resolve(text);
    if (!line.startsWith('{')) return;
    const { msg, status } = JSON.parse(line) as { msg?: string; status?: number };
    if (status === 500) failed += 1;
    if (msg !== undefined) events.set(msg, (events.get(msg) ?? 0) + 1);
  });
  return {
    port,
    metricsPort,
    key: await key.promise,
    count: (event) => events.get(event) ?? 0,
    answered500: () => failed,
  };
}

type Statuses = Readonly<Record<string, number>>;

/** Lists models and tries to create one, ten times a second; counts the answers by status. */
function startReader({ port, key }: Running) {
  let counts = { reads: {} as Record<string, number>, writes: {} as Record<string, number> };
  let isOver = false;
  const note = async (of: 'reads' | 'writes', method: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    // Invalid, so that nothing is created: with free space the answer is 400.
    const body = method === 'POST' ? { body: JSON.stringify({ name: '' }) } : {};
    const status = await fetch(`http://127.0.0.1:${port}/v1/models`, { method, headers, ...body }).then(
      async (response) => {
        await response.arrayBuffer();
        return String(response.status);
      },
      () => 'none',
    );
    counts[of][status] = (counts[of][status] ?? 0) + 1;
  };
  const done = (async () => {
    while (!isOver) {
      await Promise.all([note('reads', 'GET'), note('writes', 'POST'), delay(100)]);
    }
  })();
  return {
    take: (): { readonly reads: Statuses; readonly writes: Statuses } => {
      const taken = counts;
      counts = { reads: {}, writes: {} };
      return taken;
    },
    stop: () => {
      isOver = true;
      return done;
    },
  };
}

/** Fills the disk to the last byte, and frees it after `meanwhile`. */
async function whileFull(service: Running, reader: ReturnType<typeof startReader>, meanwhile: () => Promise<unknown>) {
  const ends = service.count('the database ended unexpectedly');
  const failures = service.count('the database could not be started again; this is tried until it succeeds');
  reader.take();
  await fillDisk();
  await meanwhile();
  const { reads, writes } = reader.take();
  const readyz = await readReadiness(service);
  const metric = await readMetric(service);
  await rm(join(disk, 'ballast'));
  const startedAt = performance.now();
  while ((await readReadiness(service, '/readyz/writes')).status !== 200) {
    if (performance.now() - startedAt > BACK_LIMIT_MS) throw new Error('the service did not recover on its own');
    await delay(50);
  }
  return {
    reads,
    readsFailed: Object.entries(reads).reduce((sum, [status, count]) => sum + (status === '200' ? 0 : count), 0),
    writes,
    readyz,
    backsolve_database_disk_full: metric,
    databaseEnds: service.count('the database ended unexpectedly') - ends,
    failedStarts: service.count('the database could not be started again; this is tried until it succeeds') - failures,
    takesWritesAgainAfterMs: Math.round(performance.now() - startedAt),
  };
}

async function fillDisk(): Promise<void> {
  const ballast = await open(join(disk, 'ballast'), 'w');
  const block = Buffer.alloc(64 * 1024);
  for (let size = block.length; size >= 512; ) {
    await ballast.write(block, 0, size).catch(() => {
      size /= 2;
    });
  }
  await ballast.close();
}

/** Writes nothing but write-ahead log until the server ends for lack of space. */
async function useUpLog(dataDir: string): Promise<void> {
  const message =
    "select count(pg_logical_emit_message(true, 'drill', repeat('x', 100000))) from generate_series(1, 100)";
  await administer(dataDir, async (admin) => {
    for (let round = 0; round < 200; round++) await admin.query(message);
  }).catch(() => undefined); // The server has ended.
}

async function administer(dataDir: string, work: (admin: Admin) => Promise<unknown>): Promise<void> {
  const admin = new Admin((await findRunningPostgres(dataDir))!);
  try {
    await work(admin);
  } finally {
    await admin.close();
  }
}

async function readReadiness({ port }: Running, path = '/readyz') {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: (await response.json()) as { writes: boolean } };
}

async function readMetric({ metricsPort }: Running): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^backsolve_database_disk_full (\d)$/m.exec(text)?.[1]);
}
