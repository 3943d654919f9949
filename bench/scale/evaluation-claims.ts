/**
 * Measures claims of evaluations. First the claim itself: the time with many waiting over several batches and accounts, by the number
 * of claiming processes, and the processor time of the server, which a busy machine hardly changes. A claimed evaluation waits again
 * together, by an update of one row, whose time is shown beside: what the machine takes for a commit. The processes plan their
 * statements beside an empty queue.
 * Then evaluators that wait for work which never comes: the processor time of the service and the transactions per second that they
 * cost, over a service without them, and the time until one of them has an evaluation. Linux only.
 *
 *   npx node bench/scale/evaluation-claims.ts [--waiting 100000] [--accounts 100] [--batches 4] [--processes 1,2,8]
 *     [--idle 1000] [--seconds 5]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import pg from 'pg';
import { connectTo } from '../../harness/database-handle.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { readBacklog } from '../../src/db/backlog.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { claimEvaluations } from '../../src/db/evaluations/evaluations.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeLog } from '../../src/log.ts';
import { quantiles } from '../quantile.ts';
import { makeClient, startProcess } from '../service/client.ts';
import { readProcessMs, readServerMs } from '../service/processor-time.ts';

const { values: options } = parseArgs({
  options: {
    waiting: { type: 'string', default: '100000' },
    accounts: { type: 'string', default: '100' },
    /** Number of batches of each account. */
    batches: { type: 'string', default: '4' },
    processes: { type: 'string', default: '1,2,8' },
    idle: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '5' },
    /** Set in the processes that this one starts. */
    claimer: { type: 'string' },
  },
});
const waiting = Number(options.waiting);
const accounts = Number(options.accounts);
const batches = Number(options.batches);
const idle = Number(options.idle);
const seconds = Number(options.seconds);
/** Time that an idle evaluator waits. */
const WAIT_SECONDS = 10;

if (options.claimer !== undefined) await claim(options.claimer);
else await main();

async function main(): Promise<void> {
  await using postgres = await startTemporaryPostgres({ log: makeLog({ level: 'error' }) });
  const db = open(postgres.url);
  try {
    await migrate(db);
    if (waiting > 0) await measureClaims(postgres.url, db);
    if (idle > 0) await measureIdle(postgres.url, db);
  } finally {
    await db.destroy();
  }
}

function open(url: string): Db {
  return connectTo(url, { poolSize: 2, statementTimeoutMs: 0, lockTimeoutMs: 0, applicationName: 'backsolve-bench' });
}

/** One model and project per account, with the account's id, and the batches. */
async function storeBatches(db: Db): Promise<void> {
  const statements = [
    sql`insert into accounts (name) select 'account ' || n from generate_series(1, ${sql.lit(accounts)}) n`,
    sql`insert into models (account_id, name) select id, 'bench' from accounts order by id`,
    sql`insert into projects (account_id, model_id, name, input_count, minimums, maximums, input_types, categories,
          input_cases, case_count, seed)
        select id, id, 'bench', 2, '{0,0}', '{10,10}', '{float,float}', '[[],[]]', '{{0,0},{10,1}}', 2, 1
        from accounts order by id`,
    sql`insert into batches (account_id, model_id, project_id, status, parallelism, evaluator, output_count, timeout_seconds,
          maximum_tries, maximum_losses, stop_after_failures)
        select id, id, id, 'evaluating-cases', 64, '{"kind": "pull"}', 2, 3600, 3, 1000, 20
        from accounts, generate_series(1, ${sql.lit(batches)}) order by 1`,
  ];
  for (const statement of statements) await statement.execute(db);
}

async function storeEvaluations(db: Db): Promise<void> {
  await sql`
    insert into evaluations (account_id, batch_id, project_id, case_number, input, is_pushed, visible_at)
    select b.account_id, b.id, b.project_id, n, '{1,2}', false, now() - interval '1 minute' + n * interval '1 microsecond'
    from generate_series(1, ${sql.lit(Math.ceil(waiting / (accounts * batches)))}) n, batches b`.execute(db);
}

