import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const maxWorkers = Math.max(2, availableParallelism());

/**
 * Two projects. `pure` has no I/O at all and finishes within seconds. `postgres` runs against one real server per
 * run (see support/postgres-server.ts: TEST_DATABASE_URL, else a container, else the embedded one), one fresh
 * database per test file.
 */
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    reporters: ['default'],
    projects: [
      {
        test: {
          name: 'pure',
          setupFiles: ['test/support/repeatable-properties.ts'],
          include: ['test/{domain,optimizer,engine,wire,bench,deploy}/**/*.test.ts', 'test/*.test.ts'],
          testTimeout: 20_000,
          // Pure tests keep nothing, so files share threads whose modules are loaded already.
          pool: 'threads',
          isolate: false,
          maxWorkers,
        },
      },
      {
        test: {
          name: 'postgres',
          setupFiles: ['test/support/repeatable-properties.ts'],
          include: ['test/{db,dev,application,http,worker,webhooks,cli,scenario,fault,telemetry}/**/*.test.ts'],
          globalSetup: ['test/support/postgres-server.ts'],
          // They end what hangs, and say nothing about speed: processes and servers start slowly on a busy machine.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
          maxWorkers,
        },
      },
    ],
  },
});
