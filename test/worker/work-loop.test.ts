import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Claimed, SHUTDOWN, WorkLoop } from '../../src/worker/work-loop.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const POLL_MS = 1_000;

/** A loop over numbered items. Its claims and its work end when the test resolves them. */
function makeLoop() {
  const claims: (PromiseWithResolvers<Claimed<number>> & { readonly inHand: readonly number[] })[] = [];
  const performed = new Map<number, PromiseWithResolvers<void> & { readonly leaving: AbortSignal }>();
  const errors: unknown[] = [];
  let notify: (() => void) | undefined;
  let isPaused = false;
  const loop = new WorkLoop<number>(
    {
      claim: (inHand) => {
        const claim = Promise.withResolvers<Claimed<number>>();
        claims.push({ ...claim, inHand });
        return claim.promise;
      },
      perform: (item, leaving) => {
        const work = Promise.withResolvers<void>();
        performed.set(item, { ...work, leaving });
        return work.promise;
      },
    },
    {
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
      pollIntervalMs: POLL_MS,
      onClaimError: (error) => errors.push(error),
      isPaused: () => isPaused,
    },
  );
  const setPaused = (paused: boolean) => {
    isPaused = paused;
  };
  /** Ends the newest claim. */
  const bring = async (items: readonly number[], again: Claimed<number>['again'] = 'when-woken') => {
    claims.at(-1)!.resolve({ items, again });
    await settled();
  };
  const finish = async (item: number) => {
    performed.get(item)!.resolve();
    await settled();
  };
  return { loop, claims, performed, errors, setPaused, bring, finish, notify: () => notify?.() };
}

/** Runs everything that does not wait for a timer. */
async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

it('the loop claims when it starts, and once more however often it is woken during that claim', async () => {
  const t = makeLoop();
  t.loop.start();
  t.loop.start();
  for (let i = 0; i < 3; i++) t.notify();
  expect(t.claims).toHaveLength(1);
  await t.bring([]);
  expect(t.claims).toHaveLength(2);
  await t.bring([]);
  await t.loop.stop(0);
  expect(t.claims).toHaveLength(2);
});

it('the loop works on all items together and passes those in hand to the next claim', async () => {
  const t = makeLoop();
  t.loop.start();
  await t.bring([1, 2], 'at-once');
  expect([...t.performed.keys()]).toEqual([1, 2]);
  expect(t.loop.runningCount).toBe(2);
  expect(t.claims.map(({ inHand }) => inHand)).toEqual([[], [1, 2]]);
  await t.finish(1);
  expect(t.loop.runningCount).toBe(1);
});

it('a finished item leads to a claim unless the last claim said that nothing was left', async () => {
  const t = makeLoop();
  t.loop.start();
  await t.bring([1], 'when-finished');
  await t.finish(1);
  expect(t.claims).toHaveLength(2);
  await t.bring([2], 'when-woken');
  await t.finish(2);
  expect(t.claims).toHaveLength(2);
});

it('an item that finishes during a claim leads to another one, since that claim may not have seen its slot', async () => {
  const t = makeLoop();
  t.loop.start();
  await t.bring([1], 'when-woken');
  t.notify();
  await t.finish(1);
  expect(t.claims).toHaveLength(2);
  await t.bring([]);
  expect(t.claims).toHaveLength(3);
});

it.each([0, 1, 2, 3, 4, 5])(
  'a notification %i microtasks after the end of a claim leads to another one',
  async (microtasks) => {
    const t = makeLoop();
    t.loop.start();
    t.claims[0]!.resolve({ items: [], again: 'when-woken' });
    for (let i = 0; i < microtasks; i++) await undefined;
    t.notify();
    await settled();
    expect(t.claims).toHaveLength(2);
  },
);

it('the loop reports a failed claim and claims again when it is woken', async () => {
  const t = makeLoop();
  t.loop.start();
  t.notify();
  t.claims[0]!.reject(new Error('no database'));
  await settled();
  expect(t.claims).toHaveLength(2);
  expect(t.errors).toMatchObject([{ message: 'no database' }]);
});

it('a paused loop claims nothing, whatever wakes it, and resumes at the next poll', async () => {
  const t = makeLoop();
  t.setPaused(true);
  t.loop.start();
  t.notify();
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(t.claims).toHaveLength(0);
  t.setPaused(false);
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(t.claims).toHaveLength(1);
});

it('the loop polls until it is stopped and leaves no timer behind', async () => {
  const t = makeLoop();
  t.loop.start();
  await t.bring([]);
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(t.claims).toHaveLength(2);
  await t.bring([]);
  await t.loop.stop(60_000);
  expect(vi.getTimerCount()).toBe(0);
  t.loop.wake();
  t.loop.start();
  expect(t.claims).toHaveLength(2);
});

it('a stopping loop lets items finish, those of a claim under way included', async () => {
  const t = makeLoop();
  t.loop.start();
  let isStopped = false;
  const stopped = t.loop.stop(10_000).then(() => {
    isStopped = true;
  });
  await t.bring([1], 'at-once');
  expect(isStopped).toBe(false);
  expect(t.performed.get(1)!.leaving.aborted).toBe(false);
  await t.finish(1);
  await stopped;
  expect(t.claims).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

it('once the grace period is over, items in hand and items still claimed are aborted', async () => {
  const t = makeLoop();
  t.loop.start();
  await t.bring([1]);
  t.notify();
  const stopped = t.loop.stop(10_000);
  await vi.advanceTimersByTimeAsync(9_999);
  const { leaving } = t.performed.get(1)!;
  expect(leaving.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(leaving.reason).toBe(SHUTDOWN);
  await t.bring([2]);
  expect(t.performed.get(2)!.leaving.aborted).toBe(true);
  await t.finish(1);
  await t.finish(2);
  await stopped;
});
