/**
 * Tests the order of claims, which decides who is served: a job that waits for a connection may be computed after jobs
 * that were claimed later.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCheapEngine } from '../../../harness/cheap-engine.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { ensureAccount } from '../../../src/db/accounts/accounts.ts';
import { makeSuggestionLoop } from '../../../src/worker/suggestion-loop.ts';
import { loadLinearObjective, openTestAccount, type TestAccount } from '../../support/fixtures.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
  await sql`
    create table claimed_jobs (id bigint generated always as identity, claim xid8 not null, objective_id bigint not null)`.execute(
    account.db,
  );
  await sql`
    create function note_claim() returns trigger language plpgsql as $$
    begin
      insert into claimed_jobs (claim, objective_id) values (pg_current_xact_id(), new.objective_id);
      return null;
    end $$`.execute(account.db);
  await sql`
    create trigger note_claim after update on suggestion_jobs for each row
    when (new.lease_token is distinct from old.lease_token and new.state = 'leased')
    execute function note_claim()`.execute(account.db);
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

/** Runs a worker until all suggestions are computed; returns its claims in order, each as the owners of its jobs. */
async function work(
  ownerOf: ReadonlyMap<number, number>,
  concurrency: number,
): Promise<readonly (readonly number[])[]> {
  await sql`truncate claimed_jobs`.execute(account.db);
  let computed = 0;
  const finished = Promise.withResolvers<void>();
  const note = (_facts: object, event: string) => {
    if (event === 'suggestion.computed') computed += 1;
    if (computed === ownerOf.size) finished.resolve();
  };
  const loop = makeSuggestionLoop({
    db: account.db,
    listener: { subscribe: () => () => undefined },
    engine: makeCheapEngine(),
    log: { info: note, warn: note, error: note },
    workerName: 'test',
    workLimit: 1,
    concurrency,
    leaseMs: 60_000,
    pollIntervalMs: 10,
  });
  loop.start();
  await finished.promise;
  await loop.stop(5_000);
  const { rows } = await sql<{ objectiveIds: number[] }>`
    select array_agg(objective_id) as "objectiveIds" from claimed_jobs group by claim order by min(id)`.execute(
    account.db,
  );
  return rows.map(({ objectiveIds }) => objectiveIds.map((id) => ownerOf.get(Number(id))!));
}

it('An account that came last with few jobs is served round robin with one that queued many before', async () => {
  const claims = await work(await queue([30, 3]), 1);
  expect(claims.flat().slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1]);
});

it('Accounts that queued many jobs share the worker evenly, however many slots it has', async () => {
  const claims = await work(await queue([20, 20, 5]), 4);
  // Five rounds of three accounts. Until the claim that completes them no account is more than the current round ahead.
  const contested = 15;
  const served = [0, 0, 0];
  let jobs = 0;
  for (const [index, claim] of claims.entries()) {
    for (const owner of claim) served[owner]! += 1;
    jobs += claim.length;
    if (jobs >= contested) break;
    const lead = Math.max(...served) - Math.min(...served);
    expect(lead, `${served} after ${index + 1} claims`).toBeLessThanOrEqual(1);
  }
  expect(served[2]).toBe(5);
});

it('A single account gets all slots', async () => {
  const claims = await work(await queue([12]), 4);
  expect(claims[0]).toHaveLength(4);
  expect(claims.flat()).toHaveLength(12);
});
