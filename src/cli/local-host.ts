import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { makeOwnFolder, readOwn } from '../../clients/typescript/src/evaluator/own-files.ts';
import { proofFor } from '../../clients/typescript/src/solve/local-proof.ts';
import { ensureKey } from '../application/accounts/manage-keys.ts';
import type { Config } from '../config.ts';
import { EmbeddedPostgresError } from '../dev/embedded-postgres-error.ts';
import { findHolder, takeLock } from '../dev/lock-file.ts';
import { formatApiKey, makeApiKey, parseApiKey } from '../domain/api-key.ts';
import { makeLog } from '../log.ts';
import { type Command, CommandError, parseCommand } from './command.ts';
import { startEverything } from './start.ts';

/**
 * The files of a service that the runs of one folder share:
 *
 *   .backsolve/service       its database
 *   .backsolve/service.json  where it answers, while it does
 *   .backsolve/service.log   its log
 *   .backsolve/service.key   its API key
 *   .backsolve/host.lock     its process
 *   .backsolve/users         a file per process that uses it
 */
export const FILES = {
  data: 'service',
  address: 'service.json',
  log: 'service.log',
  key: 'service.key',
  lock: 'host.lock',
  users: 'users',
} as const;

/** The service holds for a killed run to come back. */
const LINGER_MS = 3_000;
const POLL_MS = 250;
/** Another process is the host: whoever started this one finds that. */
export const HOSTED_ALREADY = 75;

/** Started by `run` and `batch`, never by hand, so it is in no list of commands. */
export const host: Command = {
  summary: 'the service of a folder, for as long as runs use it',
  usage: `Usage: backsolve host FOLDER

Started by \`backsolve run\`: serves FOLDER while processes use it, then ends.`,
  flags: {},

  async run(args, config) {
    const [folder] = parseCommand(this.usage, { args: [...args], allowPositionals: true, options: {} }).positionals;
    if (folder === undefined) throw new CommandError(this.usage);
    let heldBy: number | undefined;
    const unlock = await takeLock(path.join(folder, FILES.lock), (pid) => {
      heldBy = pid;
      return new Error(`held by ${pid}`);
    }).catch((error: unknown) => {
      if (heldBy === undefined) throw error;
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

async function serve(folder: string, config: Config): Promise<void> {
  const stopped = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopped.abort());
  const settings: Config = {
    ...config,
    dataDir: path.join(folder, FILES.data),
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
  const address = path.join(folder, FILES.address);
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
  const users = path.join(folder, FILES.users);
  const names = await readdir(users).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (names === undefined) return undefined;
  let count = 0;
  for (const name of names) {
    const file = path.join(users, name);
    if ((await findHolder(file)) !== undefined) count += 1;
    else await rm(file, { force: true });
  }
  return count;
}

/** The key of the folder's service, made once; readable by its owner only. */
export async function readKey(folder: string): Promise<string> {
  const file = path.join(folder, FILES.key);
  await makeOwnFolder(folder);
  const text = ((await readOwn(file)) ?? '').trim();
  if (parseApiKey(text) !== undefined) return text;
  // Of two processes that start simultaneously the second finds the key of the first.
  await writeFile(file, `${formatApiKey(makeApiKey())}\n`, { mode: 0o600, flag: text === '' ? 'wx' : 'w' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return (await readOwn(file))!.trim();
}
