import { openDatabase } from '../compose.ts';
import { migrate } from '../db/migrate.ts';
import { makeLog } from '../log.ts';
import { type Command, databaseUrl } from './command.ts';

export const migrateCommand: Command = {
  summary: 'bring the database of DATABASE_URL up to date',
  usage: `Usage: backsolve migrate

Applies the migrations that the database lacks and prints their names. May run at any time and any number of times.`,

  async run(_args, config) {
    const db = openDatabase(config, databaseUrl(config), makeLog(config.log));
    try {
      const { applied } = await migrate(db);
      for (const name of applied) console.log(`applied ${name}`);
      console.log(applied.length === 0 ? 'The database was up to date.' : 'The database is up to date.');
      return 0;
    } finally {
      await db.destroy();
    }
  },
};
