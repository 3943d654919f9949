/** Simultaneous requests do not exceed what an account may hold. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeWithin } from '../../../src/application/accounts/account-limits.ts';
import { loadObjectives } from '../../../src/application/search/load-objectives.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { createWebhook, MAXIMUM_WEBHOOKS } from '../../../src/application/webhooks/manage-webhooks.ts';
import { lockAccount } from '../../../src/db/accounts/accounts.ts';
import { inTransaction } from '../../../src/db/connection/transaction.ts';
import { lockObjective } from '../../../src/db/search/objectives.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import { makeUrlJudge } from '../../../src/outside/webhooks/target-guard.ts';
import { LINEAR_OBJECTIVE, loadLinearObjective, openTestAccount, type TestAccount } from '../../support/fixtures.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());

/** Runs all together; returns how many succeeded and the codes of the refusals. */
async function race(works: readonly (() => Promise<unknown>)[]) {
  const outcomes = await Promise.allSettled(works.map((work) => work()));
  const refusals = outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [];
    if (!(outcome.reason instanceof DomainError)) throw outcome.reason;
    return [outcome.reason.code];
  });
  return { done: outcomes.length - refusals.length, refusedWith: [...new Set(refusals)] };
}

const times = (count: number, work: (k: number) => Promise<unknown>) =>
  Array.from({ length: count }, (_, k) => () => work(k));

const ANYTHING = { openObjectives: 0, queuedSuggestions: 0, cases: 0, cells: 0, storedBytes: 0, storedRows: 0 };

it(`Of eighty webhooks created together ${MAXIMUM_WEBHOOKS} are accepted`, async () => {
  const deps = { db: account.db, judgeUrl: makeUrlJudge({ allowPrivate: false }) };
  const webhook = { url: 'https://receiver.example/', description: null, eventNames: null };
  const raced = await race(times(80, () => createWebhook(deps, account.accountId, webhook)));
  expect(raced).toEqual({ done: MAXIMUM_WEBHOOKS, refusedWith: ['LIMIT_REACHED'] });
  expect((await sql`select from webhooks`.execute(account.db)).rows).toHaveLength(MAXIMUM_WEBHOOKS);
  await sql`delete from webhooks`.execute(account.db);
});

it('Of objectives loaded together on several trials no more are accepted than may run', async () => {
  const trials = await Promise.all(times(8, () => loadLinearObjective(account)).map((load) => load()));
  const load = (k: number) => {
    const { trial } = trials[k % trials.length] as Awaited<ReturnType<typeof loadLinearObjective>>;
    return loadObjectives(account.db, account.accountId, { trialId: trial.id }, LINEAR_OBJECTIVE, {
      ...ANYTHING,
      openObjectives: 8 + 3,
    });
  };
  expect(await race(times(40, load))).toEqual({ done: 3, refusedWith: ['LIMIT_REACHED'] });
});

it('Of suggestions requested together no more are queued than the limit', async () => {
  const objectives: { readonly objectiveId: number }[] = [];
  for (let k = 0; k < 20; k++) objectives.push((await loadLinearObjective(account)).path);
  const ask = (k: number) =>
    requestSuggestion(account.db, account.accountId, objectives[k]!, {
      requestId: null,
      limits: { ...ANYTHING, queuedSuggestions: 5 },
    });
  expect(await race(times(20, ask))).toEqual({ done: 5, refusedWith: ['QUEUE_FULL'] });
  const opened = await sql`select from inverses where iteration = 2`.execute(account.db);
  expect(opened.rows).toHaveLength(5);
});

it('A suggestion near the limit that waits for its objective does not hold up those of other objectives', async () => {
  const { db, accountId } = account;
  const { path: locked } = await loadLinearObjective(account);
  const { path: free } = await loadLinearObjective(account);
  const limits = { ...ANYTHING, queuedSuggestions: 500 };
  const ask = (path: { readonly objectiveId: number }) =>
    requestSuggestion(db, accountId, path, { requestId: null, limits });
  let waiting: ReturnType<typeof ask> | undefined;
  await inTransaction(db, async (trx) => {
    await lockObjective(trx, accountId, locked.objectiveId);
    waiting = ask(locked);
    const isWaiting = async () => {
      const { rows } = await sql`
        select from pg_locks l join pg_stat_activity a using (pid)
        where not l.granted and a.datname = current_database()`.execute(db);
      return rows.length;
    };
    await expect.poll(isWaiting).toBe(1);
    // Locks that the suggestions of other objectives need.
    await sql`set local lock_timeout = '100ms'`.execute(trx);
    await lockAccount(trx, accountId);
  });
  expect((await waiting)?.inverse.iteration).toBe(2);
  expect((await ask(free)).inverse.iteration).toBe(2);
});

it('Transactions do not wait for each other while the limit is far away', async () => {
  const isTaken = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const asked: number[] = [];
  const take = async (limit: number) => {
    asked.push(limit);
    return limit < 5_000;
  };
  const first = inTransaction(account.db, async (trx) => {
    await takeWithin(trx, account.accountId, 500, take);
    isTaken.resolve();
    await mayEnd.promise;
  });
  await isTaken.promise;
  // The first holds the account's row; far from the limit, no request needs it.
  await inTransaction(account.db, (trx) => takeWithin(trx, account.accountId, 2_000, take));
  await inTransaction(account.db, (trx) => takeWithin(trx, account.accountId, 0, take));
  mayEnd.resolve();
  await first;
  expect(await inTransaction(account.db, (trx) => takeWithin(trx, account.accountId, 6_001, take))).toBe(false);
  expect(asked).toEqual([500, 1_000, 0, 5_001, 6_001]);
});
