import { expect, it, vi } from 'vitest';
import { ClaimLoop } from '../../src/worker/claim-loop.ts';

/** A loop whose passes end when the test says so. */
function makeLoop() {
  const passes: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  let notify: (() => void) | undefined;
  let isPaused = false;
  const loop = new ClaimLoop({
    listener: {
      subscribe: (_channel, notified) => {
        if (notify !== undefined) throw new Error('subscribed twice');
        notify = () => notified('');
        return () => {
          notify = undefined;
        };
      },
    },
    channel: 'test',
    pollIntervalMs: 1_000,
    claim: () => {
      const pass = Promise.withResolvers<void>();
      passes.push(pass);
      return pass.promise;
    },
    onError: (error) => errors.push(error),
    isPaused: () => isPaused,
  });
  const setPaused = (paused: boolean) => {
    isPaused = paused;
  };
  return { loop, passes, errors, setPaused, notify: () => notify?.() };
}

it('claims at its start, and once more however often it was woken meanwhile', async () => {
  const t = makeLoop();
  t.loop.start();
  t.loop.start();
  for (let i = 0; i < 3; i++) t.notify();
  expect(t.passes).toHaveLength(1);
  t.passes[0]!.resolve();
  await expect.poll(() => t.passes.length).toBe(2);
  t.passes[1]!.resolve();
  await t.loop.stop();
  expect(t.passes).toHaveLength(2);
});

it('goes on after a pass that failed', async () => {
  const t = makeLoop();
  t.loop.start();
  t.notify();
  t.passes[0]!.reject(new Error('no database'));
  await expect.poll(() => t.passes.length).toBe(2);
  expect(t.errors).toMatchObject([{ message: 'no database' }]);
  t.passes[1]!.resolve();
  await t.loop.stop();
});

it('stops when the pass under way has ended, and neither claims nor starts again', async () => {
  const t = makeLoop();
  t.loop.start();
  let isStopped = false;
  const stopped = t.loop.stop().then(() => {
    isStopped = true;
  });
  t.loop.wake();
  await Promise.resolve();
  expect(isStopped).toBe(false);
  t.passes[0]!.resolve();
  await stopped;
  t.loop.wake();
  t.loop.start();
  expect(t.passes).toHaveLength(1);
});

it('claims nothing while it is paused, whoever wakes it, and goes on at the next poll', async () => {
  vi.useFakeTimers();
  try {
    const t = makeLoop();
    t.setPaused(true);
    t.loop.start();
    t.notify();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(t.passes).toHaveLength(0);
    t.setPaused(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(t.passes).toHaveLength(1);
    t.passes[0]!.resolve();
    await t.loop.stop();
  } finally {
    vi.useRealTimers();
  }
});

it('polls, until it is stopped', async () => {
  vi.useFakeTimers();
  try {
    const t = makeLoop();
    t.loop.start();
    t.passes[0]!.resolve();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(t.passes).toHaveLength(2);
    t.passes[1]!.resolve();
    await t.loop.stop();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
