/** Takes what a program prints: the beginning goes to a file, the end stays in memory, and a flood harms neither disk nor memory. */
import { createWriteStream, type WriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

export interface LogLimits {
  /** Bytes kept in the file from the beginning. */
  readonly fileBytes: number;
  /** Bytes of the end kept in memory. */
  readonly tailBytes: number;
}

export class RunLog {
  readonly #file: WriteStream;
  readonly #limits: LogLimits;
  readonly #onError: (error: Error) => void;
  #bytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #error: Error | undefined;

  constructor(stream: Readable, path: string, limits: LogLimits, onError: (error: Error) => void) {
    this.#limits = limits;
    this.#onError = onError;
    this.#file = createWriteStream(path);
    // A full disk costs the log, not the result.
    this.#file.on('error', (error) => {
      if (this.#error === undefined) this.#onError(error);
      this.#error ??= error;
    });
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    // The pipe of a program that has been ended may break.
    stream.on('error', () => undefined);
  }

  /** The last line that is not blank; undefined if there is none. Null if it is longer than what is kept. */
  lastLine(): string | null | undefined {
    const text = Buffer.concat(this.#tail).toString('utf8').trimEnd();
    if (text === '') return this.#bytes > this.#tailBytes ? null : undefined;
    const start = text.lastIndexOf('\n') + 1;
    return start === 0 && this.#bytes > this.#tailBytes ? null : text.slice(start).trim();
  }

  /** The end of what was printed. */
  get tail(): string {
    return Buffer.concat(this.#tail).subarray(-SHOWN_BYTES).toString('utf8');
  }

  /** Completes the file: what was left out in the middle is said in its place. Returns why it has not all that it should have. */
  async close(): Promise<Error | undefined> {
    const { fileBytes } = this.#limits;
    if (this.#bytes > fileBytes && this.#error === undefined) {
      const tail = Buffer.concat(this.#tail).subarray(-Math.min(this.#bytes - fileBytes, TAIL_IN_FILE_BYTES));
      const left = this.#bytes - fileBytes - tail.length;
      this.#file.write(left > 0 ? gapLine(left) : '');
      this.#file.write(tail);
    }
    this.#file.end();
    await finished(this.#file).catch(() => undefined);
    return this.#error;
  }

  #take(chunk: Buffer): void {
    const room = this.#limits.fileBytes - this.#bytes;
    if (room > 0 && this.#error === undefined) this.#file.write(chunk.subarray(0, room));
    this.#bytes += chunk.length;
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    // Together the chunks hold at least the end that is wanted, and not much more.
    while (this.#tailBytes - this.#tail[0]!.length >= this.#limits.tailBytes) {
      this.#tailBytes -= this.#tail.shift()!.length;
    }
  }
}

/** In the place of what is left out; GAP finds it. */
function gapLine(bytes: number): string {
  return `\n[${bytes} bytes are left out here]\n`;
}

export const GAP = /\n\[(\d+) bytes are left out here\]\n/;

/** Size of the end that people are shown. */
const SHOWN_BYTES = 16 * 1024;
const TAIL_IN_FILE_BYTES = 64 * 1024;
