import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCheapEngine } from '../../bench/service/cheap-engine.ts';
import { requestSuggestion } from '../../src/application/request-suggestion.ts';
import { ensureAccount } from '../../src/db/accounts.ts';
import { SuggestionLoop } from '../../src/worker/suggestion-loop.ts';
import { loadLinearObjective, openTestAccount, type TestAccount } from '../support/fixtures.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());

/** Opens suggestions of `counts[i]` objectives of the i-th account, one account after the other. */
async function queue(counts: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const ownerOf = new Map<number, number>();
  for (const [owner, count] of counts.entries()) {
    const accountId = await ensureAccount(account.db, `account ${crypto.randomUUID()}`);
    for (let n = 0; n < count; n++) {
      const { path } = await loadLinearObjective({ db: account.db, accountId });
      await requestSuggestion(account.db, accountId, path, { requestId: null });
      ownerOf.set(path.objectiveId, owner);
    }
  }
  return ownerOf;
}

/** Runs a worker until `count` suggestions are computed; returns whose they were, in order. */
async function work(ownerOf: ReadonlyMap<number, number>, concurrency: number): Promise<readonly number[]> {
  const done: number[] = [];
  const finished = Promise.withResolvers<void>();
  const note = (facts: object, event: string) => {
    if (event !== 'suggestion.computed') return;
    done.push(ownerOf.get((facts as { objectiveId: number }).objectiveId)!);
    if (done.length === ownerOf.size) finished.resolve();
  };
  const loop = new SuggestionLoop({
    db: account.db,
    listener: { subscribe: () => () => undefined },
    engine: makeCheapEngine(),
    log: { info: note, warn: note, error: note },
    workerName: 'test',
    workLimit: 1,
    concurrency,
    leaseMs: 60_000,
    pollIntervalMs: 10,
    graceMs: 5_000,
  });
  loop.start();
  await finished.promise;
  await loop.stop();
  return done;
}

it('an account that came last with little is served in turns with one that queued much before', async () => {
  const done = await work(await queue([30, 3]), 1);
  expect(done.slice(0, 6).filter((owner) => owner === 1)).toHaveLength(3);
});

it('accounts that queued much share the worker evenly, however many places it has', async () => {
  const done = await work(await queue([20, 20, 5]), 4);
  // Without turns its five would be the last of the 45.
  expect(done.slice(0, 30).filter((owner) => owner === 2)).toHaveLength(5);
  for (const owner of [0, 1]) {
    expect(done.slice(0, 30).filter((one) => one === owner).length).toBeGreaterThanOrEqual(10);
  }
});

it('an account alone has all places', async () => {
  expect(await work(await queue([12]), 4)).toHaveLength(12);
});
