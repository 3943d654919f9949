import { once } from 'node:events';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { startSchedule } from '../../src/worker/schedule.ts';

it('a pass under way is told that the process leaves, and is waited for', async () => {
  const began = Promise.withResolvers<AbortSignal>();
  let isDone = false;
  const stop = startSchedule(
    [
      {
        name: 'long',
        cron: '* * * * * *',
        run: async (signal) => {
          began.resolve(signal);
          await once(signal, 'abort');
          isDone = true;
          return {};
        },
      },
    ],
    pino({ level: 'silent' }),
  );
  const signal = await began.promise;
  expect(signal.aborted).toBe(false);
  await stop();
  expect(isDone).toBe(true);
});