interface Claimed {
  readonly times: readonly number[];
  readonly updates: readonly number[];
}

async function measureClaims(url: string, db: Db): Promise<void> {
  await storeBatches(db);
  const admin = new pg.Client({ connectionString: url, application_name: 'admin' });
  admin.on('error', () => undefined);
  await admin.connect();
  for (const processes of options.processes.split(',').map(Number)) {
    await sql`truncate evaluations`.execute(db);
    const children: ChildProcess[] = Array.from({ length: processes }, () =>
      fork(new URL(import.meta.url).pathname, [
        ...['--claimer', url, '--seconds', options.seconds, '--accounts', options.accounts],
      ]),
    );
    await Promise.all(children.map((child) => once(child, 'message')));
    await storeEvaluations(db);
    const answers = children.map((child) => once(child, 'message') as Promise<[Claimed]>);
    const before = await readServerMs(admin);
    for (const child of children) child.send('go');
    const measured = await Promise.all(answers);
    const times = measured.flatMap(([{ times: each }]) => each);
    const updates = measured.flatMap(([{ updates: each }]) => each);
    const serverMs = Number((((await readServerMs(admin)) - before) / times.length).toFixed(2));
    const startedAt = performance.now();
    await readBacklog(db, 10);
    const backlogMs = Math.round(performance.now() - startedAt);
    const figures = quantiles(times, { p50Ms: 0.5, p95Ms: 0.95, p99Ms: 0.99 });
    const control = quantiles(updates, { updateP50Ms: 0.5, updateP95Ms: 0.95 });
    const size = { waiting, accounts, batches, processes, claims: times.length };
    console.log(JSON.stringify({ ...size, ...figures, ...control, serverMs, backlogMs }));
  }
  await admin.end();
}

/** Claims for one account after the other and puts back what it gets, and sends the times of the claims to the parent process. */
async function claim(url: string): Promise<void> {
  const db = open(url);
  let afterBatchId = 0;
  const claimOnce = async ({ times, updates }: { times: number[]; updates: number[] }) => {
    const startedAt = performance.now();
    const claimed = await claimEvaluations(db, {
      accountId: 1 + Math.floor(Math.random() * accounts),
      isPushed: false,
      projectId: null,
      batchId: null,
      afterBatchId,
      limit: 1,
      leaseSeconds: 60,
      evaluator: 'bench',
    });
    times.push(performance.now() - startedAt);
    afterBatchId = claimed.at(-1)?.batchId ?? 0;
    for (const { id } of claimed) {
      const claimedAt = performance.now();
      await sql`update evaluations set state = 'waiting', visible_at = now() where id = ${id}`.execute(db);
      updates.push(performance.now() - claimedAt);
    }
  };
  for (let warmUp = 0; warmUp < 20; warmUp++) await claimOnce({ times: [], updates: [] });
  process.send!('ready');
  await once(process, 'message');
  const measured = { times: [], updates: [] };
  const endsAt = performance.now() + seconds * 1_000;
  while (performance.now() < endsAt) await claimOnce(measured);
  process.send!(measured satisfies Claimed);
  await db.destroy();
  process.disconnect();
}

