/** What a claim reads, for a session that planned it beside a short queue and goes on beside a long one. */
import pg from 'pg';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../support/postgres.ts';

/** The second is the one by which workers of the version before go on claiming. */
const NAMES = ['claim_jobs', 'claim_suggestion_jobs'] as const;

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
async function countFetched(client: pg.Client, name: string): Promise<number> {
  await client.query('begin');
  const claimed = await client.query(`select * from ${name}(2, 60000, 'test', 5, 0)`);
  expect(claimed.rows).toHaveLength(2);
  const { rows } = await client.query<{ fetched: string }>(
    "select seq_tup_read + idx_tup_fetch as fetched from pg_stat_xact_user_tables where relname = 'suggestion_jobs'",
  );
  await client.query('rollback');
  return Number(rows[0]!.fetched);
}

it.each(NAMES)('%s stays as small as its limit when the queue grows behind a plan that is kept', async (name) => {
  const t = await openQueue();
  try {
    await queue(t.client, 1, 100);
    await t.client.query('analyze suggestion_jobs');
    expect(await countFetched(t.client, name)).toBeLessThan(40);
    await queue(t.client, 101, 3_000);
    expect(await countFetched(t.client, name)).toBeLessThan(40);
  } finally {
    await t.close();
  }
});
