import { describe, expect, it } from 'vitest';
import { Designs } from '../../../src/application/problem/designs.ts';
import type { DesignAnswer } from '../../../src/engine/protocol.ts';
import type { Design, DesignRequest } from '../../../src/optimizer/interface/problem.ts';

const stays = new AbortController().signal;
const DONE: Design = { count: 1, X: Float64Array.of(0.5) };
const HEAVY: Design = { count: 0, X: new Float64Array(0), region: { kind: 'out-of-work' } };
const answer = (result: Design): DesignAnswer => ({ ok: true, result, elapsedNs: 1 });

/** Requests are known by their seeds. Those above 100 take more than a little work, and end when the test says so. */
function open() {
  const begun: string[] = [];
  const ended: string[] = [];
  const ends = new Map<number, (answer: DesignAnswer) => void>();
  const designs = new Designs({
    threads: 1,
    workLimit: 15_000,
    engine: {
      design: async ({ seed, workLimit }) => {
        begun.push(`${seed} with ${workLimit}`);
        return answer(seed > 100 ? HEAVY : DONE);
      },
      designApart: ({ seed, workLimit }, signal) =>
        new Promise((resolve, reject) => {
          begun.push(`${seed} apart with ${workLimit}`);
          ends.set(seed, resolve);
          signal.addEventListener('abort', () => {
            ended.push(String(seed));
            reject(new DOMException('aborted', 'AbortError'));
          });
        }),
    },
  });
  const design = (accountId: number, seed: number, signal = stays) => {
    const request: DesignRequest = { space: { variables: [] }, outputCount: null, caseCount: null, seed };
    return designs.for(accountId, signal).design(request);
  };
  return { design, begun, ended, end: (seed: number, with_ = DONE) => ends.get(seed)!(answer(with_)) };
}

describe('designs', () => {
  it('that take little work are made beside those of another account that take much', async () => {
    const { design, begun, end } = open();
    const heavy = [101, 102].map((seed) => design(1, seed));
    await expect.poll(() => begun).toContain('101 apart with 15000');
    expect(await design(2, 1)).toBe(DONE);
    expect(await design(1, 2)).toBe(DONE);
    end(101);
    await expect.poll(() => begun).toContain('102 apart with 15000');
    end(102);
    expect(await Promise.all(heavy)).toEqual([DONE, DONE]);
    expect(begun.filter((one) => !one.includes('apart')).every((one) => one.endsWith(' with 200'))).toBe(true);
  });

  it('that take too much work say so', async () => {
    const { design, begun, end } = open();
    const heavy = design(1, 101);
    await expect.poll(() => begun).toContain('101 apart with 15000');
    end(101, HEAVY);
    expect((await heavy).region).toEqual({ kind: 'out-of-work' });
  });

  it('end with the client that asked for them, and those in line begin', async () => {
    const { design, begun, ended, end } = open();
    const client = new AbortController();
    const first = design(1, 101, client.signal);
    const second = design(2, 102);
    await expect.poll(() => begun).toContain('101 apart with 15000');
    const gone = new Error('gone');
    client.abort(gone);
    await expect(first).rejects.toBe(gone);
    await expect.poll(() => begun).toContain('102 apart with 15000');
    end(102);
    await second;
    expect(ended).toEqual(['101']);
  });

  it('past the number that may wait are refused with a time to try again, those of others are not', async () => {
    const { design, begun, end } = open();
    const refused: unknown[] = [];
    const seeds = Array.from({ length: 10 }, (_, k) => 101 + k);
    const asked = seeds.map((seed) => design(1, seed).catch((error: unknown) => refused.push(error)));
    await expect.poll(() => begun).toHaveLength(seeds.length + 1);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ code: 'OVERLOADED', facts: { retryAfterSeconds: 2 } });
    const other = design(2, 201);
    await expect.poll(() => begun).toHaveLength(seeds.length + 2);
    for (const seed of [...seeds.slice(0, 1), 201, ...seeds.slice(1, 9)]) {
      await expect.poll(() => begun).toContain(`${seed} apart with 15000`);
      end(seed);
    }
    await Promise.all([...asked, other]);
  });
});
