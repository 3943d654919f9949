/**
 * The lock of a folder: one process at a time, whatever its user and its environment. Every process that wants it has a file of its
 * own there, whose name says all, so that nothing is ever half written and no file is replaced:
 *
 *   lock.HOST.PID.START.KEY
 *
 * Who sees no file of another living process after making its own holds the lock. Of several that start together the one with the
 * lowest key waits while the others withdraw.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { readOwn } from '../evaluator/own-files.ts';
import { pause } from '../retry.ts';

interface Owner {
  readonly file: string;
  readonly host: string;
  readonly pid: number;
  /** Distinguishes a process from a later one with the same id. */
  readonly start: string;
  readonly key: string;
}

/** Time for others to withdraw. */
const PATIENCE_MS = 500;
const LOOK_MS = 10;
/** A file of another host tells only by its time whether its process lives. */
const TOUCH_MS = 20_000;
const SILENT_MS = 120_000;

const HOST = hostname().replace(/[^\w-]+/g, '-');
const NAME = /^lock\.([\w-]*)\.(\d+)\.(\w+)\.([\da-f]+)$/;

/**
 * Files of versions before this one: they named their process in JSON. Of `.backsolve/users` there are some, and Python programs of
 * such versions still write them.
 */
const FORMER_NAME = /^(?:owner|host)\.lock$|^\d+\.[\da-f]{8}$/;

/** Takes the lock; returns its release. Throws what `refuse` makes of a description of the process that holds it. */
export async function lockFolder(folder: string, refuse: (holder: string) => Error): Promise<() => Promise<void>> {
  const key = randomBytes(8).toString('hex');
  const mine = path.join(folder, await nameOf(key));
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    await writeFile(mine, '');
    const others = (await findOwners(folder)).filter(({ file }) => file !== mine);
    const [first] = others;
    if (first === undefined) return keep(mine);
    const isOver = performance.now() > deadline;
    if (isOver || others.some((other) => other.key < key)) await rm(mine, { force: true });
    if (isOver) throw refuse(describe(first));
    await pause(LOOK_MS, undefined);
  }
}

async function nameOf(key: string): Promise<string> {
  return `lock.${HOST}.${process.pid}.${(await startOf(process.pid)) ?? 'alive'}.${key}`;
}

function keep(mine: string): () => Promise<void> {
  const touch = () => {
    const now = new Date();
    utimes(mine, now, now).catch(() => undefined);
  };
  const timer = setInterval(touch, TOUCH_MS) as ReturnType<typeof setInterval> & { unref(): void };
  timer.unref();
  return () => {
    clearInterval(timer);
    return rm(mine, { force: true });
  };
}

/** Notes in a folder that this process uses it, as many others may; returns what takes the note back. */
export async function enterFolder(folder: string): Promise<() => Promise<void>> {
  const key = randomBytes(8).toString('hex');
  const mine = path.join(folder, await nameOf(key));
  await writeFile(mine, '');
  return keep(mine);
}

/** The living processes that have a file in a folder; files of dead ones are removed. Throws when there is no folder. */
export async function findOwners(folder: string): Promise<readonly Owner[]> {
  const living: Owner[] = [];
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const owner = FORMER_NAME.test(name) ? await readFormer(file) : ownerOf(file);
    if (owner === undefined) continue;
    if (await isAlive(owner)) living.push(owner);
    // A file of another user may stay; it keeps no one away.
    else await rm(file, { force: true }).catch(() => undefined);
  }
  return living;
}

function ownerOf(file: string): Owner | undefined {
  const [, host, pid, start, key] = NAME.exec(path.basename(file)) ?? [];
  return key === undefined ? undefined : { file, host: host!, pid: Number(pid), start: start!, key };
}

async function readFormer(file: string): Promise<Owner> {
  const text = await readOwn(file).catch(() => undefined);
  const { pid = 0, start = '' } = parseFormer(text ?? '');
  return { file, host: HOST, pid, start, key: '' };
}

function parseFormer(text: string): Partial<Pick<Owner, 'pid' | 'start'>> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {}; // truncated by a full disk: no process holds it
  }
}

async function isAlive({ file, host, pid, start }: Owner): Promise<boolean> {
  if (host === HOST) return (await startOf(pid)) === start;
  const touched = await stat(file).catch(() => undefined);
  return touched !== undefined && (await nowIn(path.dirname(file))) - touched.mtimeMs < SILENT_MS;
}

/** By the clock of the folder, which may be that of a file server. */
async function nowIn(folder: string): Promise<number> {
  const file = path.join(folder, `clock.${process.pid}.${randomBytes(4).toString('hex')}`);
  await writeFile(file, '');
  return (await stat(file).finally(() => rm(file, { force: true }))).mtimeMs;
}

/** Start of a running process, as a text that no later process with the same id repeats; Linux alone reports it. */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return exists(pid) ? 'alive' : undefined;
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name in parentheses, which may hold spaces: the state, and the start time as the 20th field. Zombies are dead.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** Whether a process with this id exists, of any user. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function describe({ host, pid }: Owner): string {
  if (host === HOST) return `process ${pid}`;
  return `process ${pid} on ${host} (once that is gone, the lock ends within ${SILENT_MS / 60_000} minutes)`;
}
