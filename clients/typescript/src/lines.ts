/** Reads an answer as it arrives, up to a limit: a few bytes may decompress to gigabytes. */
import type { Watch } from './watch.ts';

/** An answer, or a line of one, is larger than the client reads. Raise `maximumAnswerBytes` if it is meant. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
}

/**
 * Pieces of the text of an answer. A reader that leaves early closes the connection.
 *
 * @param fail  makes the error to throw when the connection breaks
 */
export async function* readChunks(
  response: Response,
  watch: Watch,
  fail: (cause: unknown) => unknown,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  for await (const value of readPieces(response, watch, fail)) yield decoder.decode(value, { stream: true });
  yield decoder.decode();
}

async function* readPieces(
  response: Response,
  watch: Watch,
  fail: (cause: unknown) => unknown,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw fail(cause);
      });
      if (done) break;
      watch.renew();
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Throws what `tooLarge` gives once the text has more than so many characters, none of which is smaller than a byte. */
export async function readText(chunks: AsyncIterable<string>, maximum: number, tooLarge: () => Error): Promise<string> {
  let text = '';
  for await (const chunk of chunks) {
    if (text.length + chunk.length > maximum) throw tooLarge();
    text += chunk;
  }
  return text;
}

/** Throws what `tooLarge` gives for more than so many bytes. */
export async function readBytes(
  response: Response,
  watch: Watch,
  fail: (cause: unknown) => unknown,
  maximum: number,
  tooLarge: () => Error,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of readPieces(response, watch, fail)) {
    length += piece.length;
    if (length > maximum) throw tooLarge();
    pieces.push(piece);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** The beginning of a text, however long it is. */
export async function readStart(chunks: AsyncIterable<string>, maximum: number): Promise<string> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > maximum) break;
  }
  return text;
}

/** Lines without their ends; empty ones are left out. Throws what `tooLarge` gives for one of more than so many characters. */
export async function* readLines(
  chunks: AsyncIterable<string>,
  maximum: number,
  tooLarge: () => Error,
): AsyncGenerator<string, void> {
  // Pieces of the line that has no end yet: joined once, so that a long one takes no longer than several short ones.
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines = chunk.split('\n');
    for (const [i, piece] of lines.entries()) {
      length += piece.length;
      if (length > maximum) throw tooLarge();
      pieces.push(piece);
      if (i === lines.length - 1) continue;
      if (length > 0) yield pieces.join('');
      [pieces, length] = [[], 0];
    }
  }
  if (length > 0) yield pieces.join('');
}
