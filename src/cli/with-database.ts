import { openDatabase } from '../compose.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/transaction.ts';
import { makeLog } from '../log.ts';
import { databaseUrl } from './command.ts';

/** Runs `work` on the database of the settings, or on the one that `start` keeps in DATA_DIR. Returns the exit code 0. */
export async function withDatabase(config: Config, work: (db: Db) => Promise<void>): Promise<number> {
  const log = makeLog({ level: 'warn' });
  const local = config.database.url === undefined ? await openLocal(config, log) : undefined;
  try {
    const db = openDatabase(config, local?.url ?? databaseUrl(config), log);
    await work(db).finally(() => db.destroy());
    return 0;
  } finally {
    await local?.stop();
  }
}

async function openLocal(config: Config, log: ReturnType<typeof makeLog>) {
  const { openLocalDatabase } = await import('../dev/local-database.ts');
  return openLocalDatabase({ dataDir: config.dataDir, log });
}
