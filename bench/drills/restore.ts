/**
 * The drill: a backup under load, a restore on a fresh server, the same rows, and an objective that goes on there where the
 * backup left it.
 *
 *   PG_BIN=/usr/lib/postgresql/18/bin node bench/scale/restore-drill.ts [--clients 4] [--steps 100]
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts';
import { makeLog } from '../../src/log.ts';
import { blackBox, makeClient } from '../service/client.ts';
import { makeProcess, runCommand } from './fleet.ts';
import { type Load, startLoad } from './load.ts';

const { values: options } = parseArgs({
  options: { clients: { type: 'string', default: '4' }, steps: { type: 'string', default: '100' } },
});
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'backsolve-drill-'));
const log = makeLog({ level: 'error' });
try {
  await drill();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function drill(): Promise<void> {
  const original = await startEmbeddedPostgres({ dataDir: join(folder, 'original'), log });
  const settings = {
    DATABASE_URL: original.url,
    WORKER_CONCURRENCY: '2',
    ENGINE_THREADS: '1',
    POLL_INTERVAL_MS: '500',
  };
  await runCommand(['migrate'], settings);
  const key = (await runCommand(['keys', 'create'], settings)).match(/bks_\w+/)![0];
  const [serve, work] = [await makeProcess('serve', settings), await makeProcess('work', settings)];
  await Promise.all([serve.start(), work.start()]);
  const load = startLoad(`http://127.0.0.1:${serve.port}`, key, Number(options.clients));
  await steps(load, Number(options.steps));

  const before = load.steps();
  const backedUp = await timed(() => script('backup.sh', join(folder, 'backups'), original.url));
  const during = load.steps() - before;
  await steps(load, 5);
  const report = await load.stop();
  await Promise.all([serve.stop(), work.stop()]);
  await original.stop();

  const fresh = await startEmbeddedPostgres({ dataDir: join(folder, 'fresh'), log });
  const restored = await timed(() => script('restore.sh', backedUp.output, fresh.url));
  const later = { ...settings, DATABASE_URL: fresh.url };
  const [serveAgain, workAgain] = [await makeProcess('serve', later), await makeProcess('work', later)];
  await Promise.all([serveAgain.start(), workAgain.start()]);
  const continued = await continueObjective(fresh.url, `http://127.0.0.1:${serveAgain.port}`, key);
  await Promise.all([serveAgain.stop(), workAgain.stop()]);
  await fresh.stop();
  const figures = {
    load: { steps: report.steps, duringBackup: during, failures: report.failures },
    backupMs: backedUp.ms,
    restoreMs: restored.ms,
    restored: restored.output,
    continued,
  };
  console.log(JSON.stringify(figures, undefined, 2));
  if (report.failures.length > 0) process.exitCode = 1;
}

/** Takes the running objective with the longest history, loads its open output and asks for three steps more. */
async function continueObjective(databaseUrl: string, origin: string, key: string) {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const { rows } = await database.query<{ path: string; iteration: number }>(`
    select format('/models/%s/projects/%s/trials/%s/objectives/%s', o.model_id, o.project_id, o.trial_id, o.id) as path,
      max(i.iteration) as iteration
    from objectives o join inverses i on i.objective_id = o.id
    where o.stop_reason = 0 group by o.id order by max(i.iteration) desc limit 1`);
  await database.end();
  const { path, iteration: backedUpIteration } = rows[0]!;
  const client = makeClient(origin, key, 1);
  const { inverses } = await client.call<{ inverses: { inputs: number[] | null; outputs: number[] | null }[] }>(
    'GET',
    path,
  );
  const last = inverses.at(-1)!;
  if (last.inputs !== null && (last.outputs ?? []).length === 0) {
    await client.call('POST', `${path}/inverse-output`, { output: blackBox(last.inputs) });
  }
  const iterations: number[] = [];
  for (let step = 0; step < 3; step++) {
    const suggested = await client.call<{ iteration: number; input: number[] }>('POST', `${path}/inverses`);
    iterations.push(suggested.iteration);
    await client.call('POST', `${path}/inverse-output`, { output: blackBox(suggested.input) });
  }
  client.close();
  return { backedUpIteration, iterations };
}

async function steps(load: Load, count: number): Promise<void> {
  const enough = load.steps() + count;
  while (load.steps() < enough) await delay(50);
}

async function script(name: string, argument: string, databaseUrl: string): Promise<string> {
  const path = new URL(`../../deploy/${name}`, import.meta.url).pathname;
  const { stdout } = await run(path, [argument], { env: { ...process.env, DATABASE_URL: databaseUrl } });
  return stdout.trim();
}

async function timed(work: () => Promise<string>): Promise<{ readonly output: string; readonly ms: number }> {
  const startedAt = performance.now();
  const output = await work();
  return { output, ms: Math.round(performance.now() - startedAt) };
}
