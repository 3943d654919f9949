/**
 * The statements by which a batch begins and cancels evaluations. Everything about their leases is in evaluations.ts.
 */

import { type RawBuilder, sql } from 'kysely';
import type { Jacobian } from '../../domain/data/jacobian.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { openInverses } from '../search/open-inverses.ts';

/** Notifies workers that a batch may have something to do; the payload is its id. */
export const BATCHES_CHANNEL = 'backsolve_batches';
/** Notifies ingress processes that an evaluation may be claimable; the payload is the id of its account. */
export const CLAIMABLE_CHANNEL = 'backsolve_evaluations';
/** Notifies workers that an evaluation may be claimable whose evaluator they call; the payload is the same. */
export const PUSHED_CHANNEL = 'backsolve_pushed_evaluations';

const CASES_PER_STATEMENT = 1_000;

/** Counts the inserted rows, and tells evaluators, or workers where they are pushed, on commit. */
const TOLD = sql`
  select (select count(*)::int from inserted) as count, (
    select pg_notify(case when is_pushed then ${sql.lit(PUSHED_CHANNEL)} else ${sql.lit(CLAIMABLE_CHANNEL)} end, account_id::text)
    from inserted limit 1) as told`;

const IS_PUSHED = sql`b.evaluator->>'kind' <> 'pull'`;

/** Begins evaluations of the next `count` designed cases that have none. The caller holds the lock of the batch. */
export async function beginCases(
  trx: Trx,
  batch: { readonly id: number; readonly projectId: number },
  begun: number,
  count: number,
): Promise<void> {
  for (let first = begun; first < begun + count; first += CASES_PER_STATEMENT) {
    const last = Math.min(begun + count, first + CASES_PER_STATEMENT);
    await sql`
      with inserted as (
        insert into evaluations (account_id, batch_id, project_id, case_number, input, is_pushed)
        select b.account_id, b.id, b.project_id, c.number, c.input, ${IS_PUSHED}
        from batches b cross join (
          select ${first}::int + 1 + (u.position - 1) / p.input_count as number, array_agg(u.value order by u.position) as input
          from projects p cross join unnest(p.input_cases[${first + 1}::int:${last}::int]) with ordinality u (value, position)
          where p.id = ${batch.projectId}
          group by 1) c
        where b.id = ${batch.id}
        order by c.number
        on conflict on constraint evaluations_one_per_case do nothing
        returning account_id, is_pushed)
      ${TOLD}`.execute(trx);
  }
}

/**
 * Begins evaluations of up to `limit` inverses of a batch that await their output and have none, the oldest first. Safe to
 * repeat; nothing needs to be locked.
 */
export async function beginInverses(db: Db | Trx, batchId: number, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with inserted as (
      insert into evaluations (account_id, batch_id, project_id, objective_id, inverse_id, source, input, is_pushed)
      select b.account_id, b.id, b.project_id, i.objective_id, i.id, i.source, i.input, ${IS_PUSHED}
      from batches b cross join lateral (${unassignedInverses(sql`b.id`)} order by i.id limit ${limit}) i
      where b.id = ${batchId} and b.status = 'solving'
      on conflict on constraint evaluations_one_per_inverse do nothing
      returning account_id, is_pushed)
    ${TOLD}`.execute(db);
  return rows[0]!.count;
}

const beginInverseOnce = compileSqlOnce<{ inverseId: number }, unknown>(
  (value) => sql`
    with inverse as materialized (
      select b.id as batch_id, b.account_id, b.project_id, i.objective_id, i.id, i.source, i.input, ${IS_PUSHED} as is_pushed,
        p.maximum_evaluations is null as is_free
      from inverses i join objectives o on o.id = i.objective_id join batches b on b.id = o.batch_id
        join projects p on p.id = b.project_id
      where i.id = ${value('inverseId')}::bigint and i.status = 'active' and i.output is null and i.input is not null
        and o.stop_reason = 0 and o.disabled_at is null and b.status = 'solving'
      for share of b),
    inserted as (
      insert into evaluations (account_id, batch_id, project_id, objective_id, inverse_id, source, input, is_pushed)
      select account_id, batch_id, project_id, objective_id, id, source, input, is_pushed from inverse where is_free
      on conflict on constraint evaluations_one_per_inverse do nothing
      returning account_id, is_pushed)
    ${TOLD}, (select pg_notify(${sql.lit(BATCHES_CHANNEL)}, batch_id::text) from inverse where not is_free)`,
);

/**
 * Begins the evaluation of an inverse that was just suggested, if a batch drives its objective. Where evaluations are limited, the
 * batch decides. A batch that is ended at the same moment cancels it, or none begins: the row of the batch is locked first.
 */
export async function beginInverse(db: Db, inverseId: number): Promise<void> {
  await beginInverseOnce(db, { inverseId });
}

/** Inverses of running objectives of a batch that await their output and have no evaluation. */
export function unassignedInverses(batchId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select i.id, i.objective_id, i.source, i.input
    from objectives o cross join lateral (select i.* from ${openInverses(sql`o.id`)}) i
    where o.batch_id = ${batchId} and o.stop_reason = 0 and o.disabled_at is null and i.input is not null
      and not exists (select from evaluations e where e.inverse_id = i.id)`;
}

