/**
 * Measures a claim with 1, 2 and 4 claiming processes, for few and many stored objectives and few and many waiting jobs. A
 * claimed job is finished and queued again, so that the number of waiting jobs stays the same. With --plans, prints the plan
 * of a claim at every size.
 *
 *   npx node bench/scale/claims.ts [--stored 1000,100000] [--waiting 100,10000] [--processes 1,2,4] [--seconds 3] [--plans]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import pg from 'pg';
import { connectTo } from '../../harness/database-handle.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { type Db, inTransaction } from '../../src/db/connection/transaction.ts';
import { migrate } from '../../src/db/migrate.ts';
import { claimJobs } from '../../src/db/search/suggestion-jobs.ts';
import { makeLog } from '../../src/log.ts';
import { quantiles } from '../quantile.ts';

const { values: options } = parseArgs({
  options: {
    stored: { type: 'string', default: '1000,100000' },
    waiting: { type: 'string', default: '100,10000' },
    processes: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '3' },
    plans: { type: 'boolean', default: false },
    /** Set in the processes that this one starts. */
    claimer: { type: 'string' },
  },
});
const ACCOUNTS = 100;
/** As of a worker with two free slots. */
const CLAIM_LIMIT = 2;
const numbers = (list: string) => list.split(',').map(Number);

if (options.claimer !== undefined) await claim(options.claimer, Number(options.seconds));
else await main();

async function main(): Promise<void> {
  await using postgres = await startTemporaryPostgres({ log: makeLog({ level: 'error' }) });
  const db = open(postgres.url);
  try {
    await migrate(db);
    await storeProjects(db);
    let stored = 0;
    for (const objectives of numbers(options.stored)) {
      await storeObjectives(db, stored + 1, objectives);
      stored = objectives;
      console.log(JSON.stringify({ stored, databaseMb: await readSizeMb(db) }));
      for (const waiting of numbers(options.waiting).filter((count) => count <= stored)) {
        await queue(db, stored, waiting);
        for (const processes of numbers(options.processes)) {
          const figures = await measure(postgres.url, processes);
          console.log(JSON.stringify({ stored, waiting, processes, ...figures }));
        }
        const { ms, pages, nodes } = await explain(postgres.url);
        console.log(JSON.stringify({ stored, waiting, oneClaim: { ms, pages } }));
        if (options.plans) console.log(nodes.join('\n'));
      }
    }
  } finally {
    await db.destroy();
  }
}

function open(url: string): Db {
  return connectTo(url, { poolSize: 2, statementTimeoutMs: 0, lockTimeoutMs: 0, applicationName: 'backsolve-bench' });
}

/** One model, project and trial per account, all with the account's id. */
async function storeProjects(db: Db): Promise<void> {
  const statements = [
    sql`insert into accounts (name) select 'account ' || n from generate_series(1, ${sql.lit(ACCOUNTS)}) n`,
    sql`insert into models (account_id, name) select id, 'bench' from accounts order by id`,
    sql`insert into projects (account_id, model_id, name, input_count, minimums, maximums, input_types, categories,
          input_cases, case_count, seed)
        select id, id, 'bench', 2, '{0,0}', '{10,10}', '{float,float}', '[[],[]]', '{{0,0},{10,1}}', 2, 1
        from accounts order by id`,
    sql`insert into output_case_sets (account_id, model_id, project_id, output_count, output_cases)
        select id, id, id, 2, '{{9,2},{50,3}}' from accounts order by id`,
    sql`insert into trials (account_id, model_id, project_id, output_case_set_id, number)
        select id, id, id, id, 1 from accounts order by id`,
  ];
  for (const statement of statements) await statement.execute(db);
}

/** Stores objectives up to `until`, spread over all accounts, each with its initial inverse and one without an input. */
async function storeObjectives(db: Db, from: number, until: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Skips the checks of foreign keys, which would take most of the time.
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`
    insert into objectives (account_id, model_id, project_id, trial_id, number, objectives, objective_types,
      minimum_bounds, maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed)
    select a, a, a, a, n, '{-1000,-1000}', '{lessthan,lessthan}', '{}', '{}', 0, 1e-6, '{5,5}', '{9,2}', 500, n
    from generate_series(${sql.lit(from)}, ${sql.lit(until)}) n, lateral (select n % ${sql.lit(ACCOUNTS)} + 1 as a) o
    order by n`.execute(trx);
    await sql`
    insert into inverses (account_id, objective_id, iteration, input, output)
    select o.account_id, o.id, i, '{5,5}', case when i = 1 then '{9,2}'::double precision[] end
    from objectives o, generate_series(1, 2) i where o.id >= ${from} order by o.id, i`.execute(trx);
  });
  await sql`vacuum analyze`.execute(db);
}

