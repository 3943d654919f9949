/**
 * Measures the count of storage: of everything, after some more inverses, with nothing to count, and of every slice once more.
 *
 *   npx node bench/scale/counting.ts [--inverses 1000000] [--accounts 20] [--more 6000]
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { connectTo, migrateDatabase } from '../../harness/database-handle.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { countStorage } from '../../src/application/accounts/count-storage.ts';
import { makeLog } from '../../src/log.ts';

const { values: options } = parseArgs({
  options: {
    inverses: { type: 'string', default: '1000000' },
    accounts: { type: 'string', default: '20' },
    more: { type: 'string', default: '6000' },
  },
});
const INVERSES_PER_OBJECTIVE = 50;
const accounts = Number(options.accounts);
const objectives = Math.ceil(Number(options.inverses) / accounts / INVERSES_PER_OBJECTIVE);

const FILL = `
insert into accounts (name) select 'account ' || i from generate_series(1, ${accounts}) i;
insert into models (account_id, name) select id, 'm' from accounts;
insert into projects (account_id, model_id, name, input_count, minimums, maximums, input_types, categories, input_cases,
  case_count, seed)
select account_id, id, 'p', 5, '{0,0,0,0,0}', '{1,1,1,1,1}', '{float,float,float,float,float}', '[[],[],[],[],[]]',
  '{{0,0,0,0,0}}', 1, 1 from models;
insert into output_case_sets (account_id, model_id, project_id, output_count, output_cases)
select account_id, model_id, id, 3, '{{1,2,3}}' from projects;
insert into trials (account_id, model_id, project_id, output_case_set_id, number)
select account_id, model_id, project_id, id, 1 from output_case_sets;
insert into objectives (account_id, model_id, project_id, trial_id, number, objectives, objective_types, minimum_bounds,
  maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed)
select account_id, model_id, project_id, id, i, '{1,2,3}', '{exact,exact,exact}', '{}', '{}', 0, 1, '{0,0,0,0,0}', '{1,2,3}',
  100, 1 from trials, generate_series(1, ${objectives}) i;
insert into inverses (account_id, objective_id, iteration, input, output, expected)
select account_id, id, i, array[random(), random(), random(), random(), random()], array[random(), random(), random()],
  array[random(), random(), random(), random(), random(), random()]
from generate_series(1, ${INVERSES_PER_OBJECTIVE}) i, objectives;
analyze`;

const MORE = `
insert into inverses (account_id, objective_id, iteration, input)
select account_id, id, ${INVERSES_PER_OBJECTIVE + 1}, '{1,2,3,4,5}' from objectives limit ${Number(options.more)}`;

const A_DAY_LATER = `update storage_slices set counted_at = counted_at - interval '25 hours'`;

await using postgres = await startTemporaryPostgres({ log: makeLog({ level: 'error' }) });
await migrateDatabase(postgres.url);
const db = connectTo(postgres.url);
const admin = new pg.Client({ connectionString: postgres.url });
await admin.connect();
for (const [what, change] of [
  ['everything', FILL],
  ['more', MORE],
  ['nothing', ''],
  ['every slice again', A_DAY_LATER],
] as const) {
  await admin.query(change);
  const startedAt = performance.now();
  const { slices } = await countStorage(db);
  console.log(JSON.stringify({ what, slices, ms: Math.round(performance.now() - startedAt) }));
}
await admin.end();
await db.destroy();
