/** Batches and their objectives. Lock order: the batch, then its project, trial, evaluations and objectives. */
import { type RawBuilder, sql } from 'kysely';
import {
  type Batch,
  type BatchProgress,
  type BatchSettings,
  type BatchStatus,
  type BatchWithProgress,
  type Evaluator,
  isOpen,
} from '../../domain/batches/batch.ts';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { rowsOfPage } from '../pages.ts';
import {
  BATCHES_CHANNEL,
  CLAIMABLE_CHANNEL,
  COUNTED_CASES,
  cancelEvaluations,
  countEvaluations,
  PUSHED_CHANNEL,
} from './batch-evaluations.ts';

export { BATCHES_CHANNEL };

const COLUMNS = sql`
  b.id, b.model_id as "modelId", b.project_id as "projectId", b.trial_id as "trialId", b.name, b.status,
  b.is_paused as "isPaused", b.parallelism, b.evaluator, b.output_count as "outputCount",
  b.timeout_seconds as "timeoutSeconds", b.maximum_tries as "maximumTries", b.maximum_losses as "maximumLosses",
  b.stop_after_failures as "stopAfterFailures", b.failure_reason as "failureReason", b.created_at as "createdAt",
  b.updated_at as "updatedAt", b.finished_at as "finishedAt"`;

interface BatchRow extends Omit<Batch, 'status' | 'evaluator'> {
  readonly status: string;
  readonly evaluator: unknown;
}

/** Status and evaluator were checked before they were stored. */
function toBatch<Row extends BatchRow>(row: Row): Row & Batch {
  return row as Row & Batch;
}

const OBJECTIVES = sql`(
  select json_build_object('planned', count(*),
    'running', count(*) filter (where o.stop_reason = ${sql.lit(StopReason.running)}),
    'satisfied', count(*) filter (where o.stop_reason = ${sql.lit(StopReason.satisfied)}),
    'stopped', count(*) filter (where o.stop_reason = ${sql.lit(StopReason.stopped)}),
    'exhausted', count(*) filter (where o.stop_reason = ${sql.lit(StopReason.exhausted)}),
    'failed', count(*) filter (where q.failure_reason is not null and q.objective_id is null))
  from batch_objectives q left join objectives o on o.id = q.objective_id where q.batch_id = b.id)`;

type ProgressRow = BatchRow & BatchProgress;

function toProgress(row: ProgressRow): BatchWithProgress {
  const { cases, objectives, evaluations, ...batch } = row;
  const { planned, done, failed } = cases;
  return { ...toBatch(batch), progress: { cases: { planned, done, failed }, objectives, evaluations } };
}

function selectWithProgress(condition: RawBuilder<unknown>): RawBuilder<ProgressRow> {
  return sql<ProgressRow>`
    select ${COLUMNS}, ${COUNTED_CASES} as cases, ${OBJECTIVES} as objectives, ${countEvaluations(sql`b.id`)} as evaluations
    from batches b join projects p on p.id = b.project_id where ${condition}`;
}

/** Primary key; counts along evaluations_states. */
export async function findBatch(db: Db | Trx, accountId: number, id: number): Promise<BatchWithProgress | undefined> {
  const { rows } = await selectWithProgress(sql`b.account_id = ${accountId} and b.id = ${id}`).execute(db);
  return rows[0] && toProgress(rows[0]);
}

export interface BatchFilter {
  readonly status: BatchStatus | null;
  readonly projectId: number | null;
}

export async function listBatches(
  db: Db,
  accountId: number,
  { status, projectId }: BatchFilter,
  page: PageRequest,
): Promise<Page<BatchWithProgress>> {
  const ofProject = projectId === null ? sql`` : sql`and b.project_id = ${projectId}`;
  const ofStatus = status === null ? sql`` : sql`and b.status = ${status}`;
  const { condition, order } = rowsOfPage('b.id', page);
  const chosen = sql`b.account_id = ${accountId} and ${condition} ${ofProject} ${ofStatus}
    order by ${order} limit ${page.limit + 1}`;
  const { rows } = await selectWithProgress(chosen).execute(db);
  return toPage(rows.map(toProgress), page);
}

/** Locks the row: everything that moves a batch queues up here. */
export async function lockBatch(trx: Trx, accountId: number, id: number): Promise<Batch | undefined> {
  const { rows } = await sql<BatchRow>`
    select ${COLUMNS} from batches b where b.account_id = ${accountId} and b.id = ${id} for update`.execute(trx);
  return rows[0] && toBatch(rows[0]);
}

