/**
 * The service of a folder, for the runs in it. It is a process of its own, so that several runs share it, and so that killing one
 * neither stops the others nor costs the next one a start. It ends soon after its last user.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeOwnFolder, openOwn, readOwn } from '../../clients/typescript/src/evaluator/own-files.ts';
import { isProven, makeProvenFetch } from '../../clients/typescript/src/solve/local-proof.ts';
import { findHolder, holderText } from '../dev/lock-file.ts';
import { CommandError } from './command.ts';
import { FILES, HOSTED_ALREADY, readKey } from './local-host.ts';

export interface LocalService {
  readonly url: string;
  readonly key: string;
  /** Goes to the service wherever it is now, and starts it again when it is gone. */
  readonly fetch: typeof fetch;
  /** This process uses it no more. */
  release(): Promise<void>;
}

/** A new database takes seconds, on a busy machine many. */
const START_LIMIT_MS = 180_000;
const POLL_MS = 50;
const PROBE_MS = 2_000;

interface Options {
  /** The environment of the service. */
  readonly environment: NodeJS.ProcessEnv;
  /** Called when a service has to be started. */
  readonly onStart: () => void;
}

/** @param folder  `.backsolve` beside the problem. Throws CommandError when it cannot be started. */
export async function openLocalService(folder: string, options: Options): Promise<LocalService> {
  const users = path.join(folder, FILES.users);
  await mkdir(path.dirname(path.resolve(folder)), { recursive: true });
  await makeOwnFolder(folder);
  await makeOwnFolder(users);
  const mine = path.join(users, `${process.pid}.${randomBytes(4).toString('hex')}`);
  await writeFile(mine, await holderText(), { flag: 'wx' });
  const release = () => rm(mine, { force: true });
  try {
    const key = await readKey(folder);
    let url = await findOrStart(folder, key, options);
    let reviving: Promise<void> | undefined;
    const revive = async () => {
      url = await findOrStart(folder, key, options);
    };
    const fetchLocal: typeof fetch = async (input, init) => {
      const { pathname, search } = new URL(String(input));
      try {
        return await makeProvenFetch(url, key)(`${url}${pathname}${search}`, init);
      } catch (error) {
        if (init?.signal?.aborted !== true) await (reviving ??= revive().finally(() => (reviving = undefined)));
        throw error;
      }
    };
    return { url, key, fetch: fetchLocal, release };
  } catch (error) {
    await release();
    throw error;
  }
}

async function findOrStart(folder: string, key: string, { environment, onStart }: Options): Promise<string> {
  const deadline = performance.now() + START_LIMIT_MS;
  let hasBegun = false;
  while (performance.now() < deadline) {
    const url = await findService(folder, key);
    if (url !== undefined) return url;
    if ((await findHolder(path.join(folder, FILES.lock))) === undefined) {
      if (!hasBegun) onStart();
      hasBegun = true;
      await startHost(folder, key, environment);
    }
    await sleep(POLL_MS);
  }
  throw new CommandError(`The service of this folder does not start: see ${path.join(folder, FILES.log)}.`, 1);
}

/** Where it answers, if it does. */
async function findService(folder: string, key: string): Promise<string | undefined> {
  const text = await readOwn(path.join(folder, FILES.address));
  if (text === undefined) return undefined;
  try {
    const { url } = JSON.parse(text) as { url: string };
    const { ok } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_MS) });
    return ok && (await isProven(url, key)) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Returns once it serves, or once another host was first. */
async function startHost(folder: string, key: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const file = path.join(folder, FILES.log);
  const log = await openOwn(file, 'write');
  try {
    const child = spawn(process.execPath, [process.argv[1]!, 'host', folder], {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: environment,
    });
    child.unref();
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    for (;;) {
      const first = await Promise.race([ended, sleep(POLL_MS, 'waiting' as const)]);
      if (first === 'waiting') {
        if ((await findService(folder, key)) !== undefined) return;
        continue;
      }
      if (first === HOSTED_ALREADY || first === 0) return;
      const words = (await readFile(file, 'utf8')).trim().split('\n').slice(-5).join('\n');
      throw new CommandError(`The service of this folder could not be started:\n${words}`, 1);
    }
  } finally {
    await log.close();
  }
}
