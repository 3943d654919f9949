import { BlockList, isIP } from 'node:net';
import { createKey, ensureKey, listKeys } from '../application/manage-keys.ts';
import { openDatabase, type Service, startService } from '../compose.ts';
import type { Config } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { type Log, makeLog } from '../log.ts';
import type { Command } from './command.ts';
import { untilStopped } from './until-stopped.ts';

export const start: Command = {
  summary: 'everything in one process: database, ingress and worker',
  usage: `Usage: backsolve start

Starts an embedded PostgreSQL in DATA_DIR (or uses DATABASE_URL when that is set), migrates it, answers HTTP on HOST and
PORT and computes suggestions. Prints the address and, the first time, an API key. Data stay in DATA_DIR between runs.`,

  async run(_args, config) {
    const log = makeLog(config.log);
    const running = await startEverything(config, log);
    try {
      const key = await bootstrapKey(running.service, config);
      console.log(welcome(running.service.url!, key));
      const signal = await untilStopped();
      log.info({ signal }, 'service.stopping');
      return 0;
    } finally {
      await running.close();
    }
  },
};

export interface Running {
  readonly service: Service;
  close(): Promise<void>;
}

/** Database, migrations and a service in both roles; the demo uses it too. */
export async function startEverything(config: Config, log: Log): Promise<Running> {
  const postgres = config.database.url === undefined ? await startDatabase(config, log) : undefined;
  try {
    const url = config.database.url ?? postgres!.url;
    const db = openDatabase(config, url, log);
    await migrate(db).finally(() => db.destroy());
    const service = await startService(withOpenRegistration(config), url, log, { ingress: true, worker: true });
    const close = async () => {
      await service.close();
      await postgres?.stop();
    };
    return { service, close };
  } catch (error) {
    await postgres?.stop();
    throw error;
  }
}

/** Whoever starts everything for this machine alone may register, unless the settings say no. */
function withOpenRegistration(config: Config): Config {
  const { host, allowRegistration } = config.http;
  return { ...config, http: { ...config.http, allowRegistration: allowRegistration ?? isLoopback(host) } };
}

/** Whether only programs on this machine can connect. A name other than localhost may lead anywhere. */
function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8);
  loopback.addAddress('::1', 'ipv6');
  return isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}

/** Loaded only when needed: a container without the optional package still runs every other command. */
async function startDatabase(config: Config, log: Log) {
  const { startEmbeddedPostgres } = await import('../dev/embedded-postgres.ts');
  return startEmbeddedPostgres({ dataDir: config.dataDir, log });
}

/** The text of a new key when there was none, else undefined. A key from the settings is made to work, not printed. */
async function bootstrapKey(service: Service, config: Config): Promise<string | undefined> {
  if (config.bootstrapApiKey !== undefined) {
    await ensureKey(service.db, config.bootstrapApiKey, 'default');
    return undefined;
  }
  if ((await listKeys(service.db)).length > 0) return undefined;
  return createKey(service.db, {
    account: 'default',
    label: 'first',
    scopes: ['read', 'write', 'admin'],
    expiresAt: null,
  });
}

function welcome(url: string, key: string | undefined): string {
  const lines = [`Backsolve is ready at ${url}`, `  reference  ${url}/docs`];
  if (key === undefined) lines.push('  API key    the one you have; another one: backsolve keys create');
  else lines.push(`  API key    ${key}   (shown once)`);
  return lines.join('\n');
}
