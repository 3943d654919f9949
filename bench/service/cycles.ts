/**
 * Full cycles per second (suggest, load output) with 1, 4 and 16 clients and a trivially cheap optimizer, beside the same
 * statements replayed by pg alone, in turns within one run.
 *
 *   npx node bench/service/cycles.ts [--seconds 6] [--rounds 3] [--clients 1,4,16]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createKey } from '../../src/application/manage-keys.ts';
import { openDatabase, startService } from '../../src/compose.ts';
import { loadConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts';
import { makeLog } from '../../src/log.ts';
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { loadObjective, makeClient, startProcess } from './client.ts';
import { measureCycles, median, playCycle, STEPS_PER_OBJECTIVE, THROUGHPUT_SETTINGS, timed } from './cycle-rate.ts';
import { type CycleIds, findIds, recordStatements, replayCycle, type Statement } from './statements.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '1,4,16' },
  },
});
const seconds = Number(options.seconds);

const dataDir = await mkdtemp(join(tmpdir(), 'backsolve-bench-'));
const log = makeLog({ level: 'warn' });
const postgres = await startEmbeddedPostgres({ dataDir, log });
try {
  await main();
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const config = loadConfig({ ...THROUGHPUT_SETTINGS, DATABASE_URL: postgres.url });
  const db = openDatabase(config, postgres.url, log);
  await migrate(db);
  await db.destroy();
  const recording = await recordOneCycle();
  console.log(`one cycle = ${recording.statements.length} statements`);
  for (const count of options.clients.split(',').map(Number)) {
    const rates: { service: number; raw: number }[] = [];
    for (let round = 0; round < Number(options.rounds); round++) {
      rates.push({ service: await measureService(count), raw: await measureRaw(count, recording) });
    }
    const show = (name: 'service' | 'raw') => rates.map((rate) => rate[name].toFixed(0)).join(' ');
    const ratio = median(rates.map(({ service, raw }) => service / raw));
    console.log(
      JSON.stringify({
        clients: count,
        serviceCyclesPerSecond: show('service'),
        rawCyclesPerSecond: show('raw'),
        medianRatio: Number(ratio.toFixed(3)),
      }),
    );
  }
}

interface Recording {
  readonly statements: readonly Statement[];
  readonly ids: CycleIds;
}

/** In this process, so that the statements can be seen. Ids start far apart, so that no two values are alike. */
async function recordOneCycle(): Promise<Recording> {
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query('alter table objectives alter column id restart with 7000001');
  await admin.query('alter table inverses alter column id restart with 8000001');
  await admin.query('alter table suggestion_jobs alter column id restart with 9000001');
  const config = loadConfig({ ...THROUGHPUT_SETTINGS, POLL_INTERVAL_MS: '60000', DATABASE_URL: postgres.url });
  const service = await startService(config, postgres.url, log, {
    ingress: true,
    worker: true,
    engine: makeCheapEngine(),
  });
  const key = await createKey(service.db, {
    account: 'bench',
    label: null,
    scopes: ['read', 'write'],
    expiresAt: null,
  });
  const client = makeClient(service.url!, key, 1);
  const path = await loadObjective(client);
  await admin.query('update inverses set iteration = 600001');
  const inverseId = { value: 0 };
  const statements = await recordStatements(async () => {
    inverseId.value = (await playCycle(client, path)).id;
  });
  client.close();
  await service.close();
  await admin.end();
  const objectiveId = Number(path.split('/').at(-1));
  return { statements, ids: findIds(statements, { objectiveId, inverseId: inverseId.value, iteration: 600_002 }) };
}

async function measureService(clients: number): Promise<number> {
  return (await measureCycles({ DATABASE_URL: postgres.url }, { clients, seconds })).perSecond;
}

async function measureRaw(clients: number, { statements, ids }: Recording): Promise<number> {
  const service = await startProcess({ ...THROUGHPUT_SETTINGS, DATABASE_URL: postgres.url }, ['--cheap']);
  const http = makeClient(service.url, service.key, 4);
  const paths: number[] = [];
  for (let i = 0; i < clients * Math.ceil((seconds * 1200) / STEPS_PER_OBJECTIVE / clients); i++) {
    paths.push(Number((await loadObjective(http)).split('/').at(-1)));
  }
  http.close();
  await service.stop();
  const run = async (isOver: () => boolean): Promise<number> => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const own: CycleIds = { ...ids };
    let done = 0;
    while (!isOver()) {
      own.objectiveId = paths.pop() ?? own.objectiveId;
      for (let step = 0; step < STEPS_PER_OBJECTIVE && !isOver(); step++, done++) {
        await replayCycle(client, statements, ids, own);
      }
    }
    await client.end();
    return done;
  };
  return timed(clients, seconds, run);
}
