/** Files that survive a crash whole: written beside their name, then renamed. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Replaces the file at once: who reads it sees the old text or the new one. With `isDurable` it is on disk afterwards. */
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
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  if (isDurable) await syncFolder(path.dirname(file));
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
