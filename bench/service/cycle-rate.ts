/** Full cycles per second (suggest, load output) of the service in its own process, with a trivially cheap optimizer. */
import pg from 'pg';
import { blackBox, type Client, loadObjective, makeClient, startProcess } from './client.ts';
import { readProcessMs, readServerMs } from './processor-time.ts';

/** Fresh objectives keep the histories, and so the snapshots, equally short. */
const CYCLES_PER_OBJECTIVE = 50;

/** For throughput: no limit in the way, and slots enough for many clients. */
export const THROUGHPUT_SETTINGS = {
  PORT: '0',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_MINUTE: '0',
  WORKER_CONCURRENCY: '8',
  DATABASE_POOL_SIZE: '20',
};

const WARM_UP_SECONDS = 2;

/** The cost of one cycle, including the creation of its objective. Processor times are read from /proc, hence Linux only. */
export interface CycleCost {
  /** Milliseconds of the process that is ingress and worker in one. */
  readonly serviceMs: number;
  /** Milliseconds of the whole database server. */
  readonly databaseMs: number;
  /** Transactions that the database counts, single statements and idle claims included. */
  readonly transactions: number;
}

export interface CycleRate {
  readonly perSecond: number;
  /** Milliseconds from asking for a suggestion to its answer. */
  readonly suggestMs: { readonly p50: number; readonly p95: number };
}

export interface CycleOptions {
  readonly clients: number;
  readonly seconds: number;
  /** Whether every POST carries an Idempotency-Key of its own. */
  readonly usesIdempotencyKeys?: boolean;
  /** Number of runs that each objective keeps open; 1 by default. */
  readonly open?: number;
}

/** Settings must name the database. The process ends when it has been measured. */
export async function measureCycles(
  settings: Readonly<Record<string, string>>,
  options: CycleOptions,
): Promise<CycleRate> {
  const service = await startProcess({ ...THROUGHPUT_SETTINGS, ...settings }, ['--cheap']);
  try {
    return await measureService(service, options);
  } finally {
    await service.stop();
  }
}

/** As measureCycles, with the costs. `databaseUrl` leads to the server itself, past any pooler. */
export async function measureCosts(
  settings: Readonly<Record<string, string>>,
  databaseUrl: string,
  options: CycleOptions,
): Promise<CycleRate & CycleCost> {
  const service = await startProcess({ ...THROUGHPUT_SETTINGS, ...settings }, ['--cheap']);
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const read = async () => ({
    serviceMs: await readProcessMs(service.pid),
    databaseMs: await readServerMs(database),
    transactions: await countTransactions(database),
  });
  try {
    let before = await read();
    const rate = await measureService(service, options, async () => {
      before = await read();
    });
    const after = await read();
    const per = (name: keyof CycleCost) => (after[name] - before[name]) / rate.cycles;
    return { ...rate, serviceMs: per('serviceMs'), databaseMs: per('databaseMs'), transactions: per('transactions') };
  } finally {
    await database.end();
    await service.stop();
  }
}

/** A session reports its transactions once a second at most, those of an idle one included. */
async function countTransactions(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ count: string }>(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]!.count);
}

async function measureService(
  { url, key }: { readonly url: string; readonly key: string },
  { clients, seconds, usesIdempotencyKeys = false, open = 1 }: CycleOptions,
  afterWarmUp: () => Promise<void> = async () => {},
): Promise<CycleRate & { readonly cycles: number }> {
  const client = makeClient(url, key, clients, { usesIdempotencyKeys });
  const suggestMs: number[] = [];
  let cycles = 0;
  const run = async (isOver: () => boolean): Promise<number> => {
    let done = 0;
    while (!isOver()) {
      const path = await loadObjective(client, open);
      const play = open === 1 ? () => playCycle(client, path) : makeParallelCycle(client, path, open);
      for (let cycle = 0; cycle < CYCLES_PER_OBJECTIVE && !isOver(); cycle++, done++, cycles++) {
        suggestMs.push((await play()).suggestMs);
      }
    }
    return done;
  };
  try {
    await timed(clients, WARM_UP_SECONDS, run);
    await afterWarmUp();
    suggestMs.length = 0;
    cycles = 0;
    const perSecond = await timed(clients, seconds, run);
    suggestMs.sort((a, b) => a - b);
    const at = (share: number) => suggestMs[Math.floor(share * suggestMs.length)] ?? Number.NaN;
    return { perSecond, suggestMs: { p50: at(0.5), p95: at(0.95) }, cycles };
  } finally {
    client.close();
  }
}

/** One cycle of the objective at `path`; the id of its inverse and how long the suggestion took. */
export async function playCycle(
  client: Client,
  path: string,
): Promise<{ readonly id: number; readonly suggestMs: number }> {
  const startedAt = performance.now();
  const { id, input } = await client.call<{ id: number; input: number[] }>('POST', `${path}/inverses`);
  const suggestMs = performance.now() - startedAt;
  await client.call('POST', `${path}/inverse-output`, { output: blackBox(input) });
  return { id, suggestMs };
}

/** Cycles of the objective at `path` that keep `open` runs open: the oldest gets its output, then the next is asked for. */
function makeParallelCycle(client: Client, path: string, open: number): () => Promise<{ readonly suggestMs: number }> {
  const runs: { readonly id: number; readonly input: number[] }[] = [];
  const suggest = async () => runs.push(await client.call('POST', `${path}/inverses`));
  return async () => {
    while (runs.length < open - 1) await suggest();
    const startedAt = performance.now();
    await suggest();
    const suggestMs = performance.now() - startedAt;
    const { id, input } = runs.shift()!;
    await client.call('PUT', `${path}/inverses/${id}/output`, { output: blackBox(input) });
    return { suggestMs };
  };
}

/** Cycles per second of `clients` loops that run at the same time for the given time. */
async function timed(
  clients: number,
  forSeconds: number,
  run: (isOver: () => boolean) => Promise<number>,
): Promise<number> {
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > forSeconds * 1000;
  const counts = await Promise.all(Array.from({ length: clients }, () => run(isOver)));
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1000);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
