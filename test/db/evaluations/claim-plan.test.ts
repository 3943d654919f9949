/**
 * Tests what a claim sees and reads, for a session that planned it on a short queue and continues on a long one, and
 * that the server never compiles it.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { expect, it } from 'vitest';
import { claimEvaluations } from '../../../src/db/evaluations/evaluations.ts';
import { claimDeliveries } from '../../../src/db/webhooks/events.ts';
import { insertBatch, insertEvaluations } from '../../support/evaluations.ts';
import { loadLinearObjective, openTestAccount } from '../../support/fixtures.ts';
import { explainAll } from '../../support/plans.ts';
import { createTestDatabase } from '../../support/postgres.ts';

/** Up to two jobs. */
const CLAIM = "select * from claim_jobs_of_others(2, 60000, 'test', 5, 0, '{}')";

/** Default cost of a plan from which its statement is compiled. */
const COMPILED_FROM = 100_000;

async function openQueue() {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`insert into accounts (name) select 'account ' || n from generate_series(1, 10) n`);
  // Only the queue counts here, not what its rows refer to.
  for (const reference of ['account_id', 'objective_id']) {
    await client.query(`alter table suggestion_jobs drop constraint suggestion_jobs_${reference}_fkey`);
  }
  const close = async () => {
    await client.end();
    await database.drop();
  };
  return { client, close };
}

function queue(client: pg.Client, from: number, to: number): Promise<unknown> {
  return client.query(`insert into suggestion_jobs (account_id, objective_id, inverse_id)
    select n % 10 + 1, n, n from generate_series(${from}, ${to}) n`);
}

/** Rows of the queue that one claim fetches by its indexes; the claim is undone. */
async function countFetched(client: pg.Client): Promise<number> {
  await client.query('begin');
  const claimed = await client.query(CLAIM);
  expect(claimed.rows).toHaveLength(2);
  const { rows } = await client.query<{ fetched: string }>(
    "select seq_tup_read + idx_tup_fetch as fetched from pg_stat_xact_user_tables where relname = 'suggestion_jobs'",
  );
  await client.query('rollback');
  return Number(rows[0]!.fetched);
}

it('A claim reads no more rows than its limit when the queue grows behind a kept plan', async () => {
  const t = await openQueue();
  try {
    await queue(t.client, 1, 100);
    await t.client.query('analyze suggestion_jobs');
    expect(await countFetched(t.client)).toBeLessThan(40);
    await queue(t.client, 101, 3_000);
    expect(await countFetched(t.client)).toBeLessThan(40);
  } finally {
    await t.close();
  }
});

it('A claim contains no statement that the server would compile before it runs', async () => {
  const t = await openQueue();
  try {
    await queue(t.client, 1, 100);
    // PostgreSQL's default.
    await t.client.query(`set jit = on; set jit_above_cost = ${COMPILED_FROM}`);
    const plans = await explainAll(t.client, CLAIM);
    expect(plans.some(({ text }) => text.includes('with recursive ring'))).toBe(true);
    const compiled = plans.filter((plan) => plan.cost > COMPILED_FROM && plan.settings['jit'] !== 'off');
    expect(compiled).toEqual([]);
    expect(plans.filter(({ isCompiled }) => isCompiled)).toEqual([]);
  } finally {
    await t.close();
  }
});

it('A claim of deliveries reads none of those that wait for their next attempt, however many', async () => {
  const t = await openTestAccount();
  try {
    await sql`insert into webhooks (account_id, url, secret) values (${t.accountId}, 'https://example.com', '')`.execute(
      t.db,
    );
    await sql`insert into events (account_id, name, resource_id)
      select ${t.accountId}, 'inverse.suggested', n from generate_series(1, 3000) n`.execute(t.db);
    await sql`insert into webhook_deliveries (account_id, webhook_id, event_id, visible_at)
      select e.account_id, w.id, e.id, now() + interval '1 hour' from events e, webhooks w`.execute(t.db);
    await sql`analyze`.execute(t.db);
    const claim = { healthyLimit: 64, failingLimit: 64, perWebhook: 4, leaseMs: 60_000, workerName: 'test' };
    const read = await t.db.transaction().execute(async (trx) => {
      expect(await claimDeliveries(trx, claim)).toEqual([]);
      const { rows } = await sql<{ read: number }>`
        select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables
        where relname = 'webhook_deliveries'`.execute(trx);
      return rows[0]!.read;
    });
    expect(read).toBeLessThan(40);
  } finally {
    await t.close();
  }
});

it('A claim that waits for another one returns what was committed meanwhile', async () => {
  const t = await openTestAccount();
  try {
    const { trial } = await loadLinearObjective(t);
    const parents = { accountId: t.accountId, modelId: trial.modelId, projectId: trial.projectId };
    const scope = { accountId: null, isPushed: true, projectId: null, batchId: null, afterBatchId: 0 };
    let claiming: ReturnType<typeof claimEvaluations> | undefined;
    let batchId: number | undefined;
    await t.db.transaction().execute(async (other) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('claim of pushed evaluations', 0))`.execute(other);
      claiming = claimEvaluations(t.db, { ...scope, limit: 2, leaseSeconds: 60, evaluator: 'worker' });
      claiming.catch(() => undefined);
      await expect
        .poll(async () => {
          const { rows } = await sql`
            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(t.db);
          return rows.length;
        })
        .toBe(1);
      batchId = await insertBatch(other, { ...parents, evaluator: { kind: 'http', url: 'https://rig.example' } });
      await insertEvaluations(other, batchId, [{ input: [1, 2] }, { input: [3, 4] }]);
    });
    expect(await claiming).toMatchObject([
      { batchId, caseNumber: 1, input: [1, 2], wasLost: false },
      { batchId, caseNumber: 2, input: [3, 4], wasLost: false },
    ]);
  } finally {
    await t.close();
  }
});
