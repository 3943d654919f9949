/** Files that a user names. A device never ends, and a pipe may never begin. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Tables of a few million rows. Larger files would fill the memory. */
const MAXIMUM_FILE_BYTES = 256 * 1024 * 1024;
export const NO_FILE = 'is a device or a pipe, not a file';
const CHUNK_BYTES = 1024 * 1024;

/**
 * The bytes of a regular file. Rejects as open does, and with an error whose message is the end of a sentence about the file: "is a
 * folder, not a file".
 */
export async function readRegularFile(file: string, maximumBytes = MAXIMUM_FILE_BYTES): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Error('is a folder, not a file');
    if (!stats.isFile()) throw new Error(NO_FILE);
    const chunks: Buffer[] = [];
    // Files of the system have no size, and others may grow.
    for (let bytes = stats.size > maximumBytes ? stats.size : 0; ; ) {
      if (bytes > maximumBytes) throw new Error(`has more than ${maximumBytes / 1024 / 1024} MB`);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES));
      if (bytesRead === 0) return Buffer.concat(chunks);
      bytes += bytesRead;
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
