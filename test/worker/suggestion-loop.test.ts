import { it, onTestFinished } from 'vitest';
import { makeCheapEngine } from '../../bench/service/cheap-engine.ts';
import { requestSuggestion } from '../../src/application/request-suggestion.ts';
import type { Span, Tracing } from '../../src/telemetry/tracing.ts';
import { SuggestionLoop } from '../../src/worker/suggestion-loop.ts';
import { loadLinearObjective, openTestAccount } from '../support/fixtures.ts';

const span: Span = {
  traceId: '',
  traceParent: '',
  isRecorded: false,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

it('a suggestion that is written is explained, though a renewal finds its job gone', async () => {
  const account = await openTestAccount();
  const { path } = await loadLinearObjective(account);
  await requestSuggestion(account.db, account.accountId, path, { requestId: null });
  const isTakenForLost = Promise.withResolvers<void>();
  const explained = Promise.withResolvers<void>();
  const cheap = makeCheapEngine();
  /** Holds the worker up between the end of the job and its explanation. */
  const tracing: Tracing = {
    begin: () => span,
    inSpan: async (_start, work) => {
      const outcome = await work(span);
      await isTakenForLost.promise;
      return outcome;
    },
    close: async () => undefined,
  };
  const loop = new SuggestionLoop({
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
    graceMs: 5_000,
    tracing,
  });
  onTestFinished(async () => {
    await loop.stop();
    await account.close();
  });
  loop.start();
  await explained.promise;
});
