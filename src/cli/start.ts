import { createSignInLink } from '../application/accounts/browser-sessions.ts';
import { createKey, ensureKey, listKeys } from '../application/accounts/manage-keys.ts';
import { type Service, startService } from '../composing/compose.ts';
import { openDatabase } from '../composing/database.ts';
import { migrate } from '../db/migrate.ts';
import { inCell } from '../domain/accounts/api-key.ts';
import { isLoopback } from '../domain/loopback.ts';
import { type Log, makeLog } from '../log.ts';
import type { Config } from '../settings/config.ts';
import { type Command, parseCommand } from './command.ts';
import { takeOver } from './data-folder.ts';
import { linkTo } from './page.ts';
import { untilStopped } from './until-stopped.ts';

export const start: Command = {
  summary: 'everything in one process: database, ingress and worker',
  usage: `Usage: backsolve start

Starts an embedded PostgreSQL in DATA_DIR (or uses DATABASE_URL when that is set), migrates it, answers HTTP on HOST and
PORT and computes suggestions. Prints the address, a link that signs you in to the page and, the first time, an API key. Data
stays in DATA_DIR between runs.`,
  flags: {},

  async run(args, config) {
    parseCommand(this.usage, { args: [...args], options: {} });
    const log = makeLog(config.log);
    const running = await startEverything(config, log);
    try {
      const key = await bootstrapKey(running.service, config);
      const { db, url } = running.service;
      const token = await createSignInLink(db, ACCOUNT, { makesAccount: true });
      console.log(welcome(url!, token, key && inCell(key, config.cell), config.cell));
      const signal = await untilStopped();
      log.info({ signal }, 'service.stopping');
      return 0;
    } finally {
      await running.close();
    }
  },
};

/** Account of the key and the link that are printed. */
const ACCOUNT = 'default';

/** Proof that a service of a folder has its key. */
interface Proof {
  readonly prove?: (port: number, nonce: string) => string;
}

export interface Running {
  readonly service: Service;
  close(): Promise<void>;
}

/** Database, migrations and a service in both roles; the demo uses it too. */
export async function startEverything(config: Config, log: Log, proof: Proof = {}): Promise<Running> {
  const postgres = config.database.url === undefined ? await startDatabase(config, log) : undefined;
  try {
    const url = config.database.url ?? postgres!.url;
    const db = openDatabase(config, url, log);
    const isOwn = postgres !== undefined;
    await (isOwn ? takeOver(db, url, config.dataDir, log) : migrate(db)).finally(() => db.destroy());
    const service = await startService(withLocalDefaults(config), url, log, {
      ingress: true,
      worker: true,
      ...proof,
    });
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

/**
 * While only this machine can connect, registration is open and workbooks are calculated, unless the settings say otherwise: whoever
 * uploads one could as well open it.
 */
function withLocalDefaults(config: Config): Config {
  const { http, workbooks } = config;
  const isLocal = isLoopback(http.host);
  return {
    ...config,
    http: { ...http, allowRegistration: http.allowRegistration ?? isLocal },
    workbooks: { ...workbooks, isAllowed: workbooks.isAllowed ?? isLocal },
  };
}

/** Loaded only when needed: every other command runs without the optional package. */
async function startDatabase(config: Config, log: Log) {
  const { startEmbeddedPostgres } = await import('../postgres/embedded-postgres.ts');
  return startEmbeddedPostgres({ dataDir: config.dataDir, postgresFolder: config.postgresFolder, log });
}

/** The text of a new key when there was none, else undefined. A key from the settings is stored, not printed. */
async function bootstrapKey(service: Service, config: Config): Promise<string | undefined> {
  if (config.bootstrapApiKey !== undefined) {
    await ensureKey(service.db, config.bootstrapApiKey, ACCOUNT);
    return undefined;
  }
  if ((await listKeys(service.db)).length > 0) return undefined;
  return createKey(service.db, {
    account: ACCOUNT,
    label: 'first',
    scopes: ['read', 'write', 'admin'],
    expiresAt: null,
  });
}

/** Framed, so that the key, which is shown this once, stands out among the lines of the log. */
function welcome(url: string, token: string, key: string | undefined, cell: string | undefined): string {
  const lines = [
    `Backsolve is ready at ${url}`,
    `  page       ${linkTo(url, token, cell)}`,
    `  reference  ${url}/docs`,
  ];
  if (key === undefined) lines.push('  API key    created earlier; another one: npx backsolve keys create');
  else lines.push(`  API key    ${key}`, '', 'Copy the API key now: it is shown only this once.');
  const rule = '='.repeat(Math.max(...lines.map((line) => line.length)));
  return ['', rule, ...lines, rule, ''].join('\n');
}
