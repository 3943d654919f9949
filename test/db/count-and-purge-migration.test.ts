/** Migration 0015 on a database that has been in use: existing rows are counted, and earlier deletions are recorded. */
import { randomBytes } from 'node:crypto';
import { globSync } from 'node:fs';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { execute } from '../../harness/one-statement.ts';
import { createTestDatabase } from '../support/postgres.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);
const OURS = '0015-count-and-purge.ts';

async function textOf(file: string): Promise<string> {
  return ((await import(new URL(file, FOLDER).href)) as { sql: string }).sql;
}

/** Two accounts; of the first a deleted model, a deleted project of another model, and a running objective. */
const USED = `
insert into accounts (name) values ('one'), ('two');
insert into models (account_id, name, disabled_at) values
  (1, 'deleted', '2020-01-01'), (1, 'kept', null), (2, 'of two', null);
insert into projects (account_id, model_id, name, input_count, minimums, maximums, input_types, categories, input_cases,
  case_count, seed, disabled_at)
select account_id, id, 'p' || id, 2, '{0,0}', '{1,1}', '{float,float}', '[[],[]]', '{{0,0},{1,1}}', 2, 1, disabled_at
from models;
insert into projects (account_id, model_id, name, input_count, minimums, maximums, input_types, categories, input_cases,
  case_count, seed, disabled_at)
values (1, 2, 'deleted', 1, '{0}', '{1}', '{float}', '[[]]', (select array_agg(array[sin(n)]) from generate_series(1, 5000) n),
  5000, 1, '2021-01-01');
insert into output_case_sets (account_id, model_id, project_id, output_count, output_cases)
select account_id, model_id, id, 1, '{{1},{2}}' from projects;
insert into trials (account_id, model_id, project_id, output_case_set_id, number, disabled_at)
select p.account_id, p.model_id, p.id, s.id, 1, p.disabled_at from projects p join output_case_sets s on s.project_id = p.id;
insert into objectives (account_id, model_id, project_id, trial_id, number, objectives, objective_types, minimum_bounds,
  maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed, disabled_at)
select account_id, model_id, project_id, id, 1, '{1}', '{exact}', '{}', '{}', 0, 1, '{0,0}', '{1}', 5, 1, disabled_at
from trials;
insert into inverses (account_id, objective_id, iteration, failure_reason)
select account_id, id, i, repeat('x', i) from objectives, generate_series(1, 20) i;
insert into explanations (objective_id, account_id, case_count, insight)
select id, account_id, 1, jsonb_build_array(repeat('y', 100)) from objectives;
insert into webhooks (account_id, url, secret) values (1, 'https://a.example/', '');
insert into events (account_id, name, resource_id) select 1, 'inverse.suggested', id from inverses;
insert into webhook_deliveries (account_id, webhook_id, event_id) select 1, 1, id from events;
insert into idempotency_keys (account_id, key, method, path, fingerprint, outcome)
select 1, 'k' || n, 'POST', '/', '', to_json(repeat('z', n * 700)) from generate_series(1, 3) n;
`;

it('The migration counts existing records, records deletions from then on, and lets a serving role continue', async () => {
  const database = await createTestDatabase();
  await execute(database.url, 'drop schema public cascade; create schema public');
  const role = `Backsolve app ${randomBytes(4).toString('hex')}`;
  await execute(inject('postgres').url, `create role "${role}"`);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    for (const file of globSync('*.ts', { cwd: FOLDER }).sort())
      if (file < OURS) await client.query(await textOf(file));
    await client.query(USED);
    await client.query(`grant usage on schema public to "${role}"`);
    await client.query(`grant select, insert, update, delete on all tables in schema public to "${role}"`);
    await client.query(`begin; ${await textOf(OURS)}; commit`);

    const slots =
      'select account_id, sum(stored_bytes) as bytes, sum(stored_rows) as rows from account_usage group by 1';
    const { rows: counted } = await client.query(`${slots} order by 1`);
    const truth = 'select account_id, stored_bytes as bytes, stored_rows as rows from stored_data order by 1';
    expect(counted).toEqual((await client.query(truth)).rows);
    // Models 2, projects, sets, trials and objectives 3 each, their 20 inverses in lots of 1, 2, 4, 8 and 16, webhook 1.
    expect(counted.map(({ rows }) => Number(rows))).toEqual([2 + 4 * 3 + 3 * 31 + 1, 5 + 31]);
    expect(Number(counted[0].bytes)).toBeGreaterThan(5_000 * 8);

    const { rows: noted } = await client.query(`
      select kind, record_id::int as id, deleted_at = '2020-01-01' as is_first,
        counts_from > now() - interval '1 hour' as is_fresh from deletions order by id`);
    expect(noted).toEqual([
      { kind: 'model', id: 1, is_first: true, is_fresh: true },
      { kind: 'project', id: 4, is_first: false, is_fresh: true },
    ]);

    await client.query(`set role "${role}"`);
    await client.query(`insert into models (account_id, name) values (2, 'by the role')`);
    await client.query(`update models set disabled_at = now() where name = 'by the role'`);
    const after = await client.query(`${slots} order by 1`);
    expect(Number(after.rows[1].rows)).toBe(5 + 31 + 1);
  } finally {
    await client.end();
    await execute(database.url, `drop owned by "${role}"`);
    await execute(inject('postgres').url, `drop role "${role}"`);
    await database.drop();
  }
});
