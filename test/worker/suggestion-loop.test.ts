import { expect, it, onTestFinished } from 'vitest';
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { connectTo } from '../../harness/database-handle.ts';
import { requestSuggestion } from '../../src/application/search/suggest.ts';
import type { AroundJob } from '../../src/telemetry/traced.ts';
import { makeSuggestionLoop } from '../../src/worker/suggestion-loop.ts';
import { loadLinearObjective, openTestAccount } from '../support/fixtures.ts';

it('a suggestion is explained even if a renewal finds that its job is gone', async () => {
  const account = await openTestAccount();
  const { path } = await loadLinearObjective(account);
  await requestSuggestion(account.db, account.accountId, path, { requestId: null });
  const isTakenForLost = Promise.withResolvers<void>();
  const explained = Promise.withResolvers<void>();
  const cheap = makeCheapEngine();
  /** Delays the worker between the end of the job and its explanation. */
  const aroundJob: AroundJob = async (_job, compute) => {
    const outcome = await compute();
    await isTakenForLost.promise;
    return outcome;
  };
  const loop = makeSuggestionLoop({
    db: account.db,
    listener: { subscribe: () => () => undefined },
    engine: {
      ...cheap,
      suggest: (request, signal) => {
        signal.addEventListener('abort', () => isTakenForLost.resolve());
        return cheap.suggest(request, signal);
      },
      explain: (request, signal) => {
        signal.throwIfAborted();
        explained.resolve();
        return cheap.explain(request, signal);
      },
    },
    log: { info: () => undefined, warn: (facts) => explained.reject(facts), error: () => undefined },
    workerName: 'test',
    workLimit: 1,
    concurrency: 1,
    leaseMs: 3_000,
    pollIntervalMs: 10,
    aroundJob,
  });
  onTestFinished(async () => {
    await loop.stop(5_000);
    await account.close();
  });
  loop.start();
  await explained.promise;
});

/** A worker with one slot and no poll. Its computations end when the test resolves them, and its claims are counted. */
async function makeLoop() {
  const account = await openTestAccount();
  let claims = 0;
  const db = connectTo(account.url, {
    poolSize: 5,
    aroundStatement: (text, run) => {
      if (text.includes('claim_jobs')) claims += 1;
      return run();
    },
  });
  const cheap = makeCheapEngine();
  const computing: PromiseWithResolvers<void>[] = [];
  let computed = 0;
  let notify: (payload: string) => void = () => undefined;
  const note = (_facts: object, event: string) => {
    if (event === 'suggestion.computed') computed += 1;
  };
  const loop = makeSuggestionLoop({
    db,
    listener: {
      subscribe: (_channel, notified) => {
        notify = notified;
        return () => undefined;
      },
    },
    engine: {
      ...cheap,
      suggest: async (request, signal) => {
        const end = Promise.withResolvers<void>();
        computing.push(end);
        signal.addEventListener('abort', () => end.reject(signal.reason));
        await end.promise;
        return cheap.suggest(request, signal);
      },
    },
    log: { info: note, warn: note, error: note },
    workerName: 'test',
    workLimit: 1,
    concurrency: 1,
    leaseMs: 60_000,
    pollIntervalMs: 3_600_000,
  });
  onTestFinished(async () => {
    for (const { resolve } of computing) resolve();
    await loop.stop(5_000);
    await db.destroy();
    await account.close();
  });
  const open = async () => {
    const { path } = await loadLinearObjective(account);
    await requestSuggestion(account.db, account.accountId, path, { requestId: null });
  };
  return { db, loop, open, computing, notify: () => notify(''), claims: () => claims, computed: () => computed };
}

it('a worker claims the jobs that its last claim left, and stops claiming when a claim finds too few', async () => {
  const t = await makeLoop();
  await t.open();
  await t.open();
  t.loop.start();
  for (const n of [0, 1]) {
    await expect.poll(() => t.computing.length).toBe(n + 1);
    t.computing[n]!.resolve();
  }
  await expect.poll(() => t.loop.runningCount).toBe(0);
  expect(t.computed()).toBe(2);
  // The third claim finds nothing: only a notification or a poll leads to another.
  await expect.poll(t.claims).toBe(3);
  await t.open();
  t.notify();
  await expect.poll(() => t.computing.length).toBe(3);
  expect(t.claims()).toBe(4);
});

it('a worker that is notified of a job while all slots are taken claims it when a slot becomes free', async () => {
  const t = await makeLoop();
  t.loop.start();
  await expect.poll(t.claims).toBe(1);
  await t.open();
  t.notify();
  await expect.poll(() => t.computing.length).toBe(1);
  await t.open();
  t.notify();
  t.computing[0]!.resolve();
  await expect.poll(() => t.computing.length).toBe(2);
});

it('a worker that stops hands back jobs that exceed the grace period, without counting an attempt', async () => {
  const t = await makeLoop();
  await t.open();
  t.loop.start();
  await expect.poll(() => t.computing.length).toBe(1);
  await t.loop.stop(50);
  expect(t.computed()).toBe(0);
  const jobs = await t.db.selectFrom('suggestion_jobs').select(['state', 'attempts']).execute();
  expect(jobs).toEqual([{ state: 'waiting', attempts: 0 }]);
});
