/** Faults of the database. Each resolves once it is over and the server is running again. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Admin, DatabaseServer } from '../../harness/database-server.ts';
import type { Fleet } from './fleet.ts';
import { pick } from './random.ts';

export interface FaultContext {
  readonly server: DatabaseServer;
  readonly admin: Admin;
  readonly fleet: Fleet;
  readonly random: () => number;
  readonly awaySeconds: number;
}

const HOLD_MS = 8_000;

export const DATABASE_FAULTS = {
  'restart-fast': async ({ server }) => {
    await server.stop('fast');
    await server.start();
  },
  'restart-immediate': async ({ server }) => {
    await server.stop('immediate');
    await server.start();
  },
  kill: async ({ server }) => {
    await server.kill();
    await server.start();
  },
  cut: async ({ admin }) => {
    for (let round = 0; round < 5; round++) {
      await terminateAll(admin);
      await delay(300);
    }
  },
  'half-open': async ({ fleet, random }) => {
    for (const role of ['serve', 'work'] as const) {
      const { proxy } = pick(
        random,
        fleet.members.filter((member) => member.role === role),
      );
      proxy.stall();
      proxy.mode = 'stall';
      // Open connections stay dead; new ones work again after a while.
      setTimeout(() => {
        proxy.mode = 'forward';
      }, HOLD_MS);
    }
    await delay(HOLD_MS);
  },
  full: async ({ server, admin }) => {
    const held: pg.Client[] = [];
    const deadline = performance.now() + HOLD_MS;
    // Takes every slot that becomes free, so that disconnected processes cannot return.
    while (performance.now() < deadline) {
      await terminateAll(admin);
      while (await holdOne(server.url, held));
      await delay(100);
    }
    await Promise.all(held.map((client) => client.end().catch(() => undefined)));
  },
  away: async ({ server, awaySeconds }) => {
    await server.stop('fast');
    await delay(awaySeconds * 1000);
    await server.start();
  },
} as const satisfies Record<string, (context: FaultContext) => Promise<void>>;

export type FaultName = keyof typeof DATABASE_FAULTS;

async function terminateAll(admin: Admin): Promise<void> {
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'backsolve%' and pid <> pg_backend_pid()",
  );
}

/** Returns false when the server accepts no more connections. */
async function holdOne(url: string, held: pg.Client[]): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'chaos-full',
    connectionTimeoutMillis: 2_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    held.push(client);
    return true;
  } catch {
    return false;
  }
}
