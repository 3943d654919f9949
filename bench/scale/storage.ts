/**
 * Measures an export, a deletion and a purge of one model whose objective has many inverses: the speed and the memory of the
 * export and its effect on other requests, the time of the deletion, and the time of the purge and of its longest transaction.
 * Reads /proc: Linux only.
 *
 *   npx node bench/scale/storage.ts [--inverses 100000] [--outputs 1000]
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { countStorage } from '../../src/application/accounts/count-storage.ts';
import { purgeDeleted } from '../../src/application/deletion/purge-deleted.ts';
import { openDatabase } from '../../src/composing/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { quantiles } from '../quantile.ts';
import { type Client, loadObjective, makeClient, startProcess } from '../service/client.ts';

const { values: options } = parseArgs({
  options: { inverses: { type: 'string', default: '100000' }, outputs: { type: 'string', default: '1000' } },
});
const inverses = Number(options.inverses);
const outputs = Number(options.outputs);
/** Between two requests during the export. */
const PAUSE_MS = 20;

const log = makeLog({ level: 'error' });
await using postgres = await startTemporaryPostgres({ log });
await main();

async function main(): Promise<void> {
  const config = loadConfig({ DATABASE_URL: postgres.url });
  const db = openDatabase(config, postgres.url, log);
  await migrate(db);
  const service = await startProcess(
    {
      PORT: '0',
      LOG_LEVEL: 'error',
      DATABASE_URL: postgres.url,
      DELETED_DATA_KEPT_DAYS: '30',
      RATE_LIMIT_PER_MINUTE: '0',
    },
    ['--cheap'],
  );
  const client = makeClient(service.url, service.key, 2);
  const path = await loadObjective(client);
  const modelPath = path.split('/projects')[0]!;
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  await store(admin, Number(path.split('/').at(-1)));
  await countStorage(db);
  const usage = await client.call<{ storedBytes: number; storedRows: number }>('GET', '/account');
  const { rows } = await admin.query<{ size: string }>("select pg_total_relation_size('inverses') as size");
  console.log(JSON.stringify({ inverses, outputs, ...usage, limits: undefined, tableBytes: Number(rows[0]!.size) }));

  const idle = await latencies(client, delay(2_000));
  const before = await readMemory(service.pid);
  const startedAt = performance.now();
  const reading = readExport(`${service.url}/v1${modelPath}/export`, service.key);
  const beside = await latencies(client, reading);
  const bytes = await reading;
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await readMemory(service.pid);
  console.log(
    JSON.stringify({
      exportMegabytes: Math.round(bytes / 1e6),
      seconds: Number(seconds.toFixed(1)),
      memoryMegabytes: { before: before.now, atMost: after.peak },
      requestMs: { idle, beside },
    }),
  );

  const deletedAt = performance.now();
  const headers = { authorization: `Bearer ${service.key}` };
  const deleted = await fetch(`${service.url}/v1${modelPath}`, { method: 'DELETE', headers });
  if (deleted.status !== 204) throw new Error(`the deletion was answered with ${deleted.status}`);
  const deletionMs = Math.round(performance.now() - deletedAt);
  await admin.query('create table spent (ms double precision)');
  await admin.query(`
    create function note_time() returns trigger language plpgsql as $$
    begin insert into spent values (extract(epoch from clock_timestamp() - now()) * 1000); return null; end $$;
    create trigger note_time after delete on inverses for each statement execute function note_time()`);
  const purgedAt = performance.now();
  const purged = await purgeDeleted(db, { keptDays: 0, limitMs: 3_600_000 });
  const purgeSeconds = (performance.now() - purgedAt) / 1_000;
  const times = await admin.query<{ p50: number; max: number }>(
    'select percentile_cont(0.5) within group (order by ms) as p50, max(ms) as max from spent',
  );
  const { storedBytes } = await client.call<{ storedBytes: number }>('GET', '/account');
  console.log(
    JSON.stringify({
      deletionMs,
      purge: { ...purged, seconds: Number(purgeSeconds.toFixed(1)) },
      batchMs: { p50: Math.round(times.rows[0]!.p50), max: Math.round(times.rows[0]!.max) },
      storedBytes,
    }),
  );
  client.close();
  await admin.end();
  await service.stop();
  await db.destroy();
}

/** Stores the inverses in one statement. */
async function store(admin: pg.Client, objectiveId: number): Promise<void> {
  const numbers = '(select array_agg(random()) from generate_series(1, $2) where n > 0)';
  await admin.query(
    'update objectives set objectives = (select array_agg(random()) from generate_series(1, $2)) where id = $1',
    [objectiveId, outputs],
  );
  await admin.query(
    `insert into inverses (account_id, objective_id, iteration, input, output, loaded_at)
     select account_id, id, n, '{1,2}', ${numbers}, now()
     from objectives, generate_series(2, $3) n where id = $1`,
    [objectiveId, outputs, inverses],
  );
  await admin.query('update objectives set attempt_count = $2 where id = $1', [objectiveId, inverses - 1]);
  await admin.query('vacuum analyze inverses');
}

/** Reads an export to its end and discards it. Returns its length in bytes. */
async function readExport(url: string, key: string): Promise<number> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error(`the export was answered with ${answer.status}`);
  let bytes = 0;
  let tail = '';
  for await (const piece of answer.body!) {
    bytes += piece.length;
    tail = (tail + Buffer.from(piece.subarray(-100)).toString()).slice(-100);
  }
  if (!tail.includes('"type":"end"')) throw new Error('the export has no end');
  return bytes;
}

/** Measures small requests, one after another, until `work` is done. */
async function latencies(client: Client, work: Promise<unknown>): Promise<{ p50: number; p99: number; max: number }> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    const startedAt = performance.now();
    await client.call('GET', '/models');
    times.push(performance.now() - startedAt);
    await delay(PAUSE_MS);
  }
  return quantiles(times, { p50: 0.5, p99: 0.99, max: 1 }, 1);
}

/** Returns the current and the peak resident memory of a process, in megabytes. */
async function readMemory(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)![1]) / 1_000);
  return { now: read('VmRSS'), peak: read('VmHWM') };
}
