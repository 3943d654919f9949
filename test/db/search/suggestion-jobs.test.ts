import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { ensureAccount } from '../../../src/db/accounts/accounts.ts';
import { inTransaction, type Trx } from '../../../src/db/connection/transaction.ts';
import { readSearch } from '../../../src/db/search/search-ledger.ts';
import { claimJobs, listExhaustedJobs, releaseJob, renewLeases } from '../../../src/db/search/suggestion-jobs.ts';
import { writeChange } from '../../../src/db/search/write-search.ts';
import { type LeasedJob, MAXIMUM_JOB_ATTEMPTS } from '../../../src/domain/search/suggestion-job.ts';
import { loadLinearObjective, openTestAccount, type TestAccount } from '../../support/fixtures.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
  // Many of the jobs below belong to no objective: these tests read only the queue.
  await sql`alter table suggestion_jobs drop constraint suggestion_jobs_objective_id_fkey`.execute(account.db);
});
afterAll(() => account.close());

/** A waiting job; the queue is emptied first, so that claims see nothing else. */
async function openOneJob() {
  await sql`delete from suggestion_jobs`.execute(account.db);
  const { path } = await loadLinearObjective(account);
  await requestSuggestion(account.db, account.accountId, path, { requestId: 'request-1' });
}

const claim = (limit = 10) => claimJobs(account.db, { limit, leaseMs: 60_000, workerName: 'test' });
/** Whether the suggestion of a job could be stored. */
async function finish(job: LeasedJob): Promise<boolean> {
  const search = (await readSearch(account.db, job.accountId, job.objectiveId))!;
  const written = await writeChange(account.db, job.accountId, search, {
    lease: job,
    job: { kind: 'ended' },
    computed: {
      inverseId: job.inverseId,
      status: 'active',
      input: [1, 2],
      output: null,
      suggestTimeNs: 1,
      isRepeat: false,
      expected: null,
      basis: 0,
      pending: null,
      chance: null,
      source: null,
      learnedFrom: null,
    },
  });
  return written.kind === 'written';
}
/** Lets all leases run out, by the database's clock. */
const expireLeases = () => sql`update suggestion_jobs set visible_at = now() - interval '1 ms'`.execute(account.db);

/** Waiting jobs, `counts[account]` of each account, in the order of the accounts. Returns the accounts' ids. */
async function openJobsOf(counts: readonly number[]): Promise<number[]> {
  await sql`delete from suggestion_jobs`.execute(account.db);
  const ids: number[] = [];
  for (const count of counts) {
    const accountId = await ensureAccount(account.db, `account ${crypto.randomUUID()}`);
    ids.push(accountId);
    const { path } = await loadLinearObjective({ db: account.db, accountId });
    await requestSuggestion(account.db, accountId, path, { requestId: null });
    await sql`
      insert into suggestion_jobs (account_id, objective_id, inverse_id)
      select ${accountId}::bigint, ${-accountId}::bigint * 100000 - n, 1 from generate_series(2, ${count}::int) n`.execute(
      account.db,
    );
  }
  return ids;
}

const claimAfter = async (afterAccountId: number, limit: number) => {
  const claim = { limit, leaseMs: 60_000, workerName: 'test', afterAccountId };
  return (await claimJobs(account.db, claim)).map((job) => job.accountId);
};

describe('a claim', () => {
  it('A claim serves the accounts round robin, beginning after the one that was served last', async () => {
    const [a, b, c] = (await openJobsOf([4, 2, 1])) as [number, number, number];
    expect(await claimAfter(0, 1)).toEqual([a]);
    expect(await claimAfter(a, 1)).toEqual([b]);
    expect(await claimAfter(b, 1)).toEqual([c]);
    expect(await claimAfter(c, 1)).toEqual([a]);
    expect(await claimAfter(a, 1)).toEqual([b]);
    expect(await claimAfter(b, 1)).toEqual([a]);
    expect(await claimAfter(a, 1)).toEqual([a]);
    expect(await claimAfter(a, 1)).toEqual([]);
  });

  it('A claim takes the first job of each account before the second of any, and fills up from accounts with more', async () => {
    const [a, b, c] = (await openJobsOf([9, 2, 1])) as [number, number, number];
    expect((await claimAfter(b, 6)).sort()).toEqual([a, a, a, b, b, c].sort());
    expect(await claimAfter(b, 9)).toEqual([a, a, a, a, a, a]);
  });

  it.each([1, 2, 3, 4, 5, 7])(
    'After claim of %i jobs, each going on after the last, serves accounts equally',
    async (limit) => {
      const ids = await openJobsOf([15, 15, 15]);
      const served: number[] = [];
      while (served.length < 40) served.push(...(await claimAfter(served.at(-1) ?? 0, limit)));
      expect(served).toEqual(served.map((_, round) => ids[round % ids.length]));
    },
  );

  it('A claim takes the oldest claimable job of an account first', async () => {
    const [a] = (await openJobsOf([3])) as [number];
    await sql`update suggestion_jobs set visible_at = now() - id * interval '1 s'`.execute(account.db);
    const { rows } = await sql<{ id: number }>`select id from suggestion_jobs order by id desc`.execute(account.db);
    const jobs = await claimJobs(account.db, { limit: 3, leaseMs: 60_000, workerName: 'test', afterAccountId: a });
    expect(jobs.map((job) => job.id)).toEqual(rows.map((row) => row.id));
  });

  it('Concurrent claims of several workers hand out every job once, and none is left', async () => {
    await openJobsOf([20, 3, 1, 12]);
    const taken: number[] = [];
    for (let round = 0; round < 12; round++) {
      const jobs = await Promise.all([0, 1, 2].map(() => claim(4)));
      taken.push(...jobs.flat().map((job) => job.id));
    }
    expect(taken).toHaveLength(36);
    expect(new Set(taken).size).toBe(36);
  });

  it('A claim skips accounts whose jobs are leased, delayed or out of attempts', async () => {
    const [a, b, c] = (await openJobsOf([1, 1, 2])) as [number, number, number];
    await sql`update suggestion_jobs set visible_at = now() + interval '1 h' where account_id = ${a}`.execute(
      account.db,
    );
    await sql`update suggestion_jobs set attempts = ${MAXIMUM_JOB_ATTEMPTS} where account_id = ${b}`.execute(
      account.db,
    );
    expect(await claimAfter(0, 5)).toEqual([c, c]);
    const exhausted = await listExhaustedJobs(account.db, 10);
    expect(exhausted.map((job) => job.accountId)).toEqual([b]);
  });

  it('A claim reads few rows, however many wait and whatever the statistics say', async () => {
    await openJobsOf([]);
    await sql`vacuum analyze suggestion_jobs`.execute(account.db);
    for (let run = 0; run < 8; run++) expect(await claim(4)).toEqual([]);
    await openJobsOf([10_000, 1, 1]);
    const scans = async () => {
      const { rows } = await sql<{ read: number; whole: number }>`
        select pg_stat_get_xact_tuples_returned('suggestion_jobs'::regclass)::int as whole,
          pg_stat_get_xact_tuples_fetched('suggestion_jobs'::regclass)::int as read`.execute(trx!);
      return rows[0]!;
    };
    let trx: Trx | undefined;
    const work = await inTransaction(account.db, async (open) => {
      trx = open;
      const before = await scans();
      expect(await claimJobs(open, { limit: 4, leaseMs: 60_000, workerName: 'test' })).toHaveLength(4);
      const after = await scans();
      return { whole: after.whole - before.whole, read: after.read - before.read };
    });
    expect(work.whole).toBe(0);
    expect(work.read).toBeLessThan(100);
  });
});

