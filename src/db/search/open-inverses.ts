/**
 * The open inverses of an objective: those being computed and those that await an output. At most as many as the largest
 * parallelism, however many inverses the objective has.
 */
import { type RawBuilder, sql } from 'kysely';
import { type Inverse, InverseStatus } from '../../domain/inverse.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { BASIS_OUTPUT, type InverseRow, toInverse } from './inverses.ts';
import { columns } from './iteration-rows.ts';
import { INVERSE_COLUMNS } from './run-columns.ts';

/**
 * The open inverses `i` of objective `id`. One is computed at a time and knows which earlier ones were open (`pending`, ascending),
 * so that none comes before the first of those that the newest input knows: no index is needed for them.
 */
export function openInverses(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    (select iteration, pending from inverses
      where objective_id = ${id} and input is not null order by iteration desc limit 1) newest
    join inverses i on i.objective_id = ${id} and i.status = ${sql.lit(InverseStatus.active)} and i.output is null
      and i.iteration >= least(newest.iteration, newest.pending[1])`;
}

/** How many of the newest inverses of objective `id` in a row could not be computed. */
export function failedSuggestions(id: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(
    select count(*)::int from inverses
    where objective_id = ${id} and input is null and status = ${sql.lit(InverseStatus.failed)} and iteration > (
      select iteration from inverses
      where objective_id = ${id} and input is not null order by iteration desc limit 1))`;
}

export interface OpenInverse {
  readonly id: number;
  readonly iteration: number;
  /** False while it is being computed. */
  readonly isSuggested: boolean;
  /** How likely the model considered its success; null where it says nothing. */
  readonly chance: number | null;
}

/** In order of iteration. A change that relies on them holds the lock of the objective. */
export async function listOpenInverses(db: Db | Trx, objectiveId: number): Promise<readonly OpenInverse[]> {
  const { rows } = await sql<OpenInverse>`
    select i.id, i.iteration, i.input is not null as "isSuggested", i.chance
    from ${openInverses(sql`${objectiveId}::bigint`)} order by i.iteration`.execute(db);
  return rows;
}

/** The same as records. */
export async function readOpenInverses(db: Db | Trx, objectiveId: number): Promise<readonly Inverse[]> {
  const { rows } = await sql<InverseRow>`
    select ${columns(INVERSE_COLUMNS)}, ${BASIS_OUTPUT} from ${openInverses(sql`${objectiveId}::bigint`)}
    order by i.iteration`.execute(db);
  return rows.map(toInverse);
}

/** The inverse that was completed last, or the newest one where none was. Looks at all of them. */
export async function findLastCompleted(db: Db | Trx, objectiveId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from inverses where objective_id = ${objectiveId}
    order by completed_order desc nulls last, iteration desc limit 1`.execute(db);
  return rows[0]!.id;
}

/** The highest iteration of an objective. */
export async function getLastIteration(trx: Trx, objectiveId: number): Promise<number> {
  const { rows } = await sql<{ iteration: number }>`
    select max(iteration) as iteration from inverses where objective_id = ${objectiveId}`.execute(trx);
  return rows[0]!.iteration;
}

/** Opens the next iteration. The caller holds the lock of the objective. */
export async function insertNextInverse(
  trx: Trx,
  accountId: number,
  {
    objectiveId,
    iteration,
    askedBy,
  }: { readonly objectiveId: number; readonly iteration: number; readonly askedBy: string },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into inverses (account_id, objective_id, iteration, asked_by)
    values (${accountId}, ${objectiveId}, ${iteration}, ${askedBy}) returning id`.execute(trx);
  return rows[0]!.id;
}

/** Removes the newest inverse, for which no input was found. The caller holds the lock of the objective. */
export async function removeUncomputed(trx: Trx, inverseId: number): Promise<void> {
  await sql`delete from inverses where id = ${inverseId} and input is null`.execute(trx);
}

export interface Asked {
  readonly objectiveId: number;
  readonly asker: string;
  /** Its inverses come after this iteration. */
  readonly after: number;
}

