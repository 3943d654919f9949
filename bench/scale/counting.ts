/**
 * Measures what counting an account's data adds to a cycle (suggest, load output): processor time of the database and the
 * service with the triggers and the quota, and without them, in short alternating rounds on one database, so that other load
 * on the machine affects both alike. Uses the cheap optimizer. Reads /proc: Linux only.
 *
 *   npx node bench/scale/counting.ts [--clients 4] [--rounds 60] [--cycles 100] [--keys]
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { migrateDatabase } from '../../harness/database-handle.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/compose.ts';
import { loadConfig } from '../../src/config.ts';
import { makeLog } from '../../src/log.ts';
import { quantile } from '../quantile.ts';
import { makeClient } from '../service/client.ts';
import { playObjectives } from '../service/play-objectives.ts';
import { readServerMs } from '../service/processor-time.ts';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '4' },
    rounds: { type: 'string' },
    // The former name of --rounds.
    turns: { type: 'string', default: '60' },
    cycles: { type: 'string', default: '100' },
    // Sends every POST with a fresh Idempotency-Key.
    keys: { type: 'boolean', default: false },
  },
});
const clients = Number(options.clients);
const CYCLES_PER_OBJECTIVE = 25;
const TABLES = [
  'inverses',
  'explanations',
  'objectives',
  'idempotency_keys',
  'models',
  'projects',
  'output_case_sets',
  'trials',
];

const log = makeLog({ level: 'error' });
await using postgres = await startTemporaryPostgres({ log });
await main();

async function main(): Promise<void> {
  const settings = {
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    WORKER_CONCURRENCY: '8',
    MAXIMUM_EVENT_LOOP_DELAY_MS: '0',
    DATABASE_URL: postgres.url,
  };
  const unlimited = { MAXIMUM_STORED_BYTES_PER_ACCOUNT: '0', MAXIMUM_STORED_ROWS_PER_ACCOUNT: '0' };
  await migrateDatabase(postgres.url);
  const counting = await startService(loadConfig(settings), postgres.url, log, {
    ingress: true,
    worker: true,
    engine: makeCheapEngine(),
  });
  const plain = await startService(loadConfig({ ...settings, ...unlimited }), postgres.url, log, {
    ingress: true,
    worker: false,
    engine: makeCheapEngine(),
  });
  const account = { account: 'bench', label: null, scopes: ['read', 'write'], expiresAt: null } as const;
  const key = await createKey(counting.db, account);
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  const measure = async (isCounting: boolean): Promise<number> => {
    for (const table of TABLES) {
      await database.query(`alter table ${table} ${isCounting ? 'enable' : 'disable'} trigger user`);
    }
    const url = (isCounting ? counting : plain).url!;
    const client = makeClient(url, key, clients, { usesIdempotencyKeys: options.keys });
    const play = (cycles: number) =>
      playObjectives(client, { clients, cycles, cyclesPerObjective: CYCLES_PER_OBJECTIVE });
    // Connections plan their statements again after the change of the tables.
    await play(clients * CYCLES_PER_OBJECTIVE);
    const before = await readMs(database);
    const cycles = await play(Number(options.cycles));
    const ms = ((await readMs(database)) - before) / cycles;
    client.close();
    return ms;
  };
  const ratios: number[] = [];
  const times = { counting: [] as number[], plain: [] as number[] };
  for (let round = 0; round < Number(options.rounds ?? options.turns); round++) {
    const isFirst = round % 2 === 0;
    const first = await measure(isFirst);
    const second = await measure(!isFirst);
    const [counted, uncounted] = isFirst ? [first, second] : [second, first];
    times.counting.push(counted);
    times.plain.push(uncounted);
    ratios.push(counted / uncounted);
  }
  const at = (values: readonly number[], share: number) => Number(quantile(values, share).toFixed(3));
  console.log(
    JSON.stringify({
      clients,
      rounds: ratios.length,
      cyclesPerRound: Number(options.cycles),
      processorMsPerCycle: { counting: at(times.counting, 0.5), plain: at(times.plain, 0.5) },
      ratio: { quarter: at(ratios, 0.25), median: at(ratios, 0.5), threeQuarters: at(ratios, 0.75) },
    }),
  );
  await database.end();
  await plain.close();
  await counting.close();
}

async function readMs(database: pg.Client): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (await readServerMs(database)) + (user + system) / 1_000;
}
