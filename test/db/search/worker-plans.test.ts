/**
 * Plans of what workers ask for all the time, on the newest and the oldest supported PostgreSQL: each table is read along the index
 * made for it, with stale statistics of a long queue, an empty queue and many finished rows.
 */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readUnjudgedRuns } from '../../../src/db/search/answers.ts';
import { claimJobs, listExhaustedJobs } from '../../../src/db/search/suggestion-jobs.ts';
import { buryExhaustedDeliveries, claimDeliveries } from '../../../src/db/webhooks/events.ts';
import { loadLinearObjective, openTestAccount } from '../../support/fixtures.ts';
import { connectExplained } from '../../support/plans.ts';

async function openExplained() {
  const account = await openTestAccount();
  const { db: explained, plans } = connectExplained(account.directUrl);
  const close = async () => {
    await explained.destroy();
    await account.close();
  };
  /** The scans of `tables` in all that `work` runs. */
  const scansIn = async (tables: readonly string[], work: () => Promise<unknown>): Promise<readonly string[]> => {
    plans.length = 0;
    await work();
    const scans = plans.flatMap((plan) => plan.scans);
    return [...new Set(scans.filter((scan) => tables.some((table) => scan.endsWith(` on ${table}`))))].sort();
  };
  return { ...account, explained, scansIn, close };
}

it('A claim of jobs reads the queue by index, whatever was in it when the statistics were made', async () => {
  const t = await openExplained();
  try {
    // Only the queue counts here, not what its rows refer to.
    for (const reference of ['account_id', 'objective_id']) {
      await sql`alter table suggestion_jobs drop constraint ${sql.ref(`suggestion_jobs_${reference}_fkey`)}`.execute(
        t.db,
      );
    }
    const queue = (from: number, to: number) =>
      sql`insert into suggestion_jobs (account_id, objective_id, inverse_id)
        select n % 10 + 1, n, n from generate_series(${from}::int, ${to}::int) n`.execute(t.db);
    const claim = () => claimJobs(t.explained, { limit: 4, leaseMs: 60_000, workerName: 'test', passedOver: [3] });
    const exhausted = () => listExhaustedJobs(t.explained, 500);
    const byIndex = [
      'Index Scan using suggestion_jobs_claimable_by_account on suggestion_jobs',
      'Index Scan using suggestion_jobs_pkey on suggestion_jobs',
    ];
    expect(await t.scansIn(['suggestion_jobs'], claim), 'never analyzed, empty').toEqual(byIndex);
    await queue(1, 20_000);
    await sql`analyze suggestion_jobs`.execute(t.db);
    expect(await t.scansIn(['suggestion_jobs'], claim), 'a long queue').toEqual(byIndex);
    expect(await t.scansIn(['suggestion_jobs'], exhausted), 'a long queue').toEqual([
      'Index Scan using suggestion_jobs_exhausted on suggestion_jobs',
    ]);
    await sql`delete from suggestion_jobs`.execute(t.db);
    expect(await t.scansIn(['suggestion_jobs'], claim), 'all finished, not vacuumed').toEqual(byIndex);
    await sql`vacuum analyze suggestion_jobs`.execute(t.db);
    expect(await t.scansIn(['suggestion_jobs'], claim), 'empty').toEqual(byIndex);
    await queue(20_001, 20_004);
    expect(await t.scansIn(['suggestion_jobs'], claim), 'a short queue after an empty one').toEqual(byIndex);
  } finally {
    await t.close();
  }
});

it('A claim of deliveries reads those under way by index, however many were delivered', async () => {
  const t = await openExplained();
  try {
    // Counting what is stored, row by row, would take most of the test.
    await sql`alter table events disable trigger user`.execute(t.db);
    await sql`insert into webhooks (account_id, url, secret) values (${t.accountId}, 'https://example.com', '')`.execute(
      t.db,
    );
    await sql`insert into events (account_id, name, resource_id)
      select ${t.accountId}, 'inverse.suggested', n from generate_series(1, 20000) n`.execute(t.db);
    await sql`insert into webhook_deliveries (account_id, webhook_id, event_id, state, delivered_at)
      select e.account_id, w.id, e.id, 'delivered', now() from events e, webhooks w`.execute(t.db);
    await sql`analyze`.execute(t.db);
    const options = { healthyLimit: 4, failingLimit: 4, perWebhook: 4, leaseMs: 60_000, workerName: 'test' };
    const claim = () => claimDeliveries(t.explained, options);
    const bury = () => buryExhaustedDeliveries(t.explained);
    const claimed = async (when: string) => {
      const scans = await t.scansIn(['webhook_deliveries'], claim);
      expect(scans, when).toContainEqual(expect.stringContaining('using webhook_deliveries_open'));
      expect(
        scans.filter((scan) => scan.startsWith('Seq Scan')),
        when,
      ).toEqual([]);
    };
    await claimed('none under way');
    await sql`update webhook_deliveries set state = 'waiting', visible_at = now() + interval '1 hour' where id % 2 = 0`.execute(
      t.db,
    );
    await claimed('half of them delayed, statistics of before');
    await sql`analyze`.execute(t.db);
    await claimed('half of them delayed');
    expect(await t.scansIn(['webhook_deliveries'], bury)).toEqual([
      'Index Scan using webhook_deliveries_exhausted on webhook_deliveries',
    ]);
  } finally {
    await t.close();
  }
});

it('The nearest run is looked up by index among many inverses', async () => {
  const t = await openExplained();
  try {
    const { objective } = await loadLinearObjective(t);
    await sql`insert into inverses (account_id, objective_id, iteration, input, output)
      select account_id, id, n, initial_input, initial_output from objectives, generate_series(2, 20000) n`.execute(
      t.db,
    );
    await sql`analyze`.execute(t.db);
    const runs = () =>
      readUnjudgedRuns(t.explained, [{ id: objective.id, nearestIteration: 3, judgedThrough: 19_998 }]);
    expect(await runs()).toMatchObject([{ iteration: 3 }, { iteration: 19_999 }, { iteration: 20_000 }]);
    const scans = await t.scansIn(['inverses'], runs);
    expect(scans.filter((scan) => scan.startsWith('Seq Scan'))).toEqual([]);
  } finally {
    await t.close();
  }
});
