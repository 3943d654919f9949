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
import { pause } from '../retry.ts';

interface Owner {
  readonly file: string;
  readonly host: string;
  readonly pid: number;
  /** Distinguishes a process from a later one with the same id. */
  readonly start: string;
  readonly key: string;
}

/** How long others get to withdraw. */
const PATIENCE_MS = 500;
const LOOK_MS = 10;
/** A file of another host tells only by its time whether its process lives. */
const TOUCH_MS = 20_000;
const SILENT_MS = 120_000;

const HOST = hostname().replace(/[^\w-]+/g, '-');
const NAME = /^lock\.([\w-]*)\.(\d+)\.(\w+)\.([\da-f]+)$/;

/** Takes the lock; returns its release. Throws what `refuse` makes of a description of the process that holds it. */
export async function lockFolder(folder: string, refuse: (holder: string) => Error): Promise<() => Promise<void>> {
  const key = randomBytes(8).toString('hex');
  const mine = path.join(folder, `lock.${HOST}.${process.pid}.${(await startOf(process.pid)) ?? 'alive'}.${key}`);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    await writeFile(mine, '');
    const others = await livingBeside(mine);
    const [first] = others;
    if (first === undefined) return keep(mine);
    const isOver = performance.now() > deadline;
    if (isOver || others.some((other) => other.key < key)) await rm(mine, { force: true });
    if (isOver) throw refuse(describe(first));
    await pause(LOOK_MS, undefined);
  }
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

/** The owners of the other files whose processes live; files of dead ones are removed. */
async function livingBeside(mine: string): Promise<readonly Owner[]> {
  const folder = path.dirname(mine);
  const now = (await stat(mine)).mtimeMs;
  const living: Owner[] = [];
  for (const name of await readdir(folder)) {
    const [, host, pid, start, key] = NAME.exec(name) ?? [];
    const file = path.join(folder, name);
    if (key === undefined || file === mine) continue;
    const owner: Owner = { file, host: host!, pid: Number(pid), start: start!, key };
    if (await isAlive(owner, now)) living.push(owner);
    // One of another user may stay; it keeps no one away.
    else await rm(file, { force: true }).catch(() => undefined);
  }
  return living;
}

/** @param now  by the clock of the folder, which may be that of a file server */
async function isAlive({ file, host, pid, start }: Owner, now: number): Promise<boolean> {
  if (host === HOST) return (await startOf(pid)) === start;
  const touched = await stat(file).catch(() => undefined);
  return touched !== undefined && now - touched.mtimeMs < SILENT_MS;
}

/** When a running process started, as a text that no later process with the same id repeats; Linux alone reports it. */
async function startOf(pid: number): Promise<string | undefined> {
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
