import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/domain/matrix.ts';
import { JsonArray } from '../../src/http/answer/json-array.ts';
import { writeJson } from '../../src/http/answer/write-json.ts';

const atOnce = async () => () => undefined;

async function textOf(value: unknown): Promise<string> {
  let text = '';
  for await (const piece of writeJson(value, atOnce)) text += piece;
  return text;
}

async function* inBatches<T>(items: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

describe('a written answer', () => {
  it('A written answer equals JSON.stringify of the same data at any depth', async () => {
    const leaf = fc.jsonValue({ maxDepth: 2 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(leaf, { maxLength: 4 }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 3 }),
        async (lists, size) => {
          const written = {
            before: 1,
            lists: JsonArray.of(inBatches(lists, size), (list) => ({
              count: list.length,
              items: JsonArray.plain(inBatches(list, size)),
            })),
            after: 'part',
          };
          const plain = { before: 1, lists: lists.map((list) => ({ count: list.length, items: list })), after: 'part' };
          expect(JSON.parse(await textOf(written))).toEqual(JSON.parse(JSON.stringify(plain)));
        },
      ),
    );
  });

  it('A matrix is written exactly, as its rows', async () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    const rows = fc.array(fc.array(finite, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 2_000 });
    await fc.assert(
      fc.asyncProperty(rows, async (values) => {
        expect(JSON.parse(await textOf({ cases: Matrix.from(values) }))).toEqual({ cases: values });
      }),
      { numRuns: 20 },
    );
  });

  it('A batch is read only after the previous one is written, and other work runs between slices', async () => {
    const read: number[] = [];
    async function* batches() {
      for (let batch = 0; batch < 50; batch++) {
        read.push(batch);
        yield [{ text: 'x'.repeat(70_000), batch }];
      }
    }
    let held = 0;
    let slices = 0;
    const writer = writeJson({ items: JsonArray.plain(batches()) }, async () => {
      expect(held).toBe(0);
      held += 1;
      slices += 1;
      return () => {
        held -= 1;
      };
    });
    await writer.next();
    // While the reader is slow, no other request waits.
    expect(held).toBe(0);
    expect(read.length).toBeLessThan(5);
    for await (const _ of writer) expect(held).toBe(0);
    expect(read).toHaveLength(50);
    expect(slices).toBeGreaterThan(20);
    expect(held).toBe(0);
  });

  it('A failed read ends the current slice', async () => {
    let held = 0;
    async function* batches() {
      yield [{ text: 'x'.repeat(70_000) }];
      throw new Error('the database is away');
    }
    const writer = writeJson(JsonArray.plain(batches()), async () => {
      held += 1;
      return () => {
        held -= 1;
      };
    });
    const all = async () => {
      for await (const _ of writer);
    };
    await expect(all()).rejects.toThrow('away');
    expect(held).toBe(0);
  });
});
