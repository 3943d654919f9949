/**
 * The service of a folder, for the runs in it. It is a process of its own, so that several programs share it, and so that killing one
 * neither stops the others nor costs the next one a start. It ends soon after its last user. The command `backsolve host` is the
 * service; whoever finds none starts it.
 */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeOwnFolder, openOwn, readOwn } from '../evaluator/own-files.ts';
import { pause } from '../retry.ts';
import { enterFolder, findOwners } from './folder-lock.ts';
import { isProven, makeProvenFetch } from './local-proof.ts';

/**
 *   .backsolve/service       its database
 *   .backsolve/service.json  where it answers, while it does
 *   .backsolve/service.log   its log
 *   .backsolve/service.key   its API key
 *   .backsolve/lock.*        its process
 *   .backsolve/users         a file per process that uses it
 */
export const LOCAL_FILES = {
  data: 'service',
  address: 'service.json',
  log: 'service.log',
  key: 'service.key',
  users: 'users',
} as const;

/** The exit code of a host that finds another one in its folder. */
export const HOSTED_ALREADY = 75;

export interface LocalService {
  readonly url: string;
  readonly key: string;
  /** Goes to the service wherever it is now, and starts it again when it is gone; sends nothing to another program on its port. */
  readonly fetch: typeof fetch;
  /** This process uses it no more. */
  close(): Promise<void>;
}

export interface LocalOptions {
  /** The program and its first arguments; default BACKSOLVE_COMMAND of the environment, the package backsolve of this folder, or `npx --no backsolve`. */
  readonly command?: readonly string[];
  /** The environment of the service; default that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Called when a service has to be started. */
  readonly onStart?: () => void;
}

/** The command is missing, or the service does not start. */
export class LocalServiceError extends Error {
  override readonly name = 'LocalServiceError';
}

const ADVICE =
  'Run npm install backsolve in this folder, where it is found. Set BACKSOLVE_COMMAND to the command of another installation, or give url and key of a service.';
/** A new database takes seconds, on a busy machine many. */
const START_LIMIT_MS = 180_000;
const POLL_MS = 50;
const PROBE_MS = 2_000;
const LAST_LINES = 5;

/** Joins the service of a folder, which holds its database, or starts it. Throws LocalServiceError. */
export async function joinLocalService(folder: string, options: LocalOptions = {}): Promise<LocalService> {
  const home = path.resolve(folder);
  const users = path.join(home, LOCAL_FILES.users);
  await mkdir(path.dirname(home), { recursive: true });
  await makeOwnFolder(home);
  await makeOwnFolder(users);
  const leave = await enterFolder(users);
  try {
    let found = await findOrStart(home, options);
    let reviving: Promise<void> | undefined;
    const revive = async () => {
      found = await findOrStart(home, options);
    };
    const fetchLocal: typeof fetch = async (input, init) => {
      const { pathname, search } = new URL(String(input));
      try {
        return await makeProvenFetch(found.url, found.key)(`${found.url}${pathname}${search}`, init);
      } catch (error) {
        if (init?.signal?.aborted !== true) await (reviving ??= revive().finally(() => (reviving = undefined)));
        throw error;
      }
    };
    return { ...found, fetch: fetchLocal, close: leave };
  } catch (error) {
    await leave();
    throw error;
  }
}

/**
 * Keeps the service of a folder, if it runs, from ending, for work on the database of the folder. One that is about to end is waited for.
 * Returns what lets it end again.
 */
export async function holdLocalService(folder: string): Promise<() => Promise<void>> {
  const users = path.join(folder, LOCAL_FILES.users);
  await makeOwnFolder(users);
  const leave = await enterFolder(users);
  // It removes its address before it ends, and looks for users once more after that.
  const isStable = async () =>
    (await findOwners(folder)).length === 0 || (await readOwn(path.join(folder, LOCAL_FILES.address))) !== undefined;
  const deadline = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadline && !(await isStable())) await pause(POLL_MS, undefined);
  return leave;
}

