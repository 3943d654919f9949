import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { makeOwnFolder, readOwn } from '../../clients/typescript/src/evaluator/own-files.ts';
import { findOwners, lockFolder } from '../../clients/typescript/src/solve/folder-lock.ts';
import { proofFor } from '../../clients/typescript/src/solve/local-proof.ts';
import { HOSTED_ALREADY, LOCAL_FILES } from '../../clients/typescript/src/solve/local-service.ts';
import { ensureKey } from '../application/accounts/manage-keys.ts';
import { formatApiKey, makeApiKey, parseApiKey } from '../domain/accounts/api-key.ts';
import { makeLog } from '../log.ts';
import { EmbeddedPostgresError } from '../postgres/embedded-postgres-error.ts';
import type { Config } from '../settings/config.ts';
import { type Command, CommandError, parseCommand } from './command.ts';
import { startEverything } from './start.ts';

/** The service holds for a killed run to come back. */
const LINGER_MS = 3_000;
const POLL_MS = 250;
/** Started by `run`, `batch` and the clients, never by hand, so it is in no list of commands. */
export const host: Command = {
  summary: 'the service of a folder, for as long as runs use it',
  usage: `Usage: backsolve host FOLDER

Started by \`backsolve run\` and the clients: serves FOLDER while processes use it, then ends.`,
  flags: {},

  async run(args, config) {
    const [folder] = parseCommand(this.usage, { args: [...args], allowPositionals: true, options: {} }).positionals;
    if (folder === undefined) throw new CommandError(this.usage);
    const unlock = await lockFolder(folder, () => new HostedAlready()).catch((error: unknown) => {
      if (!(error instanceof HostedAlready)) throw error;
    });
    if (unlock === undefined) return HOSTED_ALREADY;
    try {
      await serve(folder, config);
    } catch (error) {
      throw error instanceof EmbeddedPostgresError ? new CommandError(error.message, 1) : error;
    } finally {
      await unlock();
    }
    return 0;
  },
};

/** Another process is the host; the one that started this one finds it. */
class HostedAlready extends Error {}

async function serve(folder: string, config: Config): Promise<void> {
  const stopped = new AbortController();
  // Not once: without a listener left, the signal would end the process before its database has ended.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopped.abort());
  const settings: Config = {
    ...config,
    dataDir: path.join(folder, LOCAL_FILES.data),
    database: { ...config.database, url: undefined },
    http: { ...config.http, host: '127.0.0.1', port: 0, allowedHosts: new Set<string>(), allowRegistration: false },
  };
  const key = await readKey(folder);
  const log = makeLog({ level: 'info', stream: process.stderr });
  const running = await startEverything(settings, log, { prove: (port, nonce) => proofFor(key, port, nonce) });
  try {
    await ensureKey(running.service.db, key, 'default');
    await whileUsed(folder, running.service.url!, stopped.signal);
  } finally {
    await running.close();
  }
}

/** Publishes the address of the service until it has not been used for a while. */
async function whileUsed(folder: string, url: string, signal: AbortSignal): Promise<void> {
  const address = path.join(folder, LOCAL_FILES.address);
  const say = () => replaceFile(address, `${JSON.stringify({ url, pid: process.pid })}\n`);
  await say();
  let usedAt = performance.now();
  while (!signal.aborted) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    const users = await countUsers(folder);
    if (users === undefined) return;
    if (users > 0) usedAt = performance.now();
    if (users > 0 || performance.now() - usedAt < LINGER_MS) continue;
    // Users register before they look for the address, so one that has found it is seen here.
    await rm(address, { force: true });
    if (((await countUsers(folder)) ?? 0) === 0) return;
    await say();
  }
  await rm(address, { force: true });
}

/** Undefined when the folder is gone. */
async function countUsers(folder: string): Promise<number | undefined> {
  const users = path.join(folder, LOCAL_FILES.users);
  const living = await findOwners(users).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return living?.length;
}

/** The key of the folder's service, made once; readable by its owner only. */
async function readKey(folder: string): Promise<string> {
  const file = path.join(folder, LOCAL_FILES.key);
  await makeOwnFolder(folder);
  const text = ((await readOwn(file)) ?? '').trim();
  if (parseApiKey(text) !== undefined) return text;
  // If two processes start simultaneously, the second finds the key of the first.
  await writeFile(file, `${formatApiKey(makeApiKey())}\n`, { mode: 0o600, flag: text === '' ? 'wx' : 'w' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return (await readOwn(file))!.trim();
}
