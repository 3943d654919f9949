import { setTimeout as delay } from 'node:timers/promises';
import { type Service, startService } from '../composing/compose.ts';
import { makeLog } from '../log.ts';
import { type Command, databaseUrl, parseCommand } from './command.ts';
import { untilStopped } from './until-stopped.ts';

const LOOK_AGAIN_MS = 200;

/** While the database is away nothing is known. */
async function untilDrained(service: Pick<Service, 'isDrained'>): Promise<'drained'> {
  while (!(await service.isDrained().catch(() => false))) await delay(LOOK_AGAIN_MS);
  return 'drained';
}

export const work: Command = {
  summary: 'compute suggestions for the database of DATABASE_URL',
  usage: `Usage: backsolve work [--drain]

Claims open suggestion requests and computes them, WORKER_CONCURRENCY at a time. Any number of workers may run on one
database; when one dies, another takes over its requests after LEASE_MS.

  --drain  end with exit code 0 once nothing is queued and nothing is in hand: suggestions, calls of http evaluators, open
           batches and events that are due. What evaluators have claimed is not waited for.`,
  flags: { drain: { type: 'boolean' } },

  async run(args, config) {
    const { values } = parseCommand(this.usage, { args: [...args], options: { drain: { type: 'boolean' } } });
    const log = makeLog(config.log);
    // Before anything starts, so that a signal during start-up ends gracefully too.
    const stopped = untilStopped();
    const service = await startService(config, databaseUrl(config), log, { ingress: false, worker: true });
    log.info({ concurrency: config.worker.concurrency }, 'worker.ready');
    const drained = values.drain === true ? untilDrained(service) : new Promise<never>(() => undefined);
    log.info({ signal: await Promise.race([stopped, drained]) }, 'worker.stopping');
    await service.close();
    return 0;
  },
};
