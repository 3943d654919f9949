/**
 * Measures a batch of many objectives with a few evaluators and a black box that takes a fixed time, on a real service: how much
 * longer it takes than its runs, shared out evenly, would; how long an objective waits from an output to its next input; and what an
 * evaluation costs the service and the database in processor time and transactions.
 *
 *   npx node bench/service/batch.ts [--objectives 100] [--evaluators 4] [--parallelism 4] [--run-ms 300] [--cheap]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrateDatabase } from '../../harness/database-handle.ts';
import { makeLog } from '../../src/log.ts';
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { quantiles } from '../quantile.ts';
import { blackBox, type Client, makeClient, startProcess } from './client.ts';
import { readProcessMs, readServerMs } from './processor-time.ts';

const { values: options } = parseArgs({
  options: {
    objectives: { type: 'string', default: '100' },
    evaluators: { type: 'string', default: '4' },
    parallelism: { type: 'string', default: '4' },
    'run-ms': { type: 'string', default: '300' },
    cheap: { type: 'boolean', default: false },
  },
});
const [objectiveCount, evaluatorCount] = [Number(options.objectives), Number(options.evaluators)];
const [parallelism, runMs] = [Number(options.parallelism), Number(options['run-ms'])];
let isOver = false;
const SHARES = { p50: 0.5, p95: 0.95, max: 1 };

interface Batch {
  readonly id: number;
  readonly status: string;
  readonly createdAt: string;
  readonly finishedAt: string;
  readonly progress: { readonly objectives: object; readonly evaluations: { readonly done: number } };
}

const log = makeLog({ level: 'warn' });
const dataDir = await mkdtemp(join(tmpdir(), 'backsolve-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir, log });
const database = new pg.Client({ connectionString: postgres.url });
try {
  await migrateDatabase(postgres.url);
  await database.connect();
  const env = { PORT: '0', DATABASE_URL: postgres.url, LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '0' };
  const service = await startProcess(env, options.cheap ? ['--cheap'] : []);
  const client = makeClient(service.url, service.key, evaluatorCount + 1);
  const before = await readCosts(service.pid);
  const { id } = await createBatch(client);
  const evaluators = Array.from({ length: evaluatorCount }, (_, i) => evaluate(client, id, `evaluator-${i}`));
  let batch: Batch;
  do {
    // Seldom, because its cost does not belong to the evaluations.
    await delay(1_000);
    batch = await client.call<Batch>('GET', `/batches/${id}`);
  } while (batch.status === 'evaluating-cases' || batch.status === 'solving');
  const elapsedMs = Date.parse(batch.finishedAt) - Date.parse(batch.createdAt);
  isOver = true;
  const ranMs = (await Promise.all(evaluators)).reduce((sum, each) => sum + each, 0);
  const after = await readCosts(service.pid);
  const runs = batch.progress.evaluations.done;
  const perRun = (name: keyof typeof after) => Number(((after[name] - before[name]) / runs).toFixed(1));
  console.log(
    JSON.stringify({
      status: batch.status,
      objectives: batch.progress.objectives,
      runs,
      elapsedS: Number((elapsedMs / 1_000).toFixed(1)),
      overIdeal: Number(((elapsedMs * evaluatorCount) / ranMs).toFixed(3)),
      fromOutputToNextInputMs: quantiles(await readLags(id), SHARES, 0),
      perRun: { serviceMs: perRun('serviceMs'), databaseMs: perRun('databaseMs'), commits: perRun('commits') },
    }),
  );
  client.close();
  await service.stop();
} finally {
  await database.end();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** Objectives all over the range of the black box, each to be met within a fraction of a percent of that range. */
async function createBatch(client: Client): Promise<Batch> {
  const model = await client.call<{ id: number }>('POST', '/models', { name: 'bench' });
  const path = `/models/${model.id}/projects`;
  const space = { inputCount: 2, minimums: [0, 0], maximums: [10, 10], inputTypes: ['float', 'float'] };
  const project = await client.call<{ id: number }>('POST', path, { name: 'bench', ...space });
  const objectives = Array.from({ length: objectiveCount }, (_, i) => ({
    // Multiples of two irrational numbers fill the square evenly.
    objectives: blackBox([(i * 6.180339887) % 10, (i * 4.142135624) % 10]),
    objectiveTypes: ['value', 'value'],
    minimumBounds: [-0.02, -0.001],
    maximumBounds: [0.02, 0.001],
    maximumAttempts: 60,
  }));
  return client.call('POST', `${path}/${project.id}/batches`, { objectives, parallelism });
}

/** Returns for how long it ran the black box. */
async function evaluate(client: Client, batchId: number, evaluator: string): Promise<number> {
  let ranMs = 0;
  while (!isOver) {
    const { evaluations } = await client.call<{
      evaluations: { id: number; leaseToken: string; input: readonly number[] }[];
    }>('POST', '/evaluations/claim', { evaluator, batchId, wait: 1 });
    for (const { id, leaseToken, input } of evaluations) {
      const startedAt = performance.now();
      await delay(runMs);
      ranMs += performance.now() - startedAt;
      await client.call('PUT', `/evaluations/${id}/output`, { leaseToken, output: blackBox(input) });
    }
  }
  return ranMs;
}

/** Milliseconds from the output of an inverse to the evaluation of the next one of its objective. */
async function readLags(batchId: number): Promise<readonly number[]> {
  const { rows } = await database.query<{ ms: number }>(
    `select extract(epoch from created_at - lag(finished_at) over (partition by objective_id order by id))::float8 * 1000 as ms
     from evaluations where batch_id = $1 and inverse_id is not null and state <> 'cancelled'`,
    [batchId],
  );
  return rows.map(({ ms }) => ms).filter((ms) => ms !== null);
}

async function readCosts(pid: number) {
  const { rows } = await database.query<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  );
  return {
    serviceMs: await readProcessMs(pid),
    databaseMs: await readServerMs(database),
    commits: Number(rows[0]!.commits),
  };
}
