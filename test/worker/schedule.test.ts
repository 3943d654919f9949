import { once } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ScheduledTask, startSchedule } from '../../src/worker/schedule.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

const EVERY_SECOND = '* * * * * *';

function start(run: ScheduledTask['run']) {
  const logged: { readonly level: string; readonly facts: object; readonly event: string }[] = [];
  const note = (level: string) => (facts: object, event: string) => logged.push({ level, facts, event });
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  return { logged, stop: startSchedule([{ name: 'tidy up', cron: EVERY_SECOND, run }], log) };
}

it('a pass runs when it is due, and its counts are logged when it did something', async () => {
  let passes = 0;
  const t = start(async () => {
    passes += 1;
    return { removed: passes === 2 ? 7 : 0 };
  });
  await vi.advanceTimersByTimeAsync(3_000);
  await t.stop();
  expect(passes).toBe(3);
  expect(t.logged).toEqual([{ level: 'info', facts: { task: 'tidy up', removed: 7 }, event: 'schedule.done' }]);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(passes).toBe(3);
  expect(vi.getTimerCount()).toBe(0);
});

it('a failed pass is logged, and the next one runs all the same', async () => {
  let passes = 0;
  const t = start(async () => {
    passes += 1;
    if (passes === 1) throw new Error('no database');
    return {};
  });
  await vi.advanceTimersByTimeAsync(2_000);
  await t.stop();
  expect(passes).toBe(2);
  expect(t.logged).toMatchObject([
    { level: 'warn', facts: { task: 'tidy up', err: { message: 'no database' } }, event: 'schedule.failed' },
  ]);
});

it('a pass that is still running is not started a second time', async () => {
  const end = Promise.withResolvers<void>();
  let passes = 0;
  const t = start(async () => {
    passes += 1;
    await end.promise;
    return {};
  });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(passes).toBe(1);
  expect(t.logged.map(({ event }) => event)).toContain('schedule.notice');
  end.resolve();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(passes).toBe(2);
  await t.stop();
});

it('a shutdown signals a pass under way and waits for it', async () => {
  let isDone = false;
  let signal: AbortSignal | undefined;
  const t = start(async (given) => {
    signal = given;
    await once(given, 'abort');
    isDone = true;
    return {};
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(signal!.aborted).toBe(false);
  await t.stop();
  expect(isDone).toBe(true);
});
