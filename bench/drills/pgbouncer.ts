/**
 * Backsolve behind PgBouncer in transaction mode, with the settings of deploy/pgbouncer.ini: migrations, time limits, the tests
 * of a suggestion's road, and the cost of the pooler compared with a direct connection.
 *
 *   npx node bench/drills/pgbouncer.ts [--pgbouncer /usr/sbin/pgbouncer] [--seconds 5] [--rounds 3] [--clients 4] [--no-tests]
 *
 * The tests run twice: with LISTEN_DATABASE_URL past the pooler, and without it, where no notification arrives and polling
 * takes over. With PgBouncer before 1.21, statements are not prepared and the tests are skipped, because they prepare theirs.
 * Exits with code 1 if anything fails.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execute, withDatabase } from '../../harness/one-statement.ts';
import { openDatabase } from '../../src/composing/database.ts';
import { findLostLimits } from '../../src/db/connection/lost-limits.ts';
import { makeLog } from '../../src/log.ts';
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { type CycleRate, measureCycles, median } from '../service/cycle-rate.ts';
import { runCommand } from './fleet.ts';
import { type PgBouncer, type PgBouncerVersion, readVersion, startPgBouncer } from './pgbouncer-process.ts';

const { values: options } = parseArgs({
  options: {
    pgbouncer: { type: 'string', default: process.env['PGBOUNCER'] ?? 'pgbouncer' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '4' },
    tests: { type: 'boolean', default: true },
  },
  allowNegative: true,
});

/** The tests of everything between a request for a suggestion and the delivered event, faults included. */
const ROAD = ['application', 'worker', 'outside/webhooks', 'http', 'fault', 'scenario/native.test.ts'].map(
  (name) => `test/${name}`,
);
const DATABASE = 'drill';
const LIMITS = { statement_timeout: '15s', lock_timeout: '5s', idle_in_transaction_session_timeout: '10s', jit: 'off' };
// Dropping a database ends PgBouncer's connections to it; the server would log each of them.
const log = makeLog({ level: 'error' });

const folder = await mkdtemp(join(tmpdir(), 'backsolve-pgbouncer-'));
// PgBouncer's user must be able to enter it.
await chmod(folder, 0o711);
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log });
const hasty = new URL(postgres.url);
hasty.username = 'hasty';
let pgbouncer: PgBouncer | undefined;
try {
  const version = await readVersion(options.pgbouncer);
  print('pooler', { version: version.text, preparedStatements: version.takesPreparedStatements });
  await prepareServer();
  pgbouncer = await startPgBouncer(options.pgbouncer, join(folder, 'pgbouncer'), [postgres.url, hasty.href]);
  await drill(pgbouncer, version);
} finally {
  await pgbouncer?.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function drill({ through }: PgBouncer, version: PgBouncerVersion): Promise<void> {
  const direct = withDatabase(postgres.url, DATABASE);
  const settings = {
    DATABASE_URL: through(direct),
    DATABASE_PREPARED_STATEMENTS: String(version.takesPreparedStatements),
  };
  await migrateTwice(settings);
  await checkLimits(settings, through(hasty.href));
  if (!options.tests || !version.takesPreparedStatements) print('tests', { skipped: 'all' });
  else for (const listens of [true, false]) await runTests(through(postgres.url), listens);
  await measure({
    direct: { DATABASE_URL: direct },
    'pooler, LISTEN past it': { ...settings, LISTEN_DATABASE_URL: direct },
    'pooler, no notifications': settings,
  });
}

function print(what: string, facts: object, isFine = true): void {
  console.log(JSON.stringify({ what, ...facts, ...(!isFine && { failed: true }) }));
  if (!isFine) process.exitCode = 1;
}

/** Sets up the role as docs/operations.md demands, and one whose statements time out after 200 ms. */
async function prepareServer(): Promise<void> {
  const { username, password } = new URL(postgres.url);
  for (const [name, value] of Object.entries(LIMITS)) {
    await execute(postgres.url, `alter role ${username} set ${name} = '${value}'`);
  }
  await execute(postgres.url, `create role ${hasty.username} login password '${password}'`);
  await execute(postgres.url, `alter role ${hasty.username} set statement_timeout = '200ms'`);
  await execute(postgres.url, `create database ${DATABASE}`);
}

/** Migrates twice concurrently through the pooler, then a third time, which must not find a lock left behind. */
async function migrateTwice(settings: Readonly<Record<string, string>>): Promise<void> {
  const both = await Promise.all([1, 2].map(() => runCommand(['migrate'], settings)));
  const third = await runCommand(['migrate'], settings);
  const locks = await execute(postgres.url, "select from pg_locks where locktype = 'advisory'");
  const applied = both.map((output) => output.match(/^applied /gm)?.length ?? 0).sort();
  const isFine = applied[0] === 0 && applied[1]! > 0 && third.includes('was up to date') && locks.length === 0;
  print('migrations', { appliedByEither: applied, locksLeft: locks.length }, isFine);
}

async function checkLimits(settings: Readonly<Record<string, string>>, hastyUrl: string): Promise<void> {
  const config = loadConfig(settings);
  const db = openDatabase(config, settings['DATABASE_URL']!, log);
  const lost = await findLostLimits(db, config.database).finally(() => db.destroy());
  const cancelled = await execute(hastyUrl, 'select pg_sleep(20)').then(
    () => 'not cancelled',
    (error: Error) => error.message,
  );
  print('limits', { lost, hasty: cancelled }, lost.length === 0 && cancelled.includes('statement timeout'));
}

async function runTests(poolerUrl: string, listens: boolean): Promise<void> {
  const report = join(folder, `report-${listens}.json`);
  const vitest = new URL('../../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--config', 'test/vitest.config.ts', '--project', 'postgres', '--reporter=dot', '--reporter=json']
      .concat([`--outputFile.json=${report}`])
      .concat(ROAD),
    {
      cwd: new URL('../../', import.meta.url).pathname,
      env: {
        ...process.env,
        TEST_DATABASE_URL: postgres.url,
        TEST_POOLER_URL: poolerUrl,
        TEST_POOLER_LISTENS: String(listens),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [code] = (await once(child, 'close')) as [number | null];
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    await readFile(report, 'utf8'),
  ) as {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    testResults: { assertionResults: { status: string; fullName: string }[] }[];
  };
  const failures = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => fullName);
  const facts = { listens, passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests, failures };
  print('tests', facts, code === 0 && numPassedTests > 0);
}

/** Measures them round by round, so that other load on the machine affects all of them alike. */
async function measure(ways: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<void> {
  const rates = new Map<string, CycleRate[]>(Object.keys(ways).map((name) => [name, []]));
  const run = { clients: Number(options.clients), seconds: Number(options.seconds) };
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [name, settings] of Object.entries(ways)) rates.get(name)!.push(await measureCycles(settings, run));
  }
  for (const [name, each] of rates) {
    const of = (read: (rate: CycleRate) => number) => Number(median(each.map(read)).toFixed(1));
    print('cycles', {
      way: name,
      clients: run.clients,
      perSecond: of(({ perSecond }) => perSecond),
      suggestP50Ms: of(({ suggestMs }) => suggestMs.p50),
      suggestP95Ms: of(({ suggestMs }) => suggestMs.p95),
    });
  }
}
