/**
 * A file that only grows, by whole lines. Beside it lies a reserve while it is open: once the disk is full its space takes what is
 * still running.
 */
import { randomBytes } from 'node:crypto';
import { ftruncateSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import path from 'node:path';
import { FileError, isDiskFull, syncFolder } from './durable-files.ts';
import { ForeignFileError, openOwn } from './own-files.ts';

/** Room for the results of all runs that can be under way. */
const RESERVE_BYTES = 256 * 1024;

export class AppendedFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  /** Size of the whole lines. */
  #size: number;
  #full: FileError | undefined;

  private constructor(file: string, handle: FileHandle, size: number) {
    this.#path = file;
    this.#handle = handle;
    this.#size = size;
  }

  /** Goes on after `size` bytes. Throws FileError. */
  static async open(file: string, size: number): Promise<AppendedFile> {
    const handle = await openOwn(file, 'append');
    try {
      await handle.truncate(size);
      await makeReserve(file);
      await syncFolder(path.dirname(file));
      return new AppendedFile(file, handle, size);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Throws FileError while there is no room for another reserve after the disk was full. */
  async refuseFullDisk(): Promise<void> {
    if (this.#full === undefined) return;
    await makeReserve(this.#path);
    this.#full = undefined;
  }

  /** Throws FileError when the reserve is used up as well. */
  append(line: string): void {
    const bytes = Buffer.from(line);
    try {
      this.#write(bytes);
    } catch (error) {
      const fault = new FileError(this.#path, error);
      if (this.#full !== undefined || !isDiskFull(error)) throw fault;
      this.#full = fault;
      rmSync(reserveOf(this.#path), { force: true });
      this.append(line);
    }
  }

  async sync(): Promise<void> {
    await this.#handle.datasync().catch((error: unknown) => {
      throw new FileError(this.#path, error);
    });
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await rm(reserveOf(this.#path), { force: true });
  }

  /** A full disk may take a part of a line, which must not stay before the next one. */
  #write(bytes: Buffer): void {
    try {
      // A short line goes to the system's cache immediately; handing it to another thread would cost many times as much.
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#handle.fd, bytes, written);
    } catch (error) {
      ftruncateSync(this.#handle.fd, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }
}

/** Random, for file systems that compress. Throws FileError. */
async function makeReserve(file: string): Promise<void> {
  try {
    const handle = await openOwn(reserveOf(file), 'write');
    await handle.writeFile(randomBytes(RESERVE_BYTES)).finally(() => handle.close());
  } catch (error) {
    if (error instanceof ForeignFileError) throw error;
    await rm(reserveOf(file), { force: true });
    throw new FileError(file, error);
  }
}

function reserveOf(file: string): string {
  return `${file}.reserve`;
}
