/** One read for all that is waited for, and none for one who asks again and again. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NewestResults } from '../../src/application/newest-results.ts';
import { Watch } from '../../src/application/watch.ts';

interface Key {
  readonly accountId: number;
  readonly id: string;
}

const POLL_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(restMs = 0) {
  const stamps = new Map<string, number>();
  const reads: (readonly string[])[] = [];
  const watch = new Watch<Key, number>({
    pollIntervalMs: POLL_MS,
    restMs,
    nameOf: ({ id }) => id,
    read: async (keys) => {
      reads.push(keys.map(({ id }) => id));
      return new Map(stamps);
    },
  });
  const wait = (id: string, known: number, ms = 60_000, accountId = 1) =>
    watch.wait({ accountId, id }, (stamp) => stamp === known, ms);
  return { stamps, reads, watch, wait };
}

describe('waiting for changes', () => {
  it('However many wait, one read a second is about all of them, and none after the last', async () => {
    const { stamps, reads, watch, wait } = open();
    stamps.set('a', 1).set('b', 1);
    const answers = [wait('a', 1), wait('a', 1), wait('b', 1)];
    await vi.advanceTimersByTimeAsync(3 * POLL_MS);
    expect(reads).toEqual(new Array(4).fill(['a', 'b']));
    stamps.set('a', 2).set('b', 3);
    await vi.advanceTimersByTimeAsync(POLL_MS);
    expect(await Promise.all(answers)).toEqual([2, 2, 3]);
    await vi.advanceTimersByTimeAsync(5 * POLL_MS);
    expect([reads.length, watch.waiting]).toEqual([5, 0]);
  });

  it('One who waits again for what is known causes no read; one who knows something else does', async () => {
    const { stamps, reads, wait } = open();
    stamps.set('a', 1);
    const long = wait('a', 1);
    await vi.advanceTimersByTimeAsync(POLL_MS / 2);
    expect(reads).toHaveLength(1);
    for (let n = 0; n < 5; n++) {
      const again = wait('a', 1, 10);
      await vi.advanceTimersByTimeAsync(10);
      expect(await again).toBe(1);
    }
    expect(reads).toHaveLength(1);
    const older = wait('a', 0);
    await vi.advanceTimersByTimeAsync(50);
    expect([await older, reads.length]).toEqual([1, 2]);
    stamps.set('a', 2);
    await vi.advanceTimersByTimeAsync(POLL_MS);
    expect(await long).toBe(2);
  });

  it('A hint is about one account, and after a change the rest is kept', async () => {
    const { stamps, reads, watch, wait } = open(POLL_MS);
    stamps.set('a', 1);
    const first = wait('a', 1);
    await vi.advanceTimersByTimeAsync(100);
    watch.hint(2);
    await vi.advanceTimersByTimeAsync(100);
    expect(reads).toHaveLength(1);
    stamps.set('a', 2);
    watch.hint(1);
    await vi.advanceTimersByTimeAsync(100);
    expect([await first, reads.length]).toEqual([2, 2]);
    const second = wait('a', 2);
    stamps.set('a', 3);
    watch.hint();
    await vi.advanceTimersByTimeAsync(POLL_MS / 2);
    expect(reads).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(POLL_MS / 2);
    expect([await second, reads.length]).toEqual([3, 3]);
  });

  it('What is gone, and all when it closes, is answered with nothing', async () => {
    const { stamps, watch, wait } = open();
    stamps.set('b', 1);
    const answers = [wait('a', 1), wait('b', 1)];
    await vi.advanceTimersByTimeAsync(100);
    expect(await answers[0]).toBeUndefined();
    watch.close();
    expect([await answers[1], await wait('b', 1)]).toEqual([undefined, undefined]);
  });
});

describe('shared results', () => {
  it('One version is made once, however many ask; another or a forgotten one is made again', async () => {
    const results = new NewestResults<string>(2);
    const make = vi.fn(async () => `result ${make.mock.calls.length}`);
    const ask = (key: string, version: string) => results.get(key, version, make);
    expect(await Promise.all([ask('a', '1'), ask('a', '1')])).toEqual(['result 1', 'result 1']);
    expect(await ask('a', '2')).toBe('result 2');
    expect(await ask('b', '1')).toBe('result 3');
    expect(await ask('a', '2')).toBe('result 2');
    expect(await ask('c', '1')).toBe('result 4');
    expect(await ask('a', '2')).toBe('result 2');
    expect(await ask('b', '1')).toBe('result 5');
  });

  it('A failure is that of the caller who made it', async () => {
    const results = new NewestResults<string>(2);
    const failing = results.get('a', '1', async () => Promise.reject(new Error('gone')));
    const other = results.get('a', '1', async () => 'made again');
    await expect(failing).rejects.toThrow('gone');
    expect(await other).toBe('made again');
  });
});
