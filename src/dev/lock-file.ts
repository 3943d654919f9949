/** A lock that is a file naming its holder: one process at a time, and the lock of a dead process is taken over. */
import { constants } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { startOf } from './server-processes.ts';

const ATTEMPTS = 20;
/** Windows has neither: no link is followed, and no pipe is waited for. */
const CAREFULLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

interface Holder {
  readonly pid: number;
  /** Distinguishes a process from a later one with the same id. */
  readonly start: string;
}

/** What a lock file says about this process. */
export async function holderText(): Promise<string> {
  const mine: Holder = { pid: process.pid, start: (await startOf(process.pid)) ?? '' };
  return `${JSON.stringify(mine)}\n`;
}

/** The id of the process that holds the lock; undefined if no living process does. */
export async function findHolder(file: string): Promise<number | undefined> {
  const holder = await readHolder(file);
  return holder !== undefined && (await isAlive(holder)) ? holder.pid : undefined;
}

/** Takes the lock; returns its release. Throws what `refuse` makes of the id of the process that holds it. */
export async function takeLock(file: string, refuse: (pid: number) => Error): Promise<() => Promise<void>> {
  const draft = `${file}.${process.pid}`;
  // What a process of the same id left goes; a link of that name is not followed.
  await rm(draft, { force: true });
  await writeFile(draft, await holderText(), { flag: 'wx' });
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await takeLink(draft, file)) return () => rm(file, { force: true });
      const pid = await findHolder(file);
      if (pid !== undefined) throw refuse(pid);
      // Only one process wins the rename; the others find no file and try to take the lock again.
      await rename(file, `${draft}.stale`).catch(ignoreMissing);
    }
    throw new Error(`The lock ${file} could not be taken: other processes keep competing for it.`);
  } finally {
    await rm(draft, { force: true });
    await rm(`${draft}.stale`, { force: true });
  }
}

/** Links `draft` under the lock's name, so that it is complete from the start; false when the name is taken. */
async function takeLink(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(file, { encoding: 'utf8', flag: CAREFULLY })) as Partial<Holder>;
    return typeof holder.pid === 'number' ? { pid: holder.pid, start: holder.start ?? '' } : undefined;
  } catch {
    return undefined; // gone meanwhile, or truncated by a full disk: no process holds it
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  return (await startOf(holder.pid)) === holder.start;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
