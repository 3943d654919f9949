import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HeavyLane } from '../../src/http/fairness/heavy-lane.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the heavy lane', () => {
  it('The lane admits an account immediately, then makes it rest for twice as long as it worked', async () => {
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

  it('The lane makes no account wait for another', async () => {
    const lane = new HeavyLane();
    await lane.enter(1);
    const leave = await lane.enter(2);
    leave();
  });

  it('The lane takes pieces in the order of arrival and forgets an account that is done', async () => {
    const lane = new HeavyLane();
    const order: number[] = [];
    const pieces = [1, 2, 3].map(async (number) => {
      const leave = await lane.enter(7);
      order.push(number);
      leave();
    });
    await vi.runAllTimersAsync();
    await Promise.all(pieces);
    expect(order).toEqual([1, 2, 3]);
    await vi.runAllTimersAsync();
    await turn();
    expect(vi.getTimerCount()).toBe(0);
  });
});