/** Open evaluations of a batch whose inverse awaits no output any more. */
export function orphanedEvaluations(batchId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select e.id from evaluations e left join inverses i on i.id = e.inverse_id
    where e.batch_id = ${batchId} and e.state in ('waiting', 'leased') and e.inverse_id is not null
      and (i.id is null or i.status <> 'active' or i.output is not null)`;
}

/**
 * Cancels evaluations of a batch that wait or are leased: all of them, or those whose inverse awaits no output any more. A lease
 * stays written, so that its holder can be told.
 */
export async function cancelEvaluations(trx: Trx, batchId: number, which: 'all' | 'orphans'): Promise<number> {
  const isChosen = which === 'all' ? sql`true` : sql`id in (${orphanedEvaluations(sql`${batchId}::bigint`)})`;
  const { numAffectedRows } = await sql`
    update evaluations set state = 'cancelled', finished_at = clock_timestamp(), updated_at = now()
    where batch_id = ${batchId} and state in ('waiting', 'leased') and ${isChosen}`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

export interface EvaluationCounts {
  readonly waiting: number;
  readonly leased: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** Counts the evaluations of a batch, as a column: an object of EvaluationCounts. Served by evaluations_states. */
export function countEvaluations(batchId: RawBuilder<unknown>): RawBuilder<EvaluationCounts> {
  const counts = ['waiting', 'leased', 'done', 'failed', 'cancelled'].map(
    (state) => sql`${sql.lit(state)}, count(*) filter (where e.state = ${sql.lit(state)})`,
  );
  return sql<EvaluationCounts>`(
    select json_build_object(${sql.join(counts)}) from evaluations e where e.batch_id = ${batchId})`;
}

/** Progress of the designed cases, as a column of batch `b` of project `p`; those of a batch of a given trial have no evaluations. */
export const COUNTED_CASES = sql`(
  select json_build_object('planned', case when b.status = 'evaluating-cases' then p.case_count else count(*) end,
    'begun', count(*), 'done', count(*) filter (where e.state = 'done'), 'failed', count(*) filter (where e.state = 'failed'))
  from evaluations e where e.batch_id = b.id and e.case_number is not null)`;

export interface EvaluatedCase {
  /** From 1. */
  readonly number: number;
  /** null: it failed. */
  readonly output: readonly number[] | null;
  readonly jacobian: Jacobian | null;
}

/** The designed cases of a batch with what came of them, in order. */
export async function listEvaluatedCases(trx: Trx, batchId: number): Promise<readonly EvaluatedCase[]> {
  const { rows } = await sql<EvaluatedCase>`
    select case_number as number, case when state = 'done' then output end as output, jacobian
    from evaluations where batch_id = ${batchId} and case_number is not null order by case_number`.execute(trx);
  return rows;
}
