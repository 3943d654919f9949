/**
 * Restarts two ingress and two worker processes one by one with SIGTERM, behind a balancer and under constant load. Exits with
 * code 1 if a request failed, a process ended badly, or the database contradicts the answers that the clients got.
 *
 *   npx node bench/drills/rolling-restart.ts [--clients 4] [--rounds 1] [--drain 500] [--inverses 20]
 *     [--from COMMIT | --migration]
 *
 * With --from, the fleet starts from an earlier commit on that commit's schema, and the restart upgrades it to this tree: first
 * its migrations, under load, then its processes. With --migration, it upgrades this tree to one with an additional, invented
 * migration.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { makeLog } from '../../src/log.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { createKey, makeFleet, type Process, runCommand } from './fleet.ts';
import { describeViolations, startLoad, verifyDatabase } from './load.ts';
import { runDrill } from './run-drill.ts';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '1' },
    // Milliseconds between the last request to a process and SIGTERM, as preStop in deploy/kubernetes.
    drain: { type: 'string', default: '500' },
    // Between two restarts, so that the load reaches the fleet in every state. --steps is the former name.
    inverses: { type: 'string' },
    steps: { type: 'string', default: '20' },
    from: { type: 'string' },
    migration: { type: 'boolean', default: false },
  },
});
const REPOSITORY = new URL('../../', import.meta.url).pathname;
const run = promisify(execFile);

await runDrill(drill);

/** Returns every broken promise. */
async function drill(folder: string): Promise<readonly string[]> {
  await using postgres = await startTemporaryPostgres({ log: makeLog({ level: 'error' }) });
  const settings = {
    DATABASE_URL: postgres.url,
    WORKER_CONCURRENCY: '2',
    ENGINE_THREADS: '1',
    POLL_INTERVAL_MS: '500',
  };
  const before = options.from === undefined ? undefined : await unpackRelease(folder, options.from);
  await runCommand(['migrate'], settings, before);
  const key = await createKey(settings, before);
  const { fleet, ports } = await makeFleet(settings);
  await Promise.all(fleet.map((member) => member.start(before)));
  const balancer = await startBalancer(ports);
  while (!balancer.backends.every(({ isReady }) => isReady)) await delay(50);
  const { port } = new URL(balancer.url);
  const load = await startLoad({ ports: [Number(port)], key, clients: Number(options.clients) });
  const inverses = Number(options.inverses ?? options.steps);
  const broken: string[] = [];
  await load.moreInverses(inverses);

  const after = options.migration ? await makeNextRelease(folder) : undefined;
  if (before !== undefined || after !== undefined) {
    const startedAt = performance.now();
    const printed = await runCommand(['migrate'], settings, after);
    const migrated = [...printed.matchAll(/^applied (.*)$/gm)].map(([, name]) => name);
    print({ migrated, migratedMs: Math.round(performance.now() - startedAt) });
    await load.moreInverses(inverses);
    const areReady = balancer.backends.map(({ isReady }) => isReady);
    print({ oldReleaseReadyOnNewSchema: areReady });
    if (areReady.includes(false)) broken.push('the old release is not ready on the new schema');
  }
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const member of fleet) {
      const stopped = await restart(member, balancer, after);
      if (stopped.code !== 0) broken.push(`${member.role} ended with code ${stopped.code}`);
      await load.moreInverses(inverses);
    }
  }
  const report = await load.stop();
  const found = describeViolations(await verifyDatabase(postgres.url, load.journals));
  print({ ...report, balancerFailures: balancer.failures, violations: found });
  await balancer.close();
  await Promise.all(fleet.map((member) => member.stop()));
  const retried = Object.entries(report.retries).map(([reason, count]) => `${count} requests failed: ${reason}`);
  return [...broken, ...retried, ...report.complaints, ...balancer.failures, ...found];
}

async function restart(member: Process, balancer: Balancer, main: string | undefined) {
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
  print({ role: member.role, stoppedMs: stopped.ms, code: stopped.code, readyMs });
  return stopped;
}

/** Unpacks the tree of an earlier commit with the packages it requires. Returns its main.ts. */
async function unpackRelease(folder: string, commit: string): Promise<string> {
  const release = join(folder, 'earlier-release');
  await mkdir(release);
  const archive = join(folder, 'earlier-release.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: REPOSITORY });
  await run('tar', ['-xf', archive, '-C', release]);
  const lock = (root: string) => readFile(join(root, 'package-lock.json'), 'utf8');
  if ((await lock(release)) === (await lock(REPOSITORY))) {
    await symlink(join(REPOSITORY, 'node_modules'), join(release, 'node_modules'));
  } else {
    await run('npm', ['ci', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: release,
    });
  }
  return join(release, 'src/main.ts');
}

/** Copies this tree and adds a migration: columns, an index on the largest table and a backfill. Returns its main.ts. */
async function makeNextRelease(folder: string): Promise<string> {
  const release = join(folder, 'next-release');
  for (const part of ['src', 'migrations', 'package.json']) {
    await cp(join(REPOSITORY, part), join(release, part), { recursive: true });
  }
  await symlink(join(REPOSITORY, 'node_modules'), join(release, 'node_modules'));
  const statements = `
    alter table inverses add column bench_note text;
    create index inverses_bench on inverses (account_id, created_at);
    update inverses set bench_note = 'old' where suggested_at is not null;
    alter table suggestion_jobs add column bench_note text not null default 'none';`;
  await writeFile(join(release, 'migrations/9999-bench.ts'), `export const sql = \`${statements}\`;\n`);
  return join(release, 'src/main.ts');
}

function print(figures: object): void {
  console.log(JSON.stringify(figures));
}
