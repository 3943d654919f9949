import { describe, expect, it } from 'vitest';
import { type ComputationLimits, Computations } from '../../src/application/computations.ts';

const NOBODY_LEAVES = new AbortController().signal;

/** Answers whose computations end when the test says so. */
function open(limits: Partial<ComputationLimits> = {}) {
  const answers = new Computations({ running: 2, waiting: 3, waitingPerAccount: 2, kept: 2, ...limits });
  const begun: string[] = [];
  const aborted: string[] = [];
  const ends = new Map<string, { readonly resolve: () => void; readonly reject: (error: Error) => void }>();
  const ask = (accountId: number, asked: string, signal = NOBODY_LEAVES, key = asked) =>
    answers.get({ accountId, key }, signal, async (giveUp) => {
      begun.push(asked);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      ends.set(asked, { resolve, reject });
      giveUp.addEventListener('abort', () => {
        aborted.push(asked);
        reject(new DOMException('aborted', 'AbortError'));
      });
      await promise;
      return { ok: true, result: `${asked} of ${accountId}` };
    });
  return { ask, begun, aborted, end: (asked: string) => ends.get(asked)!.resolve(), ends };
}

describe('computations that clients wait for', () => {
  it('run one after the other for an account, and beside those of others', async () => {
    const { ask, begun, end } = open();
    const asked = [ask(1, 'a'), ask(1, 'b'), ask(2, 'c'), ask(3, 'd')];
    await expect.poll(() => begun).toEqual(['a', 'c']);
    end('a');
    expect(await asked[0]).toBe('a of 1');
    // An account that has computed nothing comes first.
    await expect.poll(() => begun).toEqual(['a', 'c', 'd']);
    end('c');
    await expect.poll(() => begun).toEqual(['a', 'c', 'd', 'b']);
    end('b');
    end('d');
    expect(await Promise.all(asked)).toEqual(['a of 1', 'b of 1', 'c of 2', 'd of 3']);
  });

  it('run for the accounts in turn, however many wait for one of them', async () => {
    const { ask, begun, end } = open({ running: 1, waitingPerAccount: 3, waiting: 4 });
    const asked = [ask(1, 'a'), ask(1, 'b'), ask(1, 'c'), ask(2, 'd')];
    for (const one of ['a', 'd', 'b', 'c']) {
      await expect.poll(() => begun.at(-1)).toBe(one);
      end(one);
    }
    await Promise.all(asked);
  });

  it('are refused past the limits of an account and of the process', async () => {
    const { ask, begun, end } = open();
    const asked = [ask(1, 'a'), ask(1, 'b'), ask(1, 'c')];
    const busy = { code: 'OVERLOADED', facts: { retryAfterSeconds: 2 } };
    await expect(ask(1, 'd')).rejects.toMatchObject(busy);
    // Another account is served all the same, until all that may wait do.
    asked.push(ask(2, 'e'), ask(2, 'f'));
    await expect(ask(3, 'g')).rejects.toMatchObject(busy);
    for (const one of ['a', 'e', 'b', 'f', 'c']) {
      await expect.poll(() => begun).toContain(one);
      end(one);
    }
    expect(await Promise.all(asked)).toHaveLength(5);
  });

  it('are shared and kept, and other questions are computed', async () => {
    const { ask, begun, end } = open();
    const both = [ask(1, 'a'), ask(1, 'a')];
    await expect.poll(() => begun).toEqual(['a']);
    end('a');
    expect(await Promise.all(both)).toEqual(['a of 1', 'a of 1']);
    expect(await ask(1, 'a')).toBe('a of 1');
    const changed = ask(1, 'a', NOBODY_LEAVES, 'a of other data');
    const other = ask(2, 'a');
    await expect.poll(() => begun).toEqual(['a', 'a', 'a']);
    end('a');
    expect(await other).toBe('a of 2');
    expect(await Promise.race([changed, 'open'])).toBe('open');
  });

  it('end when no request waits for them any more, and let the account continue', async () => {
    const { ask, begun, aborted, end } = open();
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const gone = new Error('gone');
    const running = [ask(1, 'a', first.signal), ask(1, 'a', second.signal)];
    const waiting = ask(1, 'b', third.signal);
    const last = ask(1, 'c');
    await expect.poll(() => begun).toEqual(['a']);
    third.abort(gone);
    await expect(waiting).rejects.toBe(gone);
    first.abort(gone);
    await expect(running[0]).rejects.toBe(gone);
    expect(aborted).toEqual([]);
    second.abort(gone);
    await expect(running[1]).rejects.toBe(gone);
    await expect.poll(() => begun).toEqual(['a', 'c']);
    expect(aborted).toEqual(['a']);
    // A new question is not answered with what was given up.
    const again = ask(1, 'a');
    end('c');
    expect(await last).toBe('c of 1');
    await expect.poll(() => begun).toEqual(['a', 'c', 'a']);
    end('a');
    expect(await again).toBe('a of 1');
  });

  it('that take too long are refused, and faults of the engine are errors; neither is kept', async () => {
    const { ask, begun, end, ends } = open();
    const slow = ask(1, 'a');
    await expect.poll(() => begun).toEqual(['a']);
    ends.get('a')!.reject(new DOMException('time limit', 'TimeoutError'));
    await expect(slow).rejects.toMatchObject({ code: 'OVERLOADED' });
    const wrong = ask(1, 'a');
    await expect.poll(() => begun).toEqual(['a', 'a']);
    ends.get('a')!.reject(new Error('singular'));
    await expect(wrong).rejects.toThrow('singular');
    const right = ask(1, 'a');
    await expect.poll(() => begun).toEqual(['a', 'a', 'a']);
    end('a');
    expect(await right).toBe('a of 1');
  });
});
