import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { OLDEST_MAJOR } from '../harness/postgres-versions.ts';
import { IN_FULL_ALONE, IS_IN_FULL } from './support/in-full.ts';
import { LongestFirst } from './support/longest-first.ts';
import { hasOldestServer } from './support/postgres-server.ts';

/** One more than there are cores: tests wait for processes, servers and time limits. Saves a seventh on two cores. */
const maxWorkers = 1 + Math.max(2, availableParallelism());

const onPostgres = {
  setupFiles: ['test/support/repeatable-properties.ts', 'test/support/drop-databases.ts'],
  globalSetup: ['test/support/postgres-server.ts'],
  // Only to end hanging tests: processes and servers start slowly on a busy machine.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  maxWorkers,
  // After the pure tests, which have fewer workers.
  sequence: { groupOrder: 1 },
};

/** Tests that depend on the server's version: statements, plans, leases, the road of a suggestion. */
const ON_OLDEST_IN_FULL = [
  'test/{db,application,worker,outside/webhooks}/**/*.test.ts',
  'test/http/{native-flow,session,session-ends,idempotency,storage,export,ended-waits,body-limits,neighbours,lost-rights,openid}.test.ts',
  'test/fault/{lease-expiry,worker-killed,engine-faults,disk-full}.test.ts',
  'test/scenario/native.test.ts',
  'test/cli/restricted-role.test.ts',
  'test/telemetry/autoscaling.test.ts',
];

/** Tests that fail first if the oldest version lacks something: all migrations, the claims of jobs, a whole search. */
const ON_OLDEST = [
  'test/db/{schema,evaluations/claim-plan,repeatable-migrations}.test.ts',
  'test/db/search/**/*.test.ts',
  'test/http/native-flow.test.ts',
  'test/scenario/native.test.ts',
];

const exclude = IS_IN_FULL ? [] : [...IN_FULL_ALONE];

/** They start programs, which is no work for threads that share a process. */
const WITH_PROGRAMS = ['test/runner/{command-runner,windows-jobs}.test.ts'];

const hasOldest = await hasOldestServer();
if (!hasOldest) {
  console.warn(`
*** NOT TESTED ON POSTGRESQL ${OLDEST_MAJOR}, the oldest version that is supported: no package of it for this platform, no
*** Docker engine, and TEST_OLDEST_DATABASE_URL is not set.
`);
}

/** The folder of what `npm run package` has built: .ci/run sets it. */
const arePackagesBuilt = (process.env['TEST_PACKAGES'] ?? '') !== '';

/**
 * Four projects, and `packages` with TEST_PACKAGES. `pure` finishes within seconds. `postgres` runs on a real server of the newest supported version, and so does
 * `page`, in a browser besides; `postgres-oldest` runs the tests that depend on the version on one of the oldest: a few of them, or
 * with TEST_IN_FULL, as in .ci/run, all. Without it, IN_FULL_ALONE is left out.
 * support/postgres-server.ts provides the servers. Each test file gets a fresh database.
 */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'pure',
          setupFiles: ['test/support/repeatable-properties.ts'],
          include: [
            'test/{settings,domain,numbers,optimizer,engine,wire,bench,deploy,runner,dashboard,presentation,report}/**/*.test.ts',
            'test/clients/*/{generated,retry}.test.ts',
            'test/*.test.ts',
          ],
          exclude: WITH_PROGRAMS,
          testTimeout: 20_000,
          // Pure tests keep no state, so files may share threads and their loaded modules.
          pool: 'threads',
          isolate: false,
          // They wait for nothing, and every further thread loads and compiles the modules again.
          maxWorkers: availableParallelism(),
        },
      },
      {
        test: {
          ...onPostgres,
          name: 'postgres',
          isolate: false,
          include: [
            'test/{agents,outside,db,postgres,tools,application,http,worker,cli,clients,scenario,fault,telemetry}/**/*.test.ts',
            ...WITH_PROGRAMS,
          ],
          exclude: [...exclude, 'test/clients/*/{generated,retry}.test.ts'],
        },
      },
      {
        test: {
          ...onPostgres,
          name: 'page',
          isolate: false,
          globalSetup: [...onPostgres.globalSetup, 'test/support/page-project.ts'],
          include: ['test/page/**/*.test.ts'],
          exclude,
        },
      },
      ...(hasOldest
        ? [
            {
              test: {
                ...onPostgres,
                name: 'postgres-oldest',
                isolate: false,
                include: IS_IN_FULL ? ON_OLDEST_IN_FULL : ON_OLDEST,
              },
            },
          ]
        : []),
      ...(arePackagesBuilt
        ? [
            {
              test: {
                name: 'packages',
                isolate: false,
                globalSetup: ['test/support/installed-packages.ts'],
                include: ['test/packages/**/*.test.ts'],
                testTimeout: onPostgres.testTimeout,
                hookTimeout: onPostgres.hookTimeout,
                maxWorkers: availableParallelism(),
                sequence: { groupOrder: 2 },
              },
            },
          ]
        : []),
    ],
  },
});
