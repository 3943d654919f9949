/** Reads an answer as it arrives. */
import type { Watch } from './watch.ts';

/**
 * Pieces of the text of an answer. A reader that leaves early closes the connection.
 *
 * @param fail  what to throw when the connection breaks
 */
export async function* readChunks(
  response: Response,
  watch: Watch,
  fail: (cause: unknown) => unknown,
): AsyncGenerator<string, void> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw fail(cause);
      });
      if (done) break;
      watch.renew();
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Lines without their ends; empty ones are left out. */
export async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest !== '') yield rest;
}