type Found = Pick<LocalService, 'url' | 'key'>;

async function findOrStart(folder: string, options: LocalOptions): Promise<Found> {
  const deadline = performance.now() + START_LIMIT_MS;
  let hasBegun = false;
  while (performance.now() < deadline) {
    const found = await findService(folder);
    if (found !== undefined) return found;
    if ((await findOwners(folder)).length === 0) {
      if (!hasBegun) options.onStart?.();
      hasBegun = true;
      await startHost(folder, options);
    }
    await pause(POLL_MS, undefined);
  }
  throw new LocalServiceError(`The service of this folder does not start: see ${path.join(folder, LOCAL_FILES.log)}.`);
}

/** Address of the service, if it answers, and its key, which it proves to have. */
async function findService(folder: string): Promise<Found | undefined> {
  const [address, key] = await Promise.all(
    [LOCAL_FILES.address, LOCAL_FILES.key].map((name) => readOwn(path.join(folder, name))),
  );
  if (address === undefined || key === undefined) return undefined;
  try {
    const found = { url: (JSON.parse(address) as Found).url, key: key.trim() };
    const { ok } = await fetch(`${found.url}/readyz`, { signal: AbortSignal.timeout(PROBE_MS) });
    return ok && (await isProven(found.url, found.key)) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Returns once it serves, or once another host was first. */
async function startHost(folder: string, { command, environment = process.env }: LocalOptions): Promise<void> {
  const [program, ...first] = command ?? findCommand();
  const file = path.join(folder, LOCAL_FILES.log);
  const log = await openOwn(file, 'write');
  try {
    const child = spawn(program!, [...first, 'host', folder], {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: environment as NodeJS.ProcessEnv,
      windowsHide: true,
    });
    child.unref();
    const ended = new Promise<{ readonly code: number | null; readonly why?: string }>((resolve) => {
      child.once('exit', (code) => resolve({ code }));
      child.once('error', ({ message }) => resolve({ code: null, why: `${program} cannot be run (${message}).` }));
    });
    for (;;) {
      const first = await Promise.race([ended, pause(POLL_MS, undefined)]);
      if (first === undefined) {
        if ((await findService(folder)) !== undefined) return;
        continue;
      }
      const { code, why } = first;
      if (code === HOSTED_ALREADY || code === 0) return;
      const words = ((await readOwn(file)) ?? '').trim().split('\n').slice(-LAST_LINES).join('\n');
      const reason = why ?? (words === '' ? `${program} ended.` : words);
      throw new LocalServiceError(
        `The local service did not start: ${reason}${command === undefined ? `\n${ADVICE}` : ''}`,
      );
    }
  } finally {
    await log.close();
  }
}

/** The one that is stated, else the package backsolve of this folder, else what npx finds. */
function findCommand(): readonly string[] {
  const stated = process.env['BACKSOLVE_COMMAND']?.trim() ?? '';
  return stated === '' ? (installedCommand() ?? npxCommand()) : splitCommand(stated);
}

/** Words, of which those with spaces are in quotes. */
export function splitCommand(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain!,
  );
}

function installedCommand(): readonly string[] | undefined {
  try {
    const file = createRequire(path.resolve('package.json')).resolve('backsolve/package.json');
    return [process.execPath, path.join(path.dirname(file), 'bin', 'backsolve.js')];
  } catch {
    return undefined;
  }
}

/** On Windows npx is a batch file, which only a shell runs, and a shell would split paths with spaces: its program is beside Node. */
export function npxCommand(platform: string = process.platform, node: string = process.execPath): readonly string[] {
  if (platform !== 'win32') return ['npx', '--no', 'backsolve'];
  return [
    node,
    path.win32.join(path.win32.dirname(node), 'node_modules', 'npm', 'bin', 'npx-cli.js'),
    '--no',
    'backsolve',
  ];
}