async function readSizeMb(db: Db): Promise<number> {
  const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(db);
  return Math.round(rows[0]!.size / 1e6);
}

/** Queues `waiting` jobs, spread over all objectives. */
async function queue(db: Db, stored: number, waiting: number): Promise<void> {
  await sql`truncate suggestion_jobs`.execute(db);
  await sql`
    insert into suggestion_jobs (account_id, objective_id, inverse_id, visible_at)
    select o.account_id, o.id, i.id, now() - interval '1 second'
    from generate_series(1, ${sql.lit(waiting)}) n
    join objectives o on o.id = 1 + (n * 7919::bigint) % ${sql.lit(stored)}
    join inverses i on i.objective_id = o.id and i.iteration = 2
    on conflict do nothing`.execute(db);
  await sql`vacuum analyze suggestion_jobs`.execute(db);
}

interface Claimed {
  readonly times: readonly number[];
}

async function measure(url: string, processes: number) {
  const children: ChildProcess[] = Array.from({ length: processes }, () =>
    fork(new URL(import.meta.url).pathname, ['--claimer', url, '--seconds', options.seconds]),
  );
  await Promise.all(children.map((child) => once(child, 'message')));
  const answers = children.map((child) => once(child, 'message') as Promise<[Claimed]>);
  for (const child of children) child.send('go');
  const times = (await Promise.all(answers)).flatMap(([{ times: each }]) => each);
  return { claims: times.length, ...quantiles(times, { p50Ms: 0.5, p95Ms: 0.95, p99Ms: 0.99 }) };
}

/** Claims, finishes and queues jobs again for the given time, and sends the times of the claims to the parent process. */
async function claim(url: string, seconds: number): Promise<void> {
  const db = open(url);
  const lease = { limit: CLAIM_LIMIT, leaseMs: 60_000, workerName: `bench:${process.pid}` };
  let afterAccountId = 0;
  const claimOnce = async (times: number[]) => {
    const startedAt = performance.now();
    const jobs = await claimJobs(db, { ...lease, afterAccountId });
    times.push(performance.now() - startedAt);
    afterAccountId = jobs.at(-1)?.accountId ?? afterAccountId;
    await inTransaction(db, async (trx) => {
      for (const job of jobs) {
        await sql`delete from suggestion_jobs where id = ${job.id} and lease_token = ${job.leaseToken}`.execute(trx);
        await sql`insert into suggestion_jobs (account_id, objective_id, inverse_id)
          values (${job.accountId}, ${job.objectiveId}, ${job.inverseId})`.execute(trx);
      }
    });
  };
  for (let warmUp = 0; warmUp < 20; warmUp++) await claimOnce([]);
  process.send!('ready');
  await once(process, 'message');
  const times: number[] = [];
  const endsAt = performance.now() + seconds * 1_000;
  while (performance.now() < endsAt) await claimOnce(times);
  process.send!({ times } satisfies Claimed);
  await db.destroy();
  process.disconnect();
}

/** Explains the statement inside the function as it ran. */
async function explain(url: string) {
  const client = new pg.Client({ connectionString: url });
  const plans: string[] = [];
  client.on('notice', ({ message }) => plans.push(message ?? ''));
  await client.connect();
  const claiming = `select * from claim_jobs_of_others(${CLAIM_LIMIT}, 60000, 'bench', 5, 0, '{}')`;
  try {
    // The first call of a session includes planning.
    await client.query(`begin; ${claiming}`);
    await client.query(`load 'auto_explain'; set local auto_explain.log_min_duration = 0;
      set local auto_explain.log_nested_statements = on; set local auto_explain.log_analyze = on;
      set local auto_explain.log_buffers = on; set local auto_explain.log_timing = off;
      set local client_min_messages = log`);
    await client.query(claiming);
    await client.query('rollback');
  } finally {
    await client.end();
  }
  const plan = plans.find((text) => text.includes('with recursive ring')) ?? plans.join('\n');
  const lines = plan.slice(plan.lastIndexOf('$$') + 1).split('\n');
  const pages = Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1] ?? Number.NaN);
  const ms = Number(/duration: ([\d.]+) ms/.exec(plan)?.[1] ?? Number.NaN);
  const nodes = lines.filter((line) => /(rows=.*loops=|Rows Removed|Buffers|Index Cond)/.test(line));
  return { ms, pages, nodes };
}
