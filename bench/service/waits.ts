/**
 * Measures the cost of requests that wait for suggestions: the statements and the processor time of the service per second while
 * nothing happens, and the statements and the time until all of them are answered if every notification is lost. No worker
 * runs; one statement finishes all suggestions.
 *
 *   npx node bench/service/waits.ts [--waiting 1100] [--seconds 5]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { openDatabase } from '../../src/composing/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { loadObjective, makeClient } from './client.ts';
import { recordStatements } from './statements.ts';

const { values: options } = parseArgs({
  options: { waiting: { type: 'string', default: '1100' }, seconds: { type: 'string', default: '5' } },
});
const waiting = Number(options.waiting);
const seconds = Number(options.seconds);

const log = makeLog({ level: 'error' });
await using postgres = await startTemporaryPostgres({ log });
await main();

async function main(): Promise<void> {
  const config = loadConfig({
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    MAXIMUM_REQUESTS_IN_FLIGHT: '100000',
    MAXIMUM_REQUESTS_PER_ACCOUNT: '100000',
    MAXIMUM_CONNECTIONS_PER_ADDRESS: '0',
    MAXIMUM_WAITING_SUGGESTIONS: '100000',
    MAXIMUM_WAITING_PER_ACCOUNT: '0',
    MAXIMUM_EVENT_LOOP_DELAY_MS: '0',
    SUGGEST_WAIT_MS: '120000',
    SUGGEST_WAIT_MAXIMUM_MS: '120000',
    DATABASE_URL: postgres.url,
  });
  const db = openDatabase(config, postgres.url, log);
  await migrate(db);
  const roles = { ingress: true, worker: false, engine: makeCheapEngine() };
  const service = await startService(config, postgres.url, log, roles);
  const key = await createKey(db, { account: 'bench', label: null, scopes: ['read', 'write'], expiresAt: null });
  const client = makeClient(service.url!, key, waiting + 10);
  const admin = new pg.Client({ connectionString: postgres.url, application_name: 'admin' });
  await admin.connect();
  const paths: string[] = [];
  for (let k = 0; k < waiting; k++) paths.push(await loadObjective(client));
  const answered = paths.map((path) => client.call('POST', `${path}/inverses`));
  while ((await count(admin, 'select count(*)::int as n from suggestion_jobs')) < waiting) await delay(100);
  await delay(2_000);

  const processorBefore = process.cpuUsage();
  const whileWaiting = await recordStatements(() => delay(seconds * 1_000));
  const used = process.cpuUsage(processorBefore);

  let wokenMs = 0;
  const toWakeAll = await recordStatements(async () => {
    const finish = "with done as (delete from suggestion_jobs) update inverses set input = '{1,2}' where input is null";
    const cut = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'backsolve-listen'";
    await admin.query(`${finish}; ${cut}`);
    const startedAt = performance.now();
    await Promise.all(answered);
    wokenMs = performance.now() - startedAt;
  });
  const result = {
    waiting,
    statementsPerSecond: Math.round(whileWaiting.length / seconds),
    processorMsPerSecond: Math.round((used.user + used.system) / 1000 / seconds),
    wokenWithinMs: Math.round(wokenMs),
    statementsToWakeAll: toWakeAll.length,
  };
  console.log(JSON.stringify(result));
  client.close();
  await admin.end();
  await service.close();
  await db.destroy();
}

async function count(admin: pg.Client, text: string): Promise<number> {
  const { rows } = await admin.query<{ n: number }>(text);
  return rows[0]!.n;
}
