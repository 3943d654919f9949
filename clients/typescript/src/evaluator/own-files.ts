/**
 * State that a program trusts, in folders that others may reach: a link there, or a file of another user, could lead a write to any
 * file of this user, or hand over state that was made up. Such files are refused, and others lose their right to write.
 */
import { constants, type Stats } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open } from 'node:fs/promises';

/** A file or folder of state that this user did not make. The message says what to do. */
export class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError';
}

const OTHERS_WRITE = 0o022;
const { O_RDONLY, O_WRONLY, O_CREAT, O_APPEND } = constants;
/** Windows has neither. Without the second one a pipe would wait for its other end. */
const CAREFULLY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const FLAGS = {
  read: O_RDONLY,
  write: O_WRONLY | O_CREAT,
  append: O_WRONLY | O_CREAT | O_APPEND,
} as const;

/** Makes the folder if it is missing; its parent must exist. Throws ForeignFileError. */
export async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const stats = await lstat(folder);
  if (stats.isSymbolicLink()) throw linkError(folder);
  if (!stats.isDirectory()) throw new ForeignFileError(`${folder} is not a folder: remove it.`);
  refuseForeign(folder, stats);
  if (isWritableByOthers(stats)) await chmod(folder, withoutOthers(stats)).catch(ignoreRefusal);
}

/** A new file is readable by its owner only; `write` empties an existing one. Throws ForeignFileError, and as open does. */
export async function openOwn(file: string, purpose: keyof typeof FLAGS): Promise<FileHandle> {
  const handle = await open(file, FLAGS[purpose] | CAREFULLY, 0o600).catch((error: NodeJS.ErrnoException) => {
    // EMLINK on BSD.
    throw ['ELOOP', 'EMLINK'].includes(error.code ?? '') ? linkError(file) : error;
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ForeignFileError(`${file} is not a regular file: remove it.`);
    refuseForeign(file, stats);
    if (isWritableByOthers(stats)) await handle.chmod(withoutOthers(stats)).catch(ignoreRefusal);
    if (purpose === 'write') await handle.truncate();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The text of a file; undefined when there is none. Throws ForeignFileError. */
export async function readOwn(file: string): Promise<string | undefined> {
  return (await readOwnBytes(file))?.toString('utf8');
}

export async function readOwnBytes(file: string): Promise<Buffer | undefined> {
  let handle: FileHandle;
  try {
    handle = await openOwn(file, 'read');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return handle.readFile().finally(() => handle.close());
}

function linkError(file: string): ForeignFileError {
  return new ForeignFileError(`${file} is a link, and state is never read or written through one: remove it.`);
}

/** Root may use what others own: it is the user of most containers, whose folders are mounted. */
function refuseForeign(file: string, { uid }: Stats): void {
  const me = process.geteuid?.();
  if (me === undefined || me === 0 || uid === me || uid === 0) return;
  throw new ForeignFileError(
    `${file} belongs to another user (uid ${uid}): remove it, or work in a folder of your own.`,
  );
}

function withoutOthers({ mode }: Stats): number {
  return mode & 0o7777 & ~OTHERS_WRITE;
}

/** Some file systems have no modes to change. */
function ignoreRefusal(): void {}

function isWritableByOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & OTHERS_WRITE) !== 0;
}
