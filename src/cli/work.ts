import { startService } from '../compose.ts';
import { makeLog } from '../log.ts';
import { type Command, databaseUrl, parseCommand } from './command.ts';
import { untilStopped } from './until-stopped.ts';

export const work: Command = {
  summary: 'compute suggestions for the database of DATABASE_URL',
  usage: `Usage: backsolve work

Claims open suggestion requests and computes them, WORKER_CONCURRENCY at a time. Any number of workers may run on one
database; when one dies, another takes over its requests after LEASE_MS.`,
  flags: {},

  async run(args, config) {
    parseCommand(this.usage, { args: [...args], options: {} });
    const log = makeLog(config.log);
    // Before anything starts, so that a signal during start-up ends gracefully too.
    const stopped = untilStopped();
    const service = await startService(config, databaseUrl(config), log, { ingress: false, worker: true });
    log.info({ concurrency: config.worker.concurrency }, 'worker.ready');
    log.info({ signal: await stopped }, 'worker.stopping');
    await service.close();
    return 0;
  },
};