export interface HeldBatch extends Batch {
  readonly accountId: number;
}

/** Locks an open batch, whoever owns it; undefined while another transaction holds it. */
export async function holdBatch(trx: Trx, id: number): Promise<HeldBatch | undefined> {
  const { rows } = await sql<BatchRow & { accountId: number }>`
    select ${COLUMNS}, b.account_id as "accountId" from batches b
    where b.id = ${id} and b.status in ('evaluating-cases', 'solving') for update skip locked`.execute(trx);
  return rows[0] && toBatch(rows[0]);
}

/** Primary key. */
export async function findOwner(
  db: Db | Trx,
  id: number,
): Promise<{ readonly accountId: number; readonly projectId: number } | undefined> {
  const { rows } = await sql<{ accountId: number; projectId: number }>`
    select account_id as "accountId", project_id as "projectId" from batches where id = ${id}`.execute(db);
  return rows[0];
}

/** Primary key. */
export async function isBatchOpen(db: Db, id: number): Promise<boolean> {
  const { rows } = await sql`
    select from batches where id = ${id} and status in ('evaluating-cases', 'solving')`.execute(db);
  return rows.length === 1;
}

/** Locks the project if its evaluations are limited, and returns whether they are. The caller holds the lock of the batch. */
export async function lockLimit(trx: Trx, accountId: number, projectId: number): Promise<boolean> {
  const { rows } = await sql`
    select from projects
    where account_id = ${accountId} and id = ${projectId} and maximum_evaluations is not null for no key update`.execute(
    trx,
  );
  return rows.length === 1;
}

/** Whether the account has at least `count` batches that have not ended. Served by batches_account. */
export async function hasOpenBatches(trx: Trx, accountId: number, count: number): Promise<boolean> {
  const { rows } = await sql`
    select from batches where account_id = ${accountId} and status in ('evaluating-cases', 'solving')
    offset ${count - 1} limit 1`.execute(trx);
  return rows.length === 1;
}

export interface NewBatchRow extends BatchSettings {
  readonly modelId: number;
  readonly projectId: number;
  readonly trialId: number | null;
  readonly status: BatchStatus;
  readonly outputCount: number;
  readonly evaluatorSecret: Uint8Array | null;
}

/** Workers hear of it on commit. */
export async function insertBatch(trx: Trx, accountId: number, batch: NewBatchRow): Promise<number> {
  const { evaluatorSecret: secret } = batch;
  const { rows } = await sql<{ id: number }>`
    with inserted as (
      insert into batches (account_id, model_id, project_id, trial_id, name, status, parallelism, evaluator, evaluator_secret,
        workbook_id, output_count, timeout_seconds, maximum_tries, maximum_losses, stop_after_failures)
      values (${accountId}, ${batch.modelId}, ${batch.projectId}, ${batch.trialId}, ${batch.name}, ${batch.status},
        ${batch.parallelism}, ${JSON.stringify(batch.evaluator)}, ${secret && Buffer.from(secret)},
        ${workbookIdOf(batch)}, ${batch.outputCount},
        ${batch.timeoutSeconds}, ${batch.maximumTries}, ${batch.maximumLosses}, ${batch.stopAfterFailures})
      returning id)
    select id, pg_notify(${sql.lit(BATCHES_CHANNEL)}, id::text) from inserted`.execute(trx);
  return rows[0]!.id;
}

function workbookIdOf({ evaluator }: NewBatchRow): number | null {
  return evaluator.kind === 'workbook' ? evaluator.workbookId : null;
}

export interface BatchChange {
  readonly name?: string | null;
  readonly parallelism?: number;
  readonly isPaused?: boolean;
  readonly status?: BatchStatus;
  readonly trialId?: number;
  readonly failureReason?: string | null;
}

