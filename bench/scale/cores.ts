/**
 * Measures the processor time of one run (suggestion and output, with the real optimizer) in each kind of process, and computes from it
 * what a machine with more cores would do. Nothing else is extrapolated: no lock, no disk, no memory. Reads /proc: Linux only.
 *
 *   npx node bench/scale/cores.ts [--clients 4] [--runs 300] [--cores 16,64]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { DatabaseServer } from '../../harness/database-server.ts';
import { createKey, makeProcess, runCommand } from '../drills/fleet.ts';
import { startLoad } from '../drills/load.ts';
import { readProcessMs, readServerMs } from '../service/processor-time.ts';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '4' },
    runs: { type: 'string', default: '300' },
    cores: { type: 'string', default: '16,64' },
  },
});
/** Runs before the measurement, while code is compiled. */
const WARM_UP = 60;

const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-cores-'));
const server = await DatabaseServer.create(folder, ['jit=off']);
const settings = { DATABASE_URL: server.url, WORKER_CONCURRENCY: '2', ENGINE_THREADS: '2' };
await runCommand(['migrate'], settings);
const key = await createKey(settings);
const [serve, work] = [await makeProcess('serve', settings), await makeProcess('work', settings)];
await Promise.all([serve.start(), work.start()]);
const database = new pg.Client({ connectionString: server.url });
await database.connect();
const load = await startLoad({ ports: [serve.port], key, clients: Number(options.clients) });
await load.moreInverses(WARM_UP);
const before = await read();
const from = load.inverses();
await load.moreInverses(Number(options.runs));
const after = await read();
const runs = load.inverses() - from;
const msPerRun = { ingress: of('ingress'), worker: of('worker'), database: of('database') };
console.log(JSON.stringify({ runs, msPerRun }));
const total = msPerRun.ingress + msPerRun.worker + msPerRun.database;
for (const cores of options.cores.split(',').map(Number)) {
  const share = (part: keyof typeof msPerRun) => Math.round((10 * cores * msPerRun[part]) / total) / 10;
  const perSecond = Math.round((1_000 * cores) / total);
  console.log(
    JSON.stringify({
      cores,
      perSecond,
      ingress: share('ingress'),
      worker: share('worker'),
      database: share('database'),
    }),
  );
}
await load.stop();
await database.end();
await Promise.all([serve.stop(), work.stop()]);
await server.close();
await rm(folder, { recursive: true, force: true });
process.exit(0);

interface Times {
  readonly ingress: number;
  readonly worker: number;
  readonly database: number;
}

async function read(): Promise<Times> {
  const [ingress, worker] = await Promise.all([readProcessMs(serve.pid), readProcessMs(work.pid)]);
  return { ingress, worker, database: await readServerMs(database) };
}

/** Milliseconds per run. */
function of(part: keyof Times): number {
  return Math.round((10 * (after[part] - before[part])) / runs) / 10;
}
