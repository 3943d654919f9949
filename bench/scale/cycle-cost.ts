/**
 * Measures the cost of a cycle (suggest, load output) in processor time, commits and write-ahead log: figures that, unlike
 * cycles per second, do not depend on other load on the machine. Uses the cheap optimizer; ingress, worker and client run in
 * this process. Reads /proc: Linux only.
 *
 *   npx node bench/scale/cycle-cost.ts [--clients 4] [--cycles 400] [--metrics] [--traces]
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { migrateDatabase } from '../../harness/database-handle.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { makeClient } from '../service/client.ts';
import { playObjectives } from '../service/play-objectives.ts';
import { readServerMs } from '../service/processor-time.ts';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '4' },
    cycles: { type: 'string', default: '400' },
    // Counts metrics; traces every request to a receiver that discards the spans.
    metrics: { type: 'boolean', default: false },
    traces: { type: 'boolean', default: false },
  },
});
const clients = Number(options.clients);
/** Fresh objectives keep the histories short. */
const CYCLES_PER_OBJECTIVE = 20;

const log = makeLog({ level: 'error' });
await using postgres = await startTemporaryPostgres({ log });
await main();

async function main(): Promise<void> {
  const settings = { PORT: '0', RATE_LIMIT_PER_MINUTE: '0', WORKER_CONCURRENCY: '8', MAXIMUM_EVENT_LOOP_DELAY_MS: '0' };
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const config = loadConfig({
    ...settings,
    DATABASE_URL: postgres.url,
    ...(options.metrics && { METRICS_PORT: String(await findFreePort()) }),
    ...(options.traces && { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: 'always_on' }),
  });
  const service = await startServiceOn(config);
  const account = { account: 'bench', label: null, scopes: ['read', 'write'], expiresAt: null } as const;
  const client = makeClient(service.url!, await createKey(service.db, account), clients);
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  const play = (cycles: number) =>
    playObjectives(client, { clients, cycles, cyclesPerObjective: CYCLES_PER_OBJECTIVE });
  await play(clients * CYCLES_PER_OBJECTIVE);
  const before = await readCosts(database);
  const cycles = await play(Number(options.cycles));
  const after = await readCosts(database);
  const per = (name: keyof Costs) => Number(((after[name] - before[name]) / cycles).toFixed(2));
  console.log(
    JSON.stringify({
      cycles,
      perCycle: {
        databaseCpuMs: per('databaseCpuMs'),
        serviceCpuMs: per('serviceCpuMs'),
        commits: per('commits'),
        walBytes: Math.round(per('walBytes')),
      },
    }),
  );
  await database.end();
  client.close();
  await service.close();
  receiver.closeAllConnections();
  receiver.close();
}

async function startServiceOn(config: ReturnType<typeof loadConfig>) {
  await migrateDatabase(postgres.url);
  return startService(config, postgres.url, log, { ingress: true, worker: true, engine: makeCheapEngine() });
}

interface Costs {
  readonly databaseCpuMs: number;
  readonly serviceCpuMs: number;
  readonly commits: number;
  readonly walBytes: number;
}

async function readCosts(database: pg.Client): Promise<Costs> {
  const { rows } = await database.query<{ commits: string; wal: string }>(`
    select (select xact_commit from pg_stat_database where datname = current_database()) as commits,
      pg_current_wal_insert_lsn() - '0/0' as wal`);
  const { commits, wal } = rows[0]!;
  const used = process.cpuUsage();
  return {
    databaseCpuMs: await readServerMs(database),
    serviceCpuMs: (used.user + used.system) / 1_000,
    commits: Number(commits),
    walBytes: Number(wal),
  };
}