export interface AskedInverses {
  /** What was opened for the asker, in order of iteration. */
  readonly inverses: readonly Inverse[];
  /** The inverse that is being computed while others for the asker are still to follow; null: none follows. */
  readonly awaitedId: number | null;
}

/** Along inverses_one_per_iteration, from where the request was made. */
export async function readAsked(
  db: Db | Trx,
  accountId: number,
  { objectiveId, asker, after }: Asked,
): Promise<AskedInverses> {
  const { rows } = await sql<InverseRow & { readonly awaitedId: number | null }>`
    select ${columns(INVERSE_COLUMNS)}, ${BASIS_OUTPUT}, j.inverse_id as "awaitedId"
    from (select) one
    left join suggestion_jobs j on j.objective_id = ${objectiveId} and j.account_id = ${accountId} and ${asker} = any (j.askers)
    left join inverses i on i.objective_id = ${objectiveId} and i.account_id = ${accountId} and i.iteration > ${after}::integer
      and i.asked_by = ${asker}
    order by i.iteration`.execute(db);
  const inverses = rows.flatMap(({ awaitedId: _, ...row }) => (row.id === null ? [] : [toInverse(row)]));
  return { inverses, awaitedId: rows[0]!.awaitedId };
}

/** Gives up open inverses, in order of iteration, and returns those that had been handed out. The caller holds the lock of the objective. */
export async function giveUpInverses(
  trx: Trx,
  objectiveId: number,
  ids: readonly number[],
): Promise<readonly number[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: number; isSuggested: boolean }>`
    with counted as (
      update objectives set completed_count = completed_count + ${ids.length}, updated_at = now()
      where id = ${objectiveId} returning completed_count),
    numbered as (
      select i.id, row_number() over (order by i.iteration) as number from inverses i where i.id = any (${ids}::bigint[]))
    update inverses i set status = ${InverseStatus.stopped}, stopped_at = now(), updated_at = now(),
      completed_order = c.completed_count - ${ids.length} + n.number
    from numbered n cross join counted c
    where i.id = n.id
    returning i.id, i.input is not null as "isSuggested"`.execute(trx);
  return rows.flatMap(({ id, isSuggested }) => (isSuggested ? [id] : [])).toSorted((a, b) => a - b);
}

export interface Completion {
  readonly objectiveId: number;
  readonly inverseId: number;
  readonly status: InverseStatus;
  /** null: the run failed. */
  readonly output: readonly number[] | null;
  /** Nanoseconds, or null for the time since the input was handed out, by the database's clock. */
  readonly computeTimeNs: number | null;
  readonly failureReason: string | null;
  readonly isSatisfied: boolean;
  readonly isExhausted: boolean;
}

/** Stores what came of a run, and numbers it. The caller holds the lock of the objective. */
export async function storeCompletion(trx: Trx, completion: Completion): Promise<Inverse> {
  const { objectiveId, inverseId, status, output, computeTimeNs, failureReason, isSatisfied, isExhausted } = completion;
  const isFailed = output === null;
  const { rows } = await sql<InverseRow>`
    with counted as (
      update objectives set completed_count = completed_count + 1, updated_at = now()
      where id = ${objectiveId} returning completed_count)
    update inverses i set
      status = ${status}, output = ${output}::float8[], failure_reason = ${failureReason}::text,
      compute_time_ns = coalesce(
        ${computeTimeNs}::bigint, greatest(0, extract(epoch from now() - i.suggested_at) * 1e9)::bigint),
      loaded_at = case when not ${isFailed}::boolean then now() end,
      failed_at = case when ${isFailed}::boolean then now() end,
      satisfied_at = case when ${isSatisfied}::boolean then now() else i.satisfied_at end,
      exhausted_at = case when ${isExhausted}::boolean then now() else i.exhausted_at end,
      completed_order = c.completed_count, updated_at = now()
    from counted c
    where i.id = ${inverseId}
    returning ${columns(INVERSE_COLUMNS)}, ${BASIS_OUTPUT}`.execute(trx);
  return toInverse(rows[0]!);
}
