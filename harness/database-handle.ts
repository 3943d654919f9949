import { type ClientSettings, connect } from '../src/db/connection/client.ts';
import type { Db } from '../src/db/connection/transaction.ts';
import { migrate } from '../src/db/migrate.ts';

/** A handle with one connection and time limits that only a hanging statement exceeds, unless `changes` say otherwise. */
export function connectTo(url: string, changes: Partial<Omit<ClientSettings, 'url'>> = {}): Db {
  return connect({
    url,
    poolSize: 1,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 5_000,
    applicationName: 'backsolve-test',
    onConnectionError: () => undefined,
    ...changes,
  });
}

/** Applies all migrations and leaves no connection open. */
export async function migrateDatabase(url: string): Promise<void> {
  const db = connectTo(url, { statementTimeoutMs: 0, lockTimeoutMs: 0 });
  await migrate(db).finally(() => db.destroy());
}
