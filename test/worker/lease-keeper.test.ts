import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LEASE_LOST, LeaseKeeper } from '../../src/worker/lease-keeper.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const LEASE_MS = 3_000;
/** A third of the lease. */
const RENEWAL_MS = 1_000;

const jobOf = (id: number, leaseToken = `token of ${id}`) => ({ id, leaseToken });

/** A keeper whose renewals answer with the given ids, or fail. */
function makeKeeper() {
  const renewals: number[][] = [];
  const errors: unknown[] = [];
  let answer: (ids: readonly number[]) => Promise<ReadonlySet<number>> = async (ids) => new Set(ids);
  const keeper = new LeaseKeeper({
    leaseMs: LEASE_MS,
    renew: (held) => {
      const ids = held.map(({ id }) => id);
      renewals.push(ids);
      return answer(ids);
    },
    onError: (error) => errors.push(error),
  });
  const hold = (job: ReturnType<typeof jobOf>) => {
    const controller = new AbortController();
    keeper.hold(job, controller);
    return controller.signal;
  };
  const answerWith = (next: typeof answer) => {
    answer = next;
  };
  return { keeper, renewals, errors, hold, answerWith };
}

it('all leases are renewed together three times within their length, until they are let go', async () => {
  const t = makeKeeper();
  t.hold(jobOf(1));
  await vi.advanceTimersByTimeAsync(RENEWAL_MS - 1);
  t.hold(jobOf(2));
  expect(t.renewals).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(t.renewals).toEqual([[1, 2]]);
  t.keeper.letGo(jobOf(1));
  await vi.advanceTimersByTimeAsync(2 * RENEWAL_MS);
  expect(t.renewals).toEqual([[1, 2], [2], [2]]);
  t.keeper.letGo(jobOf(2));
  expect(vi.getTimerCount()).toBe(0);
});

it('a lease that another worker has taken over aborts its computation and no other', async () => {
  const t = makeKeeper();
  const [lost, kept] = [t.hold(jobOf(1)), t.hold(jobOf(2))];
  t.answerWith(async () => new Set([2]));
  await vi.advanceTimersByTimeAsync(RENEWAL_MS);
  expect(lost.reason).toBe(LEASE_LOST);
  expect(kept.aborted).toBe(false);
});

it('a failed renewal aborts nothing and is tried again', async () => {
  const t = makeKeeper();
  const signal = t.hold(jobOf(1));
  t.answerWith(async () => {
    throw new Error('no database');
  });
  await vi.advanceTimersByTimeAsync(RENEWAL_MS);
  expect(t.errors).toMatchObject([{ message: 'no database' }]);
  t.answerWith(async (ids) => new Set(ids));
  await vi.advanceTimersByTimeAsync(RENEWAL_MS);
  expect(t.renewals).toHaveLength(2);
  expect(signal.aborted).toBe(false);
});

it('a renewal that takes long is not started a second time, and the next follows a third of the lease later', async () => {
  const t = makeKeeper();
  const renewal = Promise.withResolvers<ReadonlySet<number>>();
  t.hold(jobOf(1));
  t.answerWith(() => renewal.promise);
  await vi.advanceTimersByTimeAsync(RENEWAL_MS);
  t.hold(jobOf(2));
  await vi.advanceTimersByTimeAsync(5 * RENEWAL_MS);
  expect(t.renewals).toEqual([[1]]);
  renewal.resolve(new Set([1]));
  await vi.advanceTimersByTimeAsync(RENEWAL_MS);
  expect(t.renewals).toEqual([[1], [1, 2]]);
});

it('a job that returns under a new lease aborts the computation under its old lease, which cannot let go of the new one', async () => {
  const t = makeKeeper();
  const [before, after] = [jobOf(1, 'old'), jobOf(1, 'new')];
  const old = t.hold(before);
  const current = t.hold(after);
  expect(old.reason).toBe(LEASE_LOST);
  t.keeper.letGo(before);
  await vi.advanceTimersByTimeAsync(RENEWAL_MS);
  expect(t.renewals).toEqual([[1]]);
  expect(current.aborted).toBe(false);
  t.keeper.letGo(after);
  expect(vi.getTimerCount()).toBe(0);
});

it('a lease let go during its last renewal leaves no timer behind', async () => {
  const t = makeKeeper();
  const renewal = Promise.withResolvers<ReadonlySet<number>>();
  t.answerWith(() => renewal.promise);
  const signal = t.hold(jobOf(1));
  await vi.advanceTimersByTimeAsync(RENEWAL_MS);
  t.keeper.letGo(jobOf(1));
  renewal.resolve(new Set([1]));
  await vi.advanceTimersByTimeAsync(0);
  expect(signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
