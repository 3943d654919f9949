/** The lines of a backup, as its bytes arrive. Splits at \n only, as COPY does; a row may hold any other line separator. */
import type { Readable } from 'node:stream';
import { BackupError, END_OF_ROWS } from './backup.ts';

const NEWLINE = 0x0a;
const END_LINE = `${END_OF_ROWS}\n`;
/** Lines that are not rows name tables and columns. */
const MAXIMUM_JSON_BYTES = 4 * 1024 * 1024;

export class LineReader {
  readonly #stream: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  /** Read, and not handed on. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#stream = stream;
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Makes the next read reject. */
  fail(error: Error): void {
    this.#stream.destroy(error);
  }

  /** The value of the next line. Throws BackupError. */
  async readJson(): Promise<unknown> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    let end = this.#rest.indexOf(NEWLINE);
    for (; end < 0 && bytes <= MAXIMUM_JSON_BYTES; end = this.#rest.indexOf(NEWLINE)) {
      pieces.push(this.#rest);
      bytes += this.#rest.length;
      this.#rest = await this.#readChunk();
    }
    pieces.push(this.#rest.subarray(0, end));
    this.#rest = this.#rest.subarray(end + 1);
    try {
      if (end < 0) throw new Error(`a line has more than ${MAXIMUM_JSON_BYTES} bytes`);
      return JSON.parse(Buffer.concat(pieces).toString('utf8'));
    } catch (cause) {
      throw new BackupError('The file is not a backup, or it is damaged.', { cause });
    }
  }

  /** The rows of a table, newlines included, without the line that ends them. Pieces may split a row, so that none is too long. */
  async *readRows(): AsyncGenerator<Buffer> {
    for (let isFirst = true; ; isFirst = false) {
      // Another line follows the one that ends the rows.
      while (this.#rest.length <= END_LINE.length) this.#rest = Buffer.concat([this.#rest, await this.#readChunk()]);
      const isEmpty = isFirst && this.#rest.subarray(0, END_LINE.length).toString('latin1') === END_LINE;
      const end = isEmpty ? 0 : this.#rest.indexOf(`\n${END_LINE}`, 0, 'latin1') + 1;
      if (isEmpty || end > 0) {
        if (end > 0) yield this.#rest.subarray(0, end);
        this.#rest = this.#rest.subarray(end + END_LINE.length);
        return;
      }
      // The last bytes may begin the end.
      const taken = this.#rest.subarray(0, -END_LINE.length);
      this.#rest = this.#rest.subarray(-END_LINE.length);
      yield taken;
    }
  }

  /** Throws BackupError at the end of the stream. */
  async #readChunk(): Promise<Buffer> {
    const next = await this.#chunks.next().catch((cause: NodeJS.ErrnoException) => {
      // zlib's codes; anything else comes from the file system.
      const isDamaged = cause.code?.startsWith('Z_') === true;
      throw isDamaged ? new BackupError('The file is not a backup, or it is damaged.', { cause }) : cause;
    });
    if (next.done === true) throw new BackupError('The backup is incomplete: it ends before its last line.');
    return next.value;
  }
}
