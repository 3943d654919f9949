/**
 * Measures how much an account with thousands of queued suggestions delays another. The small account requests one suggestion
 * after another, first alone and then beside the queue. A computation occupies its slot for a fixed time without using the
 * processor, so that only the order of the queue matters. Also measures a claim, without and with the queue.
 *
 *   npx node bench/service/fairness.ts [--queued 10000] [--inverses 200] [--compute 50] [--concurrency 4]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { openDatabase } from '../../src/composing/database.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { migrate } from '../../src/db/migrate.ts';
import { claimJobs } from '../../src/db/search/suggestion-jobs.ts';
import type { Engine } from '../../src/engine/pool.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { quantiles } from '../quantile.ts';
import { type Client, loadObjective, makeClient } from './client.ts';
import { playCycle } from './cycle-rate.ts';

const { values: options } = parseArgs({
  options: {
    queued: { type: 'string', default: '10000' },
    inverses: { type: 'string' },
    // The former name of --inverses.
    steps: { type: 'string', default: '200' },
    // Milliseconds of one computation.
    compute: { type: 'string', default: '50' },
    concurrency: { type: 'string', default: '4' },
  },
});
const inverses = Number(options.inverses ?? options.steps);
const CLAIMS = 200;
const SHARES = { p50: 0.5, p95: 0.95 };

const log = makeLog({ level: 'warn' });
await using postgres = await startTemporaryPostgres({ log });
await main();

async function main(): Promise<void> {
  const config = loadConfig({
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    WORKER_CONCURRENCY: options.concurrency,
    DATABASE_URL: postgres.url,
  });
  const db = openDatabase(config, postgres.url, log);
  await migrate(db);
  const roles = { ingress: true, worker: true, engine: makePacedEngine(Number(options.compute)) };
  const service = await startService(config, postgres.url, log, roles);
  const clientOf = async (account: string) => {
    const scopes = ['read', 'write'] as const;
    return makeClient(service.url!, await createKey(db, { account, label: null, scopes, expiresAt: null }), 1);
  };
  const [large, small] = [await clientOf('large'), await clientOf('small')];
  const model = Number((await loadObjective(large)).split('/').at(-1));
  const claimMs = { empty: await timeClaims(db) };
  await measure(small);
  const alone = await measure(small);
  await queue(db, model, Number(options.queued));
  const waiting = await countJobs(db);
  const beside = await measure(small);
  const left = await countJobs(db);
  const result = {
    queued: waiting,
    stillQueuedAfterwards: left,
    concurrency: Number(options.concurrency),
    computeMs: Number(options.compute),
    aloneMs: quantiles(alone, SHARES),
    besideTheQueueMs: quantiles(beside, SHARES),
    p95Ratio: Number((quantiles(beside, SHARES).p95 / quantiles(alone, SHARES).p95).toFixed(2)),
    claimMs: { ...claimMs, besideTheQueue: await timeClaims(db) },
  };
  console.log(JSON.stringify(result));
  large.close();
  small.close();
  await service.close();
  await db.destroy();
}

/** Occupies a slot of the worker for the given time. */
function makePacedEngine(computeMs: number): Engine {
  const cheap = makeCheapEngine();
  return {
    ...cheap,
    suggest: async (request, signal) => {
      await delay(computeMs);
      return cheap.suggest(request, signal);
    },
  };
}

/** Returns the milliseconds of each suggestion, requested one after another. */
async function measure(client: Client): Promise<readonly number[]> {
  const path = await loadObjective(client);
  const times: number[] = [];
  for (let n = 0; n < inverses; n++) times.push((await playCycle(client, path)).suggestMs);
  return times;
}

/** Queues one suggestion for each of `count` copies of an objective, in SQL for speed. */
async function queue(db: Db, modelObjectiveId: number, count: number): Promise<void> {
  await sql`
    with copies as (
      insert into objectives (account_id, model_id, project_id, trial_id, number, objectives, objective_types,
        minimum_bounds, maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed)
      select account_id, model_id, project_id, trial_id, number + n, objectives, objective_types, minimum_bounds,
        maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed
      from objectives, generate_series(1, ${count}::int) n where id = ${modelObjectiveId}
      returning id, account_id, initial_input, initial_output),
    first_inverses as (
      insert into inverses (account_id, objective_id, iteration, input, output, suggested_at, loaded_at)
      select account_id, id, 1, initial_input, initial_output, now(), now() from copies),
    next_inverses as (
      insert into inverses (account_id, objective_id, iteration)
      select account_id, id, 2 from copies returning id, account_id, objective_id)
    insert into suggestion_jobs (account_id, objective_id, inverse_id)
    select account_id, objective_id, id from next_inverses`.execute(db);
  await sql`select pg_notify('backsolve_jobs', '')`.execute(db);
}

async function countJobs(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from suggestion_jobs`.execute(db);
  return rows[0]!.count;
}

/** Measures claims of four jobs, each rolled back. */
async function timeClaims(db: Db): Promise<Record<'p50' | 'p95', number>> {
  const times: number[] = [];
  for (let run = 0; run < CLAIMS; run++) {
    const trx = await db.startTransaction().execute();
    const startedAt = performance.now();
    await claimJobs(trx, { limit: 4, leaseMs: 60_000, workerName: 'bench' });
    times.push(performance.now() - startedAt);
    await trx.rollback().execute();
  }
  return quantiles(times, SHARES);
}
