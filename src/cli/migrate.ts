import { grantRows } from '../db/grant.ts';
import { migrate } from '../db/migrate.ts';
import type { Config } from '../settings/config.ts';
import { type Command, parseCommand, text } from './command.ts';
import { withDatabase } from './with-database.ts';

export const migrateCommand: Command = {
  summary: 'bring the database up to date',
  usage: `Usage: backsolve migrate [--grant ROLE]

Applies the migrations that the database lacks and prints their names. It may run at any time, any number of times.
--grant gives an existing database role what serve and work need, the rows of every table, and nothing else. Uses
DATABASE_URL, or the database that \`start\` keeps in DATA_DIR, whether it runs or not.`,
  flags: { grant: text },

  async run(args, config) {
    const { grant: role } = parseCommand(this.usage, { args: [...args], options: { grant: text } }).values;
    return withDatabase(withoutTimeLimit(config), async (db, log) => {
      const { applied } = await migrate(db, { onRetry: (err) => log.warn({ err }, 'migration.tried-again') });
      for (const name of applied) console.log(`applied ${name}`);
      console.log(applied.length === 0 ? 'The database was up to date.' : 'The database is up to date.');
      if (role === undefined) return 0;
      const open = await grantRows(db, role);
      console.log(`The role ${role} may serve and work.`);
      if (open === undefined) return 0;
      console.error(
        `It may also create tables in the schema ${open}. As an administrator: revoke create on schema ${open} from public; ` +
          'then grant again.',
      );
      return 1;
    });
  },
};

/** Building an index on a large table may take long; waits for locks stay bounded, because requests queue up behind them. */
function withoutTimeLimit(config: Config): Config {
  return { ...config, database: { ...config.database, statementTimeoutMs: 0 } };
}
