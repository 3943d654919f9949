/**
 * Writes the JSON text of an answer in time slices, so that other requests are served in between. A JsonArray or a Matrix in
 * the answer is written piece by piece.
 */
import { randomUUID } from 'node:crypto';
import { Matrix } from '../../domain/matrix.ts';
import { JsonArray } from './json-array.ts';

/** Resolves when the next slice of a long answer may start; the returned function ends it. */
export type NextSlice = () => Promise<() => void>;

/** Milliseconds that a slice may take; an item is never divided. */
const SLICE_MS = 1;
/** Characters sent at a time: neither a packet per item nor a buffer of megabytes. */
const PIECE_LENGTH = 64 * 1024;
/** Numbers of a matrix converted at a time, about 0.3 ms. */
const BATCH_CELLS = 2_000;

/** Marks a part in the text around it. Random, so that no client's text can contain it. */
const MARK = `part-${randomUUID()}`;
const QUOTED_MARK = JSON.stringify(MARK);

/** Pieces of the JSON text of `value`, perhaps only one. */
export function writeJson(value: unknown, nextSlice: NextSlice): AsyncGenerator<string, void> {
  return inSlices(pieces(value), nextSlice);
}

/** The text that many short pieces make, in longer ones; other requests are served in between. */
export async function* inSlices(short: AsyncIterable<string>, nextSlice: NextSlice): AsyncGenerator<string, void> {
  let text = '';
  let sliceStartedAt = performance.now();
  let leave: (() => void) | undefined;
  try {
    for await (const piece of short) {
      text += piece;
      const isFull = text.length >= PIECE_LENGTH;
      if (!isFull && performance.now() - sliceStartedAt < SLICE_MS) continue;
      leave?.();
      // A reader may be slow; no other request should wait for it.
      leave = undefined;
      if (isFull) {
        yield text;
        text = '';
      }
      leave = await nextSlice();
      sliceStartedAt = performance.now();
    }
  } finally {
    leave?.();
  }
  if (text !== '') yield text;
}

async function* pieces(value: unknown): AsyncGenerator<string, void> {
  const parts: JsonArray[] = [];
  const text = JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, plain: unknown) {
    // `plain` is the result of toJSON.
    const part = toPart(this[key]);
    if (part === undefined) return plain;
    parts.push(part);
    return MARK;
  });
  if (parts.length === 0) {
    yield text;
    return;
  }
  const between = text.split(QUOTED_MARK);
  for (const [i, part] of parts.entries()) {
    yield between[i]!;
    yield* elements(part);
  }
  yield between.at(-1)!;
}

async function* elements({ batches, present }: JsonArray): AsyncGenerator<string, void> {
  let separator = '[';
  for await (const batch of batches) {
    for (const item of batch) {
      yield separator;
      separator = ',';
      const presented = present(item);
      // Rows of numbers contain no parts, and there are many of them.
      if (Array.isArray(presented)) yield JSON.stringify(presented);
      else yield* pieces(presented);
    }
  }
  yield separator === '[' ? '[]' : ']';
}

function toPart(value: unknown): JsonArray | undefined {
  if (value instanceof JsonArray) return value;
  if (value instanceof Matrix) return JsonArray.plain(rowsOf(value));
  return undefined;
}

function* rowsOf(matrix: Matrix): Generator<readonly number[][]> {
  const count = Math.max(1, Math.floor(BATCH_CELLS / matrix.columns));
  for (let from = 0; from < matrix.rows; from += count) yield matrix.toRows(from, count);
}
