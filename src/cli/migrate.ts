import { parseArgs } from 'node:util';
import { openDatabase } from '../compose.ts';
import type { Config } from '../config.ts';
import { grantRows } from '../db/grant.ts';
import { migrate } from '../db/migrate.ts';
import { makeLog } from '../log.ts';
import { type Command, CommandError, databaseUrl } from './command.ts';

export const migrateCommand: Command = {
  summary: 'bring the database of DATABASE_URL up to date',
  usage: `Usage: backsolve migrate [--grant ROLE]

Applies the migrations that the database lacks and prints their names. May run at any time and any number of times.
--grant gives an existing database role what serve and work need, rows of every table, and nothing else.`,

  async run(args, config) {
    const role = parseRole(args);
    const log = makeLog(config.log);
    // An index over a large table takes as long as it takes; waiting for a lock stays bounded, because requests wait behind.
    const db = openDatabase(withoutTimeLimit(config), databaseUrl(config), log);
    try {
      const { applied } = await migrate(db, { onRetry: (err) => log.warn({ err }, 'migration.tried-again') });
      for (const name of applied) console.log(`applied ${name}`);
      console.log(applied.length === 0 ? 'The database was up to date.' : 'The database is up to date.');
      if (role === undefined) return 0;
      const open = await grantRows(db, role);
      console.log(`The role ${role} may serve and work.`);
      if (open === undefined) return 0;
      console.error(
        `It may also make tables in the schema ${open}. As an administrator: revoke create on schema ${open} from public; ` +
          'then grant again.',
      );
      return 1;
    } finally {
      await db.destroy();
    }
  },
};

function withoutTimeLimit(config: Config): Config {
  return { ...config, database: { ...config.database, statementTimeoutMs: 0 } };
}

function parseRole(args: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...args], options: { grant: { type: 'string' } } }).values.grant;
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${migrateCommand.usage}`);
  }
}
