/**
 * Two ingress and two worker processes behind a balancer, clients without a pause, and every process restarted in turn by
 * SIGTERM. With --migration the restart is an upgrade: the database gets a migration under load, and the processes are
 * replaced by a release that needs it. Ends with 1 when a request failed.
 *
 *   node bench/scale/rolling-restart.ts [--clients 4] [--rounds 1] [--drain 500] [--migration]
 */
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts';
import { makeLog } from '../../src/log.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { makeProcess, type Process, runCommand } from './fleet.ts';
import { type Load, startLoad } from './load.ts';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '1' },
    // How long a process goes on after the balancer stopped sending to it: preStop of deploy/kubernetes.
    drain: { type: 'string', default: '500' },
    migration: { type: 'boolean', default: false },
  },
});
const REPOSITORY = new URL('../../', import.meta.url).pathname;
/** Between two restarts, so that the load meets the fleet as it is then. */
const STEPS_BETWEEN = 10;

const dataDir = await mkdtemp(join(tmpdir(), 'backsolve-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir, log: makeLog({ level: 'warn' }) });
try {
  process.exitCode = await main();
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const settings = {
    DATABASE_URL: postgres.url,
    WORKER_CONCURRENCY: '2',
    ENGINE_THREADS: '1',
    POLL_INTERVAL_MS: '500',
  };
  await runCommand(['migrate'], settings);
  const key = (await runCommand(['keys', 'create'], settings)).match(/bks_\w+/)![0];
  const fleet: Process[] = [];
  for (const role of ['serve', 'serve', 'work', 'work'] as const) fleet.push(await makeProcess(role, settings));
  await Promise.all(fleet.map((member) => member.start()));
  const balancer = await startBalancer(fleet.filter(({ role }) => role === 'serve').map(({ port }) => port));
  while (!balancer.backends.every(({ isReady }) => isReady)) await delay(50);
  const load = startLoad(balancer.url, key, Number(options.clients));
  await moreSteps(load);

  const release = options.migration ? await makeNextRelease() : undefined;
  if (release !== undefined) {
    const startedAt = performance.now();
    await runCommand(['migrate'], settings, release);
    console.log(JSON.stringify({ migratedMs: Math.round(performance.now() - startedAt) }));
    await moreSteps(load);
    const areReady = balancer.backends.map(({ isReady }) => isReady);
    console.log(JSON.stringify({ oldReleaseReadyOnNewSchema: areReady }));
  }
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const member of fleet) {
      await restart(member, balancer, release);
      await moreSteps(load);
    }
  }
  const report = await load.stop();
  console.log(JSON.stringify({ ...report, balancerFailures: balancer.failures }, undefined, 2));
  await balancer.close();
  await Promise.all(fleet.map((member) => member.stop()));
  return report.failures.length + balancer.failures.length === 0 ? 0 : 1;
}

async function restart(member: Process, balancer: Balancer, main: string | undefined): Promise<void> {
  const backend = balancer.backends.find(({ port }) => port === member.port);
  if (backend !== undefined) {
    backend.isWanted = false;
    await delay(Number(options.drain));
  }
  const stopped = await member.stop();
  const startedAt = performance.now();
  await member.start(main);
  const readyMs = Math.round(performance.now() - startedAt);
  if (backend !== undefined) backend.isWanted = true;
  console.log(JSON.stringify({ role: member.role, stoppedMs: stopped.ms, code: stopped.code, readyMs }));
}

async function moreSteps(load: Load): Promise<void> {
  const enough = load.steps() + STEPS_BETWEEN;
  while (load.steps() < enough) await delay(50);
}

/** This release with one migration more: a column, an index on the largest table and a backfill. Returns its main.ts. */
async function makeNextRelease(): Promise<string> {
  const folder = join(dataDir, 'next-release');
  for (const part of ['src', 'migrations', 'package.json']) {
    await cp(join(REPOSITORY, part), join(folder, part), { recursive: true });
  }
  await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  const statements = `
    alter table inverses add column bench_note text;
    create index inverses_bench on inverses (account_id, created_at);
    update inverses set bench_note = 'old' where suggested_at is not null;
    alter table suggestion_jobs add column bench_note text not null default 'none';`;
  await writeFile(join(folder, 'migrations/9999-bench.ts'), `export const sql = \`${statements}\`;\n`);
  return join(folder, 'src/main.ts');
}
