/** The lines of a backup, however its bytes arrive. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineReader } from '../../../src/db/backup/line-reader.ts';

async function* split(text: string, length: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
}

async function readRows(lines: LineReader): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of lines.readRows()) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

// As COPY writes them: no row has a single backslash before a dot.
const row = fc.string({ unit: fc.constantFrom('a', '.', '\\\\', '\\n', '\u2028'), maxLength: 6 });

it('Rows end at their last line, wherever the chunks end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 6 }), fc.integer({ min: 1, max: 9 }), async (rows, length) => {
      const table = rows.map((one) => `${one}\n`).join('');
      const lines = new LineReader(Readable.from(split(`{"a":1}\n${table}\\.\n\\.\n[2]\n`, length)));
      expect(await lines.readJson()).toEqual({ a: 1 });
      expect(await readRows(lines)).toBe(table);
      expect(await readRows(lines)).toBe('');
      expect(await lines.readJson()).toEqual([2]);
      await expect(lines.readJson()).rejects.toThrow('incomplete');
    }),
  );
});

it('A long row is handed on in pieces, and a long line that is no row is refused', async () => {
  // Copied with every chunk, it would take hours.
  const chunk = Buffer.alloc(1024, 'x');
  function* long() {
    for (let i = 0; i < 300 * 1024; i++) yield chunk;
  }
  const rows = new LineReader(
    Readable.from(
      (function* () {
        yield* long();
        yield Buffer.from('\n\\.\n{}\n');
      })(),
    ),
  );
  let [bytes, longest] = [0, 0];
  for await (const piece of rows.readRows()) [bytes, longest] = [bytes + piece.length, Math.max(longest, piece.length)];
  expect([bytes, longest]).toEqual([300 * 1024 * 1024 + 1, expect.toSatisfy((length: number) => length < 2_000)]);
  await expect(new LineReader(Readable.from(long())).readJson()).rejects.toThrow('not a backup');
});