/** The caller holds the lock of the row. Workers hear of it on commit. */
export async function updateBatch(trx: Trx, id: number, change: BatchChange): Promise<void> {
  const { status } = change;
  const changes = [
    sql`updated_at = now()`,
    sql`due_at = now()`,
    ...(change.name === undefined ? [] : [sql`name = ${change.name}`]),
    ...(change.parallelism === undefined ? [] : [sql`parallelism = ${change.parallelism}`]),
    ...(change.isPaused === undefined ? [] : [sql`is_paused = ${change.isPaused}`]),
    ...(change.trialId === undefined ? [] : [sql`trial_id = ${change.trialId}`]),
    ...(change.failureReason === undefined ? [] : [sql`failure_reason = ${change.failureReason}`]),
    ...(status === undefined
      ? []
      : [sql`status = ${status}`, isOpen(status) ? sql`finished_at = null` : sql`finished_at = now()`]),
  ];
  await sql`
    with updated as (update batches set ${sql.join(changes)} where id = ${id} returning id)
    select pg_notify(${sql.lit(BATCHES_CHANNEL)}, id::text) from updated`.execute(trx);
}

/** Looked at again after that time, unless something happens before. */
export async function postponeBatch(db: Db | Trx, id: number, delaySeconds: number): Promise<void> {
  await sql`update batches set due_at = now() + ${delaySeconds} * interval '1 second' where id = ${id}`.execute(db);
}

/**
 * Takes up to `limit` open batches that are due, the most overdue first, and makes them due again after `everySeconds`: of
 * several workers one looks at each. Served by batches_due.
 */
export async function takeDueBatches(db: Db, limit: number, everySeconds: number): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    update batches set due_at = now() + ${everySeconds} * interval '1 second'
    where id in (
      select id from batches where status in ('evaluating-cases', 'solving') and due_at <= now()
      order by due_at limit ${limit} for update skip locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Ids of open batches after one, in order, of all accounts. */
export async function listOpenBatchIds(db: Db, after: number, limit: number): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from batches where status in ('evaluating-cases', 'solving') and id > ${after} order by id limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Ids of the open batches of a record that is about to be deleted, locked in order. */
export async function lockOpenBatchesOf(
  trx: Trx,
  accountId: number,
  column: 'model_id' | 'project_id' | 'trial_id',
  id: number,
): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from batches
    where account_id = ${accountId} and ${sql.ref(column)} = ${id} and status in ('evaluating-cases', 'solving')
    order by id for update`.execute(trx);
  return rows.map((row) => row.id);
}

/** An evaluator that a worker serves: it posts the evaluations of a batch to an address, or calculates a workbook. */
export type ServedEvaluator = Exclude<Evaluator, { kind: 'pull' }> & {
  /** Secret of an http evaluator. */
  readonly secret: Uint8Array | null;
  readonly timeoutSeconds: number;
};

/** Reads the evaluators of batches that workers serve, by id. Primary key. */
export async function readServedEvaluators(
  db: Db,
  batchIds: readonly number[],
): Promise<ReadonlyMap<number, ServedEvaluator>> {
  const { rows } = await sql<{
    readonly id: number;
    readonly evaluator: Exclude<Evaluator, { kind: 'pull' }>;
    readonly secret: Uint8Array | null;
    readonly timeoutSeconds: number;
  }>`
    select id, evaluator, evaluator_secret as secret,
      least(timeout_seconds, coalesce((evaluator->>'timeoutSeconds')::integer, timeout_seconds)) as "timeoutSeconds"
    from batches where id = any (${batchIds}::bigint[]) and evaluator->>'kind' <> 'pull'`.execute(db);
  return new Map(rows.map(({ id, evaluator, ...more }) => [id, { ...evaluator, ...more }]));
}

/** Wakes the open batches of a project, on commit. */
export async function tellBatchesOf(trx: Trx, projectId: number): Promise<void> {
  await sql`
    select pg_notify(${sql.lit(BATCHES_CHANNEL)}, id::text) from batches
    where project_id = ${projectId} and status in ('evaluating-cases', 'solving')`.execute(trx);
}

/** Cancels batches that the caller holds because what they work on was deleted. */
export async function cancelDeleted(trx: Trx, ids: readonly number[], reason: string): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update batches set status = 'cancelled', failure_reason = ${reason}, finished_at = now(), updated_at = now()
    where id = any (${ids}::bigint[])`.execute(trx);
  for (const id of ids) await cancelEvaluations(trx, id, 'all');
}

/** Tells evaluators, or workers where they are pushed, that evaluations of a batch may be claimable, on commit. */
export async function tellClaimable(trx: Trx, batchId: number): Promise<void> {
  await sql`
    select pg_notify(case when evaluator->>'kind' <> 'pull' then ${sql.lit(PUSHED_CHANNEL)} else ${sql.lit(CLAIMABLE_CHANNEL)} end,
      account_id::text)
    from batches where id = ${batchId}`.execute(trx);
}
