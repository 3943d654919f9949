/** One process per data folder. The lock is a file that names its holder; the lock of a dead process is taken over. */
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { startOf } from './server-processes.ts';

const ATTEMPTS = 20;

interface Holder {
  readonly pid: number;
  /** Distinguishes a process from a later one with the same id. */
  readonly start: string;
}

/** Takes the lock of `dataDir`; returns its release. Throws EmbeddedPostgresError naming the pid that holds it. */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const file = path.join(dataDir, 'owner.lock');
  const draft = `${file}.${process.pid}`;
  const mine: Holder = { pid: process.pid, start: (await startOf(process.pid)) ?? '' };
  await writeFile(draft, `${JSON.stringify(mine)}\n`);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await takeLink(draft, file)) return () => rm(file, { force: true });
      const holder = await readHolder(file);
      if (holder !== undefined && (await isAlive(holder))) {
        throw new EmbeddedPostgresError(
          `The data folder ${dataDir} is already in use by process ${holder.pid}. ` +
            'Stop that process, or give this one another folder with DATA_DIR.',
        );
      }
      // Only one process wins the rename; the others find no file and try to take the lock again.
      await rename(file, `${draft}.stale`).catch(ignoreMissing);
    }
    throw new EmbeddedPostgresError(`The lock ${file} could not be taken: other processes keep competing for it.`);
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
    const holder = JSON.parse(await readFile(file, 'utf8')) as Partial<Holder>;
    return typeof holder.pid === 'number' ? { pid: holder.pid, start: holder.start ?? '' } : undefined;
  } catch {
    return undefined; // gone meanwhile, or truncated by a full disk: nobody holds it
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  return (await startOf(holder.pid)) === holder.start;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
