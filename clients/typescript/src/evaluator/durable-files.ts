/** Files that survive a crash whole: written beside their name, then renamed. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** A file that cannot be written. */
export class FileError extends Error {
  override readonly name = 'FileError';

  constructor(file: string, cause: unknown) {
    super(`${file} cannot be written: ${whyUnwritten(cause)}`, { cause });
  }
}

/** Reason why the system refused to write, with what to do; a sentence without its beginning. */
export function whyUnwritten(cause: unknown): string {
  if (!isDiskFull(cause)) return `${(cause as Error).message}.`;
  return 'the disk is full. Free some space, then start again: nothing that was run is lost.';
}

/** Also a quota that is used up. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(String((error as { readonly code?: unknown } | null)?.code));
}

/** Replaces the file atomically: readers see the old text or the new one. With `isDurable` it is on disk afterwards. Throws FileError. */
export async function replaceFile(
  file: string,
  text: string,
  { isDurable = false }: { readonly isDurable?: boolean } = {},
): Promise<void> {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.part`;
  try {
    // A link of that name would be refused, not followed.
    await withFile(draft, 'wx', async (handle) => {
      await handle.writeFile(text);
      if (isDurable) await handle.sync();
    });
    await rename(draft, file);
    if (isDurable) await syncFolder(path.dirname(file));
  } catch (error) {
    await rm(draft, { force: true });
    throw new FileError(file, error);
  }
}

/** Makes names in a folder durable. Windows keeps them without. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await withFile(folder, 'r', (handle) => handle.sync());
}

async function withFile(file: string, flags: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(file, flags);
  await work(handle).finally(() => handle.close());
}
