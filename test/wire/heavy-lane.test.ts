import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HeavyLane } from '../../src/http/fairness/heavy-lane.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the lane of heavy work', () => {
  it('lets an account in at once, then makes it rest for twice as long as it worked', async () => {
    const lane = new HeavyLane();
    const leave = await lane.enter(1);
    let isSecondIn = false;
    const second = lane.enter(1).then((leaveAgain) => {
      isSecondIn = true;
      return leaveAgain;
    });
    await vi.advanceTimersByTimeAsync(100);
    leave();
    await vi.advanceTimersByTimeAsync(199);
    expect(isSecondIn).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isSecondIn).toBe(true);
    (await second)();
  });

  it('makes nobody wait for another account', async () => {
    const lane = new HeavyLane();
    await lane.enter(1);
    const leave = await lane.enter(2);
    leave();
  });

  it('goes on after work that failed, in the order in which the work came', async () => {
    const lane = new HeavyLane();
    const order: number[] = [];
    const pieces = [1, 2, 3].map((number) =>
      lane.run(7, async () => {
        order.push(number);
        if (number === 1) throw new Error('failed');
      }),
    );
    await expect(pieces[0]).rejects.toThrow('failed');
    await vi.runAllTimersAsync();
    await Promise.all(pieces.slice(1));
    expect(order).toEqual([1, 2, 3]);
    await vi.runAllTimersAsync();
    await turn();
    expect(vi.getTimerCount()).toBe(0);
  });
});