describe('a lease', () => {
  it('A lease is held by one worker at a time and names the request that asked', async () => {
    await openOneJob();
    const claims = await Promise.all([claim(), claim(), claim(), claim()]);
    expect(claims.flat()).toHaveLength(1);
    expect(claims.flat()[0]).toMatchObject({ attempt: 1, requestId: 'request-1' });
  });

  it('An expired lease goes to the next worker, and the first can neither renew nor finish', async () => {
    await openOneJob();
    const [stale] = await claim();
    await expireLeases();
    const [fresh] = await claim();
    expect(fresh).toMatchObject({ id: stale!.id, attempt: 2 });
    expect(await renewLeases(account.db, [stale!], 60_000)).toEqual(new Set());
    expect(await finish(stale!)).toBe(false);
    expect(await releaseJob(account.db, stale!, { delayMs: 0, error: null, countsAsAttempt: true })).toBe(false);
    expect(await renewLeases(account.db, [stale!, fresh!], 60_000)).toEqual(new Set([fresh!.id]));
    expect(await finish(fresh!)).toBe(true);
  });

  it('An expired lease still allows the write while no other worker has claimed the job', async () => {
    await openOneJob();
    const [job] = await claim();
    await expireLeases();
    expect(await finish(job!)).toBe(true);
    expect(await finish(job!)).toBe(false);
  });

  it('A job handed back at shutdown costs no attempt; one handed back after an error does', async () => {
    await openOneJob();
    const [first] = await claim();
    await releaseJob(account.db, first!, { delayMs: 0, error: null, countsAsAttempt: false });
    const [second] = await claim();
    expect(second).toMatchObject({ attempt: 1 });
    await releaseJob(account.db, second!, { delayMs: 0, error: 'a fault', countsAsAttempt: true });
    expect((await claim())[0]).toMatchObject({ attempt: 2 });
  });

  it('A job is not handed out before its delay has passed, nor after its last attempt', async () => {
    await openOneJob();
    const [job] = await claim();
    await releaseJob(account.db, job!, { delayMs: 60_000, error: 'a fault', countsAsAttempt: true });
    expect(await claim()).toEqual([]);
    await sql`update suggestion_jobs set visible_at = now(), attempts = ${MAXIMUM_JOB_ATTEMPTS}`.execute(account.db);
    expect(await claim()).toEqual([]);
  });

  it('A lease has at most one live holder and each job is finished once, whatever the order of events', async () => {
    const actions = fc.array(
      fc.record({
        action: fc.constantFrom('claim', 'expire', 'renew', 'release', 'finish'),
        holder: fc.nat({ max: 5 }),
      }),
      { minLength: 5, maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        await openOneJob();
        const tokens: LeasedJob[] = [];
        let finished = 0;
        for (const { action, holder } of steps) {
          const job = tokens[holder % Math.max(1, tokens.length)];
          if (action === 'claim') tokens.push(...(await claim()));
          else if (action === 'expire') await expireLeases();
          else if (job === undefined) continue;
          else if (action === 'renew')
            expect((await renewLeases(account.db, tokens, 60_000)).size).toBeLessThanOrEqual(1);
          else if (action === 'finish') finished += (await finish(job)) ? 1 : 0;
          else await releaseJob(account.db, job, { delayMs: 0, error: null, countsAsAttempt: false });
        }
        expect(finished).toBeLessThanOrEqual(1);
        const { rows } = await sql`select 1 from suggestion_jobs`.execute(account.db);
        expect(rows.length + finished).toBe(1);
      }),
      { numRuns: 25 },
    );
  });
});
