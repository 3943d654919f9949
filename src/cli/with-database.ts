import { openDatabase } from '../composing/database.ts';
import type { Db } from '../db/connection/transaction.ts';
import { type Log, makeLog } from '../log.ts';
import type { Config } from '../settings/config.ts';
import { CommandError } from './command.ts';

interface Options {
  /** Makes the embedded database where DATA_DIR has none yet; otherwise that is a CommandError. */
  readonly mayCreate?: boolean;
}

/**
 * Runs `work` on the database of DATABASE_URL, or else on the one that `start` keeps in DATA_DIR, whether `start` runs or
 * not.
 */
export function withDatabase<T>(config: Config, work: (db: Db, log: Log) => Promise<T>): Promise<T> {
  return withDatabaseUrl(config, (url, log) => {
    const db = openDatabase(config, url, log);
    return work(db, log).finally(() => db.destroy());
  });
}

/** As withDatabase, for work that opens its own connections. */
export async function withDatabaseUrl<T>(
  config: Config,
  work: (url: string, log: Log) => Promise<T>,
  { mayCreate = false }: Options = {},
): Promise<T> {
  // Standard output belongs to what the command prints.
  const log = makeLog({ level: 'warn', stream: process.stderr });
  if (config.database.url !== undefined) return work(config.database.url, log);
  // Loaded only when needed: a container has no embedded database.
  const { openLocalDatabase } = await import('../postgres/local-database.ts');
  const local = await openLocalDatabase(
    { dataDir: config.dataDir, postgresFolder: config.postgresFolder, log },
    { mayCreate },
  );
  try {
    if (local === undefined) {
      throw new CommandError(
        `DATABASE_URL is not set, and there is no database in DATA_DIR (${config.dataDir}) yet. Run \`npm start\` once, which ` +
          'creates one, or set DATABASE_URL, e.g. postgres://user:password@localhost:5432/backsolve.',
      );
    }
    return await work(local.url, log);
  } finally {
    await local?.stop();
  }
}
