/** Tests what a kept plan reads when the tables grow behind it, and what happens to it when a column changes its type. */
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { connectTo } from '../../../harness/database-handle.ts';
import { authenticate } from '../../../src/application/accounts/authenticate.ts';
import { createKey } from '../../../src/application/accounts/manage-keys.ts';
import { runOnce } from '../../../src/application/idempotent.ts';
import { computeSuggestion } from '../../../src/application/search/compute-suggestion.ts';
import { getObjective } from '../../../src/application/search/read-objectives.ts';
import { recordOutput } from '../../../src/application/search/record-output.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { type Db, isDatabaseAway } from '../../../src/db/connection/transaction.ts';
import { claimJobs } from '../../../src/db/search/suggestion-jobs.ts';
import { makeEngine, proposing } from '../../fault/engines.ts';
import { explainNothing } from '../../support/explain-nothing.ts';
import { linear, loadLinearObjective, openTestAccount } from '../../support/fixtures.ts';

async function setup() {
  const account = await openTestAccount();
  const onOneConnection = (change: { readonly preparesStatements?: boolean } = {}): Db =>
    connectTo(account.directUrl, { ...change });
  return { account, onOneConnection };
}

/** Suggest and load under fresh keys, then a look at the objective: every statement that clients wait for. */
async function playCycle(db: Db, accountId: number, keyText: string, objectiveId: number): Promise<void> {
  const idempotency = (path: string) => {
    return { accountId, method: 'POST', path, key: crypto.randomUUID(), fingerprint: Buffer.alloc(32) };
  };
  await authenticate(db, keyText);
  await runOnce(db, idempotency('inverses'), async (trx) => {
    const { inverse } = await requestSuggestion(trx, accountId, { objectiveId }, { requestId: null });
    return { kind: 'inverse', inverseId: inverse.id };
  });
  const [job] = await claimJobs(db, { limit: 1, leaseMs: 60_000, workerName: 'test' });
  const engine = { ...makeEngine(proposing(1, 2)), ...explainNothing };
  await computeSuggestion({ db, engine, workLimit: 1_000 }, job!, new AbortController().signal);
  await runOnce(db, idempotency('inverse-output'), async (trx) => {
    const measurement = { kind: 'output', output: linear([1, 2]), computeTimeNs: null } as const;
    const { inverse } = await recordOutput(trx, accountId, { objectiveId }, measurement);
    return { kind: 'inverse', inverseId: inverse.id };
  });
  await getObjective(db, accountId, { objectiveId });
}

