import { expect, it } from 'vitest';
import { ProcessSlots } from '../../../src/outside/workbooks/process-slots.ts';

it('accounts take turns: one that waits with a single workbook is served before the second of another', async () => {
  const slots = new ProcessSlots(2, () => undefined);
  const served: string[] = [];
  const ask = (accountId: number, name: string) =>
    slots.enter(accountId).then((release) => {
      served.push(name);
      return release;
    });
  const [first, second] = await Promise.all([ask(1, 'a1'), ask(1, 'a2')]);
  const third = ask(1, 'a3');
  const other = ask(2, 'b1');
  first();
  second();
  (await other)();
  (await third)();
  expect(served).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('an account with too many that wait is refused, and others are not', async () => {
  const slots = new ProcessSlots(1, () => undefined);
  const release = await slots.enter(1);
  const served: number[] = [];
  const ask = (accountId: number) =>
    slots.enter(accountId).then((leave) => {
      served.push(accountId);
      leave();
    });
  const waiting = Array.from({ length: 8 }, () => ask(1));
  await expect(slots.enter(1)).rejects.toMatchObject({ code: 'ACCOUNT_BUSY' });
  const other = ask(2);
  release();
  await Promise.all([...waiting, other]);
  // With a single process as well, it waits for one of them and not for all.
  expect(served.slice(0, 2)).toEqual([1, 2]);
  expect(served).toHaveLength(9);
});

it('who leaves while waiting takes no slot, and a slot is given back once', async () => {
  const slots = new ProcessSlots(1, () => undefined);
  const release = await slots.enter(1);
  const leaving = new AbortController();
  const left = slots.enter(2, leaving.signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  release();
  release();
  expect(slots.isAwaited).toBe(false);
  const next = await slots.enter(3);
  const after = slots.enter(4);
  expect(slots.isAwaited).toBe(true);
  next();
  (await after)();
});
