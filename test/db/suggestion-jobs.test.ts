import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestSuggestion } from '../../src/application/request-suggestion.ts';
import { claimJobs, finishJob, releaseJob, renewLeases } from '../../src/db/suggestion-jobs.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { type LeasedJob, MAXIMUM_JOB_ATTEMPTS } from '../../src/domain/suggestion-job.ts';
import { loadLinearObjective, openTestAccount, type TestAccount } from '../support/fixtures.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());

/** A waiting job; the queue is emptied first, so that claims see nothing else. */
async function openOneJob() {
  await sql`delete from suggestion_jobs`.execute(account.db);
  const { path } = await loadLinearObjective(account);
  await requestSuggestion(account.db, account.accountId, path, { requestId: 'request-1' });
}

const claim = (limit = 10) => claimJobs(account.db, { limit, leaseMs: 60_000, workerName: 'test' });
const finish = (job: LeasedJob) => inTransaction(account.db, (trx) => finishJob(trx, job));
/** Lets all leases run out, by the database's clock. */
const expireLeases = () => sql`update suggestion_jobs set visible_at = now() - interval '1 ms'`.execute(account.db);

describe('a lease', () => {
  it('is held by one worker at a time and names the request that asked', async () => {
    await openOneJob();
    const claims = await Promise.all([claim(), claim(), claim(), claim()]);
    expect(claims.flat()).toHaveLength(1);
    expect(claims.flat()[0]).toMatchObject({ attempt: 1, requestId: 'request-1' });
  });

  it('that expired goes to the next worker, and the first can neither renew nor finish', async () => {
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

  it('that expired still fences by its token when nobody else has claimed the job', async () => {
    await openOneJob();
    const [job] = await claim();
    await expireLeases();
    expect(await finish(job!)).toBe(true);
    expect(await finish(job!)).toBe(false);
  });

  it('handed back at shutdown costs no attempt; one handed back after an error does', async () => {
    await openOneJob();
    const [first] = await claim();
    await releaseJob(account.db, first!, { delayMs: 0, error: null, countsAsAttempt: false });
    const [second] = await claim();
    expect(second).toMatchObject({ attempt: 1 });
    await releaseJob(account.db, second!, { delayMs: 0, error: 'a fault', countsAsAttempt: true });
    expect((await claim())[0]).toMatchObject({ attempt: 2 });
  });

  it('is not given out before the delay has passed, nor after the last attempt', async () => {
    await openOneJob();
    const [job] = await claim();
    await releaseJob(account.db, job!, { delayMs: 60_000, error: 'a fault', countsAsAttempt: true });
    expect(await claim()).toEqual([]);
    await sql`update suggestion_jobs set visible_at = now(), attempts = ${MAXIMUM_JOB_ATTEMPTS}`.execute(account.db);
    expect(await claim()).toEqual([]);
  });

  it('has at most one live holder and each job is finished once, whatever happens in whatever order', async () => {
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