async function canCountReads(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_proc where proname = 'pg_stat_force_next_flush'`.execute(db);
  return rows.length > 0;
}

/** Rows and index entries read so far, in all tables of the product. */
async function countRead(db: Db): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ read: string }>`
    select (select sum(seq_tup_read) from pg_stat_user_tables) + (select sum(idx_tup_read) from pg_stat_user_indexes)
      as read`.execute(db);
  return Number(rows[0]!.read);
}

/** Otherwise it would gather statistics of some tables in the midst of the test. */
async function stopAutovacuum(db: Db): Promise<void> {
  const { rows } = await sql<{ table: string }>`select relname as table from pg_stat_user_tables`.execute(db);
  for (const { table } of rows) {
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db);
  }
}

const PLAN_LIFETIME_MS = 10_000;

/** Rows beside those that the cycles read, and no statistics of them: as in a minute of heavy load. */
async function growBehind(db: Db, from: number, to: number): Promise<void> {
  const copies = sql`generate_series(${from}::int, ${to}::int) n`;
  await sql`insert into accounts (name) select 'account ' || n from ${copies}`.execute(db);
  await sql`insert into api_keys (account_id, key_id, secret_hash)
    select id, 'key ' || n, '' from ${copies} join accounts on name = 'account ' || n`.execute(db);
  await sql`insert into models (account_id, name) select account_id, name || n from (select * from models order by id limit 1) m, ${copies}`.execute(
    db,
  );
  await sql`insert into objectives (account_id, model_id, project_id, trial_id, number, objectives, objective_types,
      minimum_bounds, maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed)
    select account_id, model_id, project_id, trial_id, number + n, objectives, objective_types,
      minimum_bounds, maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed
    from (select * from objectives order by id limit 1) o, ${copies}`.execute(db);
  await sql`insert into inverses (account_id, objective_id, iteration, input, output)
    select account_id, id, 1, initial_input, initial_output from objectives
    where number between ${from} + 1 and ${to} + 1`.execute(db);
  await sql`insert into idempotency_keys (account_id, key, method, path, fingerprint, outcome)
    select account_id, key || n, method, path, fingerprint, outcome
    from (select * from idempotency_keys limit 1) k, ${copies}`.execute(db);
  await sql`insert into events (account_id, name, resource_id) select account_id, name, resource_id
    from (select * from events limit 1) e, ${copies}`.execute(db);
}

it('Plans made beside small tables are replaced when the tables have grown behind them', async ({ skip }) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { account, onOneConnection } = await setup();
  const db = onOneConnection();
  try {
    skip(!(await canCountReads(db)), 'this server reports reads half a second late; from version 15 on, immediately');
    await stopAutovacuum(db);
    const { objective } = await loadLinearObjective(account);
    const key = await createKey(db, { account: 'test', label: null, scopes: ['read', 'write'], expiresAt: null });
    const play = async (cycles: number) => {
      for (let cycle = 0; cycle < cycles; cycle++) await playCycle(db, account.accountId, key, objective.id);
    };
    // With statistics of tables of one page reading them whole is cheapest. A plan is kept from the sixth time on.
    await play(2);
    await growBehind(db, 1, 20);
    await sql`analyze`.execute(db);
    await play(10);
    const before = await countRead(db);
    await play(1);
    const small = (await countRead(db)) - before;
    await growBehind(db, 21, 2_000);
    vi.advanceTimersByTime(PLAN_LIFETIME_MS);
    const grown = await countRead(db);
    await play(1);
    expect((await countRead(db)) - grown).toBeLessThan(small + 50);
  } finally {
    await db.destroy();
    await account.close();
  }
});

it('A connection whose plan a migration made obsolete is dropped, and the next one serves', async () => {
  const { account, onOneConnection } = await setup();
  const db = onOneConnection();
  try {
    const { objective } = await loadLinearObjective(account);
    const look = () => getObjective(db, account.accountId, { objectiveId: objective.id });
    await look();
    await sql`alter table objectives alter column number type bigint`.execute(account.db);
    await expect(look()).rejects.toSatisfy(isDatabaseAway);
    expect((await look()).objective).toMatchObject({ id: objective.id });
  } finally {
    await db.destroy();
    await account.close();
  }
});

it.each([
  [true, 1],
  [false, 0],
])(
  'A connection with preparesStatements %s prepares the expected number of statements',
  async (preparesStatements, count) => {
    const { account, onOneConnection } = await setup();
    const db = onOneConnection({ preparesStatements });
    try {
      const prepared = () =>
        sql<{ name: string }>`select name from pg_prepared_statements where name <> ${''}`.execute(db);
      await prepared();
      expect((await prepared()).rows).toHaveLength(count);
    } finally {
      await db.destroy();
      await account.close();
    }
  },
);

it('A statement that could not be parsed gets another name the next time', async () => {
  const { account, onOneConnection } = await setup();
  const db = onOneConnection();
  try {
    const look = () => sql`select from missing where ${1}::int = 1`.execute(db);
    await expect(look()).rejects.toThrow(/does not exist/);
    await expect(look()).rejects.toThrow(/does not exist/);
    await sql`create table missing ()`.execute(db);
    await look();
    await look();
    const { rows } = await sql<{ name: string }>`
      select name from pg_prepared_statements where statement like ${'select from missing%'}`.execute(db);
    expect(rows).toEqual([{ name: expect.stringMatching(/^[\w-]{43}\.2$/) }]);
  } finally {
    await db.destroy();
    await account.close();
  }
});
