import { ensureKey } from '../application/accounts/manage-keys.ts';
import { startService } from '../composing/compose.ts';
import { makeLog } from '../log.ts';
import { type Command, databaseUrl, parseCommand } from './command.ts';
import { untilStopped } from './until-stopped.ts';

export const serve: Command = {
  summary: 'answer HTTP on the database of DATABASE_URL',
  usage: `Usage: backsolve serve

Answers HTTP on HOST and PORT. Needs DATABASE_URL, a migrated database (backsolve migrate) and at least one
\`backsolve work\` on the same database. Any number of them may run.`,
  flags: {},

  async run(args, config) {
    parseCommand(this.usage, { args: [...args], options: {} });
    const url = databaseUrl(config);
    const log = makeLog(config.log);
    // Before anything starts, so that a signal during start-up ends gracefully too.
    const stopped = untilStopped();
    const service = await startService(config, url, log, { ingress: true, worker: false });
    try {
      if (config.bootstrapApiKey !== undefined) await ensureKey(service.db, config.bootstrapApiKey, 'default');
      log.info({ url: service.url }, 'service.ready');
      log.info({ signal: await stopped }, 'service.stopping');
      return 0;
    } finally {
      await service.close();
    }
  },
};