async function measureIdle(url: string, db: Db): Promise<void> {
  await sql`truncate evaluations`.execute(db);
  const service = await startProcess(
    {
      PORT: '0',
      DATABASE_URL: url,
      RATE_LIMIT_PER_MINUTE: '0',
      MAXIMUM_REQUESTS_IN_FLIGHT: '100000',
      MAXIMUM_REQUESTS_PER_ACCOUNT: '100000',
      MAXIMUM_CONNECTIONS_PER_ADDRESS: '0',
      MAXIMUM_WAITING_SUGGESTIONS: '100000',
      MAXIMUM_WAITING_PER_ACCOUNT: '0',
      MAXIMUM_EVENT_LOOP_DELAY_MS: '0',
    },
    ['--cheap'],
  );
  const client = makeClient(service.url, service.key, idle + 10);
  const admin = new pg.Client({ connectionString: url, application_name: 'admin' });
  // After a failure the server ends before this connection does.
  admin.on('error', () => undefined);
  await admin.connect();
  const without = await measureCost(admin, service.pid);
  let isOver = false;
  let onClaimed = () => undefined;
  const evaluator = async (n: number): Promise<void> => {
    while (!isOver) {
      const answer = await client.call<{ evaluations: unknown[] }>('POST', '/evaluations/claim', {
        evaluator: `rig ${n}`,
        wait: WAIT_SECONDS,
      });
      if (answer.evaluations.length > 0) onClaimed();
    }
  };
  const evaluators = Array.from({ length: idle }, (_, n) => evaluator(n));
  // Spreads the ends of the waits, as those of independent evaluators are.
  await delay(2 * WAIT_SECONDS * 1_000);
  const within = await measureCost(admin, service.pid);
  const { batchId } = await insertOneBatch(admin);
  const served: number[] = [];
  for (let i = 0; i < 20; i++) {
    const claimed = Promise.withResolvers<undefined>();
    onClaimed = () => {
      claimed.resolve(undefined);
      return undefined;
    };
    const startedAt = performance.now();
    await admin.query(
      `with added as (insert into evaluations (account_id, batch_id, project_id, case_number, input, is_pushed)
         select account_id, id, project_id, $2, '{1,2}', false from batches where id = $1 returning account_id)
       select pg_notify('backsolve_evaluations', account_id::text) from added`,
      [batchId, i + 1],
    );
    await claimed.promise;
    served.push(performance.now() - startedAt);
  }
  isOver = true;
  await admin.query("select pg_notify('backsolve_evaluations', '')");
  await Promise.all(evaluators);
  const figures = quantiles(served, { servedP50Ms: 0.5, servedP95Ms: 0.95 });
  console.log(JSON.stringify({ idle, waitSeconds: WAIT_SECONDS, without, within, ...figures }));
  client.close();
  await admin.end();
  await service.stop();
}

/** Per second, over the given time. */
async function measureCost(admin: pg.Client, pid: number) {
  const read = async () => ({
    service: await readProcessMs(pid),
    server: await readServerMs(admin),
    transactions: await countTransactions(admin),
  });
  const before = await read();
  await delay(Math.max(seconds, WAIT_SECONDS) * 1_000);
  const after = await read();
  const perSecond = (name: keyof typeof before) =>
    Number(((after[name] - before[name]) / Math.max(seconds, WAIT_SECONDS)).toFixed(1));
  return {
    serviceMsPerSecond: perSecond('service'),
    databaseMsPerSecond: perSecond('server'),
    transactionsPerSecond: perSecond('transactions'),
  };
}

async function countTransactions(admin: pg.Client): Promise<number> {
  await admin.query('select pg_stat_clear_snapshot()');
  const { rows } = await admin.query<{ n: string }>(
    'select xact_commit as n from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]!.n);
}

async function insertOneBatch(admin: pg.Client): Promise<{ batchId: number }> {
  const { rows } = await admin.query<{ batchId: string }>(`
    with account as (select id from accounts where name = 'bench'),
    model as (insert into models (account_id, name) select id, 'bench' from account returning id, account_id),
    project as (
      insert into projects (account_id, model_id, name, input_count, minimums, maximums, input_types, categories,
        input_cases, case_count, seed)
      select account_id, id, 'bench', 2, '{0,0}', '{10,10}', '{float,float}', '[[],[]]', '{{0,0},{10,1}}', 2, 1
      from model returning id, account_id, model_id)
    insert into batches (account_id, model_id, project_id, status, parallelism, evaluator, output_count, timeout_seconds,
      maximum_tries, maximum_losses, stop_after_failures)
    select account_id, model_id, id, 'evaluating-cases', 64, '{"kind": "pull"}', 2, 3600, 3, 5, 20 from project
    returning id as "batchId"`);
  return { batchId: Number(rows[0]!.batchId) };
}
