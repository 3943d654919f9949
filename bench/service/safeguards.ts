/**
 * Measures the cost of the service's safeguards: cycles (suggest, load output) with a trivially cheap optimizer, without any
 * safeguard, with each one alone and with all of them, in every round and each in a fresh process. The processor time per cycle
 * of the service and of PostgreSQL is what counts; cycles per second depend on other load on the machine. Linux only.
 *
 *   npx node bench/service/safeguards.ts [--cycles 300] [--rounds 3] [--clients 1,4,16] [--only none,all]
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrateDatabase } from '../../harness/database-handle.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { execute, withDatabase } from '../../harness/one-statement.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { makeLog } from '../../src/log.ts';
import { type Client, loadObjective, makeClient, startProcess } from './client.ts';
import { median, playCycle } from './cycle-rate.ts';
import { readProcessMs, readServerMs } from './processor-time.ts';

const { values: options } = parseArgs({
  options: {
    cycles: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '1,4,16' },
    only: { type: 'string' },
  },
});
/** Fresh objectives keep the histories, and so the snapshots, equally short. */
const CYCLES_PER_OBJECTIVE = 25;
/** Cycles before the measurement, so that code is compiled and statements are planned. */
const WARM_CYCLES = 300;
/** The database with the plainest queue. */
const UNFAIR = 'unfair';

const SAFEGUARDS = ['idempotency', 'rate-limits', 'fairness', 'metrics', 'traces', 'guards'] as const;
type Safeguard = (typeof SAFEGUARDS)[number];

const VARIANTS: Readonly<Record<string, readonly Safeguard[]>> = {
  none: [],
  ...Object.fromEntries(SAFEGUARDS.map((safeguard) => [safeguard, [safeguard]])),
  all: SAFEGUARDS,
};
const names = options.only?.split(',') ?? Object.keys(VARIANTS);

const log = makeLog({ level: 'warn' });
const receiver = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
await once(receiver.listen(0, '127.0.0.1'), 'listening');
await using postgres = await startTemporaryPostgres({ log });
try {
  await main();
} finally {
  receiver.closeAllConnections();
  receiver.close();
}

interface Cost {
  readonly cyclesPerSecond: number;
  readonly serviceMs: number;
  readonly databaseMs: number;
}

async function main(): Promise<void> {
  await migrateDatabase(postgres.url);
  await makeUnfairDatabase();
  for (const clients of options.clients.split(',').map(Number)) {
    const rounds: Record<string, Cost>[] = [];
    for (let round = 0; round < Number(options.rounds); round++) {
      const costs: Record<string, Cost> = {};
      const first = round % names.length;
      for (const name of [...names.slice(first), ...names.slice(0, first)]) {
        costs[name] = await measure(VARIANTS[name]!, clients);
      }
      rounds.push(costs);
    }
    report(clients, rounds);
  }
}

function report(clients: number, rounds: readonly Readonly<Record<string, Cost>>[]): void {
  const rows = names.map((name) => {
    const medianOf = (read: (costs: Readonly<Record<string, Cost>>) => number) =>
      Number(median(rounds.map(read)).toFixed(3));
    const first = names[0]!;
    return {
      clients,
      safeguards: name,
      serviceMs: medianOf((costs) => costs[name]!.serviceMs),
      databaseMs: medianOf((costs) => costs[name]!.databaseMs),
      processorTimeRatio: medianOf((costs) => totalMs(costs[name]!) / totalMs(costs[first]!)),
      cyclesPerSecond: medianOf((costs) => costs[name]!.cyclesPerSecond),
      cyclesRatio: medianOf((costs) => costs[name]!.cyclesPerSecond / costs[first]!.cyclesPerSecond),
    };
  });
  console.table(rows);
  for (const row of rows) console.log(JSON.stringify(row));
}

function totalMs({ serviceMs, databaseMs }: Cost): number {
  return serviceMs + databaseMs;
}

