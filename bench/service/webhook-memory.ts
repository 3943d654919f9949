/**
 * Measures the cost of large events in a worker process: its peak memory, its processor time and the bytes sent, for events about an
 * objective with many outputs and inverses that go to many webhooks. Reads /proc: Linux only.
 *
 *   npx node bench/service/webhook-memory.ts [--webhooks 50] [--events 10] [--outputs 1000] [--inverses 60]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { makeClient } from './client.ts';

const { values: options } = parseArgs({
  options: {
    webhooks: { type: 'string', default: '50' },
    events: { type: 'string', default: '10' },
    outputs: { type: 'string', default: '1000' },
    inverses: { type: 'string', default: '60' },
  },
});
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
const events = Number(options.events);
const outputs = Number(options.outputs);
const webhooks = Number(options.webhooks);

const log = makeLog({ level: 'error' });
await using postgres = await startTemporaryPostgres({ log });
const admin = new pg.Client({ connectionString: postgres.url });
await admin.connect();
try {
  console.log(JSON.stringify({ webhooks, events, outputs, inverses: Number(options.inverses), ...(await measure()) }));
} finally {
  await admin.end();
}

async function measure() {
  const receiver = await openReceiver();
  const objectiveId = await prepare(receiver.url);
  await admin.query(
    `with added as (
       insert into events (account_id, name, resource_id)
       select account_id, 'inverse.output_loaded', id from objectives, generate_series(1, $2) where id = $1
       returning id, account_id)
     insert into webhook_deliveries (account_id, webhook_id, event_id)
     select t.account_id, w.id, t.id from added t, webhooks w`,
    [objectiveId, events],
  );
  const worker = spawn(process.execPath, [MAIN, 'work'], {
    env: {
      ...process.env,
      DATABASE_URL: postgres.url,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      LOG_LEVEL: 'error',
      ENGINE_THREADS: '1',
    },
    stdio: 'inherit',
  });
  process.once('exit', () => worker.kill('SIGKILL'));
  const startedAt = performance.now();
  while (receiver.count() < webhooks * events) await delay(20);
  const seconds = (performance.now() - startedAt) / 1_000;
  const status = await readFile(`/proc/${worker.pid}/status`, 'utf8');
  const stat = (await readFile(`/proc/${worker.pid}/stat`, 'utf8')).split(' ');
  const exited = once(worker, 'exit');
  worker.kill('SIGTERM');
  await exited;
  receiver.close();
  return {
    peakMemoryMB: Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1_000),
    processorSeconds: (Number(stat[13]) + Number(stat[14])) / 100,
    seconds: Number(seconds.toFixed(1)),
    largestBodyMB: Number((receiver.largest() / 1e6).toFixed(2)),
    sentMB: Math.round(receiver.bytes() / 1e6),
  };
}

/** Counts the bodies it receives and keeps none of them. */
async function openReceiver() {
  let [count, bytes, largest] = [0, 0, 0];
  const server = createServer((request, response) => {
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    request.on('end', () => {
      count += 1;
      bytes += length;
      largest = Math.max(largest, length);
      response.writeHead(204).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, count: () => count, bytes: () => bytes, largest: () => largest, close: () => server.close() };
}

/** Creates the webhooks and an objective with complete inverses. Returns the objective's id. */
async function prepare(url: string): Promise<number> {
  const config = loadConfig({ PORT: '0', RATE_LIMIT_PER_MINUTE: '0', WEBHOOK_ALLOW_PRIVATE: 'true' });
  const db = openDatabase(config, postgres.url, log);
  await migrate(db);
  const roles = { ingress: true, worker: false, engine: makeCheapEngine() };
  const service = await startService(config, postgres.url, log, roles);
  const scopes = ['read', 'write', 'admin'] as const;
  const key = await createKey(db, { account: 'bench', label: null, scopes, expiresAt: null });
  const client = makeClient(service.url!, key, 1);
  const output = () => Array.from({ length: outputs }, () => Math.random() * 1_000);
  const model = await client.call<{ id: number }>('POST', '/models', { name: 'large' });
  const project = await client.call<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'large',
    inputCount: 10,
    minimums: Array(10).fill(0),
    maximums: Array(10).fill(1),
    inputTypes: Array(10).fill('float'),
    inputCases: [Array(10).fill(0), Array(10).fill(1)],
  });
  const path = `/models/${model.id}/projects/${project.id}`;
  const cases = { outputCount: outputs, outputCases: [output(), output()] };
  const { trial_id } = await client.call<{ trial_id: number }>('POST', `${path}/output-cases`, cases);
  const objective = await client.call<{ id: number }>('POST', `${path}/trials/${trial_id}/objectives`, {
    objectives: output(),
    objectiveTypes: Array(outputs).fill('percent'),
    minimumBounds: Array(outputs).fill(-1),
    maximumBounds: Array(outputs).fill(1),
    desiredL1Norm: 0,
    initialInput: Array(10).fill(0.5),
    initialOutput: output(),
  });
  for (let k = 0; k < webhooks; k++) await client.call('POST', '/webhooks', { url });
  await admin.query(
    `insert into inverses (account_id, objective_id, iteration, input, output, suggested_at, loaded_at)
     select account_id, id, n, (select array_agg(random() + 0 * (n + g)) from generate_series(1, 10) g),
       (select array_agg(random() * 1000 + 0 * (n + g)) from generate_series(1, $2::int) g), now(), now()
     from objectives, generate_series(2, $3::int) n where id = $1`,
    [objective.id, outputs, Number(options.inverses)],
  );
  client.close();
  await service.close();
  await db.destroy();
  return objective.id;
}