/** Makes a copy of the database whose queue serves the oldest job first, regardless of its account. */
async function makeUnfairDatabase(): Promise<void> {
  await execute(withDatabase(postgres.url, 'postgres'), `create database ${UNFAIR} template backsolve`);
  const unfair = new pg.Client({ connectionString: withDatabase(postgres.url, UNFAIR) });
  await unfair.connect();
  const { rows } = await unfair.query<{ definition: string }>(
    "select pg_get_functiondef('claim_jobs_of_others'::regproc) as definition",
  );
  const [head] = rows[0]!.definition.split('AS $function$');
  await unfair.query('create index suggestion_jobs_oldest on suggestion_jobs (visible_at, id)');
  await unfair.query(`${head} as $$
    #variable_conflict use_column
    begin
      return query update suggestion_jobs j set state = 'leased', attempts = j.attempts + 1,
        lease_token = gen_random_uuid(), leased_by = worker_name,
        visible_at = clock_timestamp() + lease_ms * interval '1 millisecond'
      where j.id = any (array(select o.id from suggestion_jobs o
        where o.visible_at <= now() and o.attempts < maximum_attempts
        order by o.visible_at, o.id limit job_limit for update skip locked))
      returning j.id, j.account_id, j.objective_id, j.inverse_id, j.lease_token, j.attempts, j.request_id,
        j.trace_parent, extract(epoch from clock_timestamp() - j.created_at)::double precision * 1000;
    end $$`);
  await unfair.end();
}

async function measure(safeguards: readonly Safeguard[], clients: number): Promise<Cost> {
  const has = (safeguard: Safeguard) => safeguards.includes(safeguard);
  const metricsPort = String(await findFreePort());
  const databaseUrl = has('fairness') ? postgres.url : withDatabase(postgres.url, UNFAIR);
  const service = await startProcess(
    {
      PORT: '0',
      LOG_LEVEL: 'warn',
      WORKER_CONCURRENCY: '8',
      DATABASE_POOL_SIZE: '20',
      DATABASE_URL: databaseUrl,
      // High enough to refuse nothing, which makes the batches 600 requests large.
      RATE_LIMIT_PER_MINUTE: has('rate-limits') ? '60000' : '0',
      ...(has('metrics') && { METRICS_PORT: metricsPort }),
      ...(has('traces') && {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
      }),
    },
    ['--cheap'],
    has('guards') ? [] : ['--import', new URL('./without-safeguards.ts', import.meta.url).pathname],
  );
  const client = makeClient(service.url, service.key, clients, { usesIdempotencyKeys: has('idempotency') });
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await play(client, await loadObjectives(client, WARM_CYCLES), clients);
  const paths = await loadObjectives(client, Number(options.cycles));
  const readCost = async () => ({
    atMs: performance.now(),
    serviceMs: await readProcessMs(service.pid),
    databaseMs: await readServerMs(database),
  });
  const before = await readCost();
  const cycles = await play(client, paths, clients);
  // One scrape, more than Prometheus would make in this time.
  if (has('metrics')) await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((answer) => answer.text());
  const after = await readCost();
  client.close();
  await database.end();
  await service.stop();
  return {
    cyclesPerSecond: cycles / ((after.atMs - before.atMs) / 1000),
    serviceMs: (after.serviceMs - before.serviceMs) / cycles,
    databaseMs: (after.databaseMs - before.databaseMs) / cycles,
  };
}

async function loadObjectives(client: Client, cycles: number): Promise<string[]> {
  const paths: string[] = [];
  for (let left = cycles; left > 0; left -= CYCLES_PER_OBJECTIVE) paths.push(await loadObjective(client));
  return paths;
}

/** Plays all cycles of all objectives, each objective by one client. Returns their number. */
async function play(client: Client, paths: readonly string[], clients: number): Promise<number> {
  const left = [...paths];
  const loops = Array.from({ length: clients }, async () => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      for (let cycle = 0; cycle < CYCLES_PER_OBJECTIVE; cycle++) await playCycle(client, path);
    }
  });
  await Promise.all(loops);
  return paths.length * CYCLES_PER_OBJECTIVE;
}
