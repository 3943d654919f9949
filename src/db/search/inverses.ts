import { type Compilable, sql } from 'kysely';
import type { Jacobian } from '../../domain/data/jacobian.ts';
import type { RunResult } from '../../domain/data/run-result.ts';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import { type Inverse, InverseStatus, isBeingComputed, type LearnedFrom } from '../../domain/search/inverse.ts';
import type { Formed } from '../../domain/search/standing-of.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import { compileOnce } from '../connection/compiled.ts';
import { anyOf } from '../connection/prepared-statements.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { WAS_RUN } from './known-runs.ts';
import { INVERSE_COLUMNS } from './run-columns.ts';

/**
 * The newest output that an iteration without one knows: two rows along inverses_one_per_iteration in the usual case. Where others
 * were open it is the last of those completed by then, whatever their iterations.
 */
export const BASIS_OUTPUT = sql<readonly number[] | null>`case
  when i.output is not null then null
  when i.pending is null then (
    select b.output from inverses b
    where b.objective_id = i.objective_id and b.iteration < i.iteration and b.output is not null
    order by b.iteration desc limit 1)
  else (
    select b.output from inverses b
    where b.objective_id = i.objective_id and b.iteration < i.iteration and b.output is not null
      and coalesce(b.completed_order, 0) <= i.basis
    order by coalesce(b.completed_order, 0) desc, b.iteration desc limit 1) end`.as('basisOutput');

export interface InverseRow extends Omit<Inverse, 'status' | 'learnedFrom'> {
  readonly status: string;
  readonly learnedFrom: unknown;
}

/** A check constraint allows only the known statuses. */
export function toInverse(row: InverseRow): Inverse {
  return { ...row, status: row.status as InverseStatus, learnedFrom: row.learnedFrom as LearnedFrom | null };
}

function inverses(db: Db | Trx, accountId: number) {
  return db
    .selectFrom('inverses as i')
    .select(INVERSE_COLUMNS)
    .select(BASIS_OUTPUT)
    .where('i.account_id', '=', accountId);
}

const selectInverse = compileOnce<{ accountId: number; id: number }, InverseRow>((db, value) =>
  inverses(db, value('accountId')).where('i.id', '=', value('id')),
);

/** Disabled ones included. Primary key. */
export async function findInverse(db: Db | Trx, accountId: number, id: number): Promise<Inverse | undefined> {
  const [row] = await selectInverse(db, { accountId, id });
  return row && toInverse(row);
}

type FinishedRow = InverseRow & { readonly waitedId: number; readonly isThere: boolean };

const selectFinished = compileOnce<{ accountIds: readonly number[]; ids: readonly number[] }, FinishedRow>(
  (db, value) =>
    db
      .selectFrom(
        sql<{
          account_id: number;
          id: number;
        }>`unnest(${value('accountIds')}::bigint[], ${value('ids')}::bigint[])`.as<'w'>(sql`w (account_id, id)`),
      )
      .leftJoin('inverses as i', (join) => join.onRef('i.id', '=', 'w.id').onRef('i.account_id', '=', 'w.account_id'))
      .select(['w.id as waitedId', sql<boolean>`i.id is not null`.as('isThere')])
      .select(INVERSE_COLUMNS)
      .select(BASIS_OUTPUT)
      // Not isBeingComputed, or deleted.
      .where(
        sql<boolean>`i.status <> 'active' or i.input is not null or i.disabled_at is not null or i.id is null`,
      ) as unknown as Compilable<FinishedRow>,
);

/**
 * Those of the inverses that are no longer being computed, deleted ones included; undefined where there is no such row. The
 * others are left out. One statement along the primary key, however many are asked for.
 */
export async function readFinishedInverses(
  db: Db,
  keys: readonly { readonly accountId: number; readonly id: number }[],
): Promise<ReadonlyMap<number, Inverse | undefined>> {
  const [first, ...others] = keys;
  if (first !== undefined && others.length === 0) {
    // The usual case; its plan is kept, while lists are planned each time.
    const inverse = await findInverse(db, first.accountId, first.id);
    const isPending = inverse !== undefined && isBeingComputed(inverse) && inverse.disabledAt === null;
    return new Map(isPending ? [] : [[first.id, inverse]]);
  }
  const accountIds = keys.map((key) => key.accountId);
  const rows = await selectFinished(db, { accountIds, ids: keys.map((key) => key.id) });
  return new Map(
    rows.map(({ waitedId, isThere, ...row }): [number, Inverse | undefined] => [
      waitedId,
      isThere ? toInverse(row) : undefined,
    ]),
  );
}

const selectLastInverse = compileOnce<{ accountId: number; objectiveId: number }, InverseRow>((db, value) =>
  inverses(db, value('accountId'))
    .where('i.objective_id', '=', value('objectiveId'))
    .orderBy('i.iteration', 'desc')
    .limit(1),
);

/** The inverse with the highest iteration. Every objective has at least iteration 1. */
export async function getLastInverse(db: Db | Trx, accountId: number, objectiveId: number): Promise<Inverse> {
  const [row] = await selectLastInverse(db, { accountId, objectiveId });
  if (row === undefined) throw new Error(`objective ${objectiveId} has no inverses`);
  return toInverse(row);
}

/** All inverses of the objectives, ordered by objective and iteration. */
export async function listAllInverses(
  db: Db | Trx,
  accountId: number,
  objectiveIds: readonly number[],
): Promise<readonly Inverse[]> {
  if (objectiveIds.length === 0) return [];
  const rows = await inverses(db, accountId)
    .where('i.objective_id', '=', anyOf(objectiveIds))
    .orderBy('i.objective_id')
    .orderBy('i.iteration')
    .execute();
  return rows.map(toInverse);
}

/**
 * The newest inverses that have an input, as many as `maximumBytes` are more than those after them need at least; the last
 * one in any case. In order of iteration, with the number of all. Looks at the others' keys only.
 */
export async function listNewestInverses(
  db: Db,
  accountId: number,
  objectiveId: number,
  limit: { readonly maximumBytes: number; readonly withOutputBytes: number; readonly withoutOutputBytes: number },
): Promise<{ readonly inverses: readonly Inverse[]; readonly total: number }> {
  const { rows: newest } = await sql<{ id: number; total: number }>`
    select id, total from (
      select id, count(*) over ()::int as total,
        sum(case when output is null then ${limit.withoutOutputBytes}::bigint else ${limit.withOutputBytes}::bigint end)
          over (order by iteration desc rows between unbounded preceding and 1 preceding) as before
      from inverses
      where account_id = ${accountId} and objective_id = ${objectiveId} and input is not null) i
    where coalesce(before, 0) < ${limit.maximumBytes}`.execute(db);
  const rows = await inverses(db, accountId)
    .where('i.id', '=', anyOf(newest.map(({ id }) => id)))
    .orderBy('i.iteration')
    .execute();
  return { inverses: rows.map(toInverse), total: newest[0]?.total ?? 0 };
}

export async function listInverses(
  db: Db | Trx,
  accountId: number,
  objectiveId: number,
  page: PageRequest,
): Promise<Page<Inverse>> {
  const rows = await inverses(db, accountId)
    .where('i.objective_id', '=', objectiveId)
    .where('i.id', '>', page.after ?? 0)
    .orderBy('i.id')
    .limit(page.limit + 1)
    .execute();
  return toPage(rows.map(toInverse), page);
}

/** The id after which the next page begins, or null when this is the last one. */
export async function findNextPage(
  db: Db,
  accountId: number,
  objectiveId: number,
  { limit, after }: PageRequest,
): Promise<number | null> {
  const ids = await db
    .selectFrom('inverses')
    .select('id')
    .where('account_id', '=', accountId)
    .where('objective_id', '=', objectiveId)
    .where('id', '>', after ?? 0)
    .orderBy('id')
    .offset(limit - 1)
    .limit(2)
    .execute();
  return ids.length === 2 ? ids[0]!.id : null;
}

/** The outputs of an objective's runs, by iteration; without excluded ones and those of cheaper sources, which are no solutions. */
export async function listCompletedOutputs(
  db: Db | Trx,
  objectiveId: number,
): Promise<readonly { readonly id: number; readonly iteration: number; readonly output: readonly number[] }[]> {
  const { rows } = await sql<{ id: number; iteration: number; output: readonly number[] }>`
    select i.id, i.iteration, i.output from inverses i
    where i.objective_id = ${objectiveId} and i.output is not null and ${WAS_RUN} and i.excluded_at is null and i.source is null
    order by i.iteration`.execute(db);
  return rows;
}

/** Ids, and the numbers of their objectives within the trial, by `objectiveId iteration`. */
export async function listInverseIds(
  db: Db | Trx,
  wanted: readonly { readonly objectiveId: number; readonly iteration: number }[],
): Promise<ReadonlyMap<string, { readonly id: number; readonly objectiveNumber: number }>> {
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<{ id: number; objective_id: number; iteration: number; number: number }>`
    select i.id, i.objective_id, i.iteration, o.number
    from unnest(${wanted.map((one) => one.objectiveId)}::bigint[], ${wanted.map((one) => one.iteration)}::integer[])
      as w (objective_id, iteration)
    join inverses i on i.objective_id = w.objective_id and i.iteration = w.iteration
    join objectives o on o.id = w.objective_id`.execute(db);
  return new Map(
    rows.map(({ id, number, ...at }) => [`${at.objective_id} ${at.iteration}`, { id, objectiveNumber: number }]),
  );
}

/** The inputs of the solutions found so far, in the order in which they were completed. */
export async function listSolutionInputs(db: Db | Trx, objectiveId: number): Promise<readonly (readonly number[])[]> {
  const { rows } = await sql<{ input: readonly number[] }>`
    select i.input from inverses i where i.objective_id = ${objectiveId} and i.status = ${InverseStatus.converged}
    order by coalesce(i.completed_order, 0)`.execute(db);
  return rows.map(({ input }) => input);
}

export interface NewInverse {
  readonly objectiveId: number;
  readonly iteration: number;
  readonly status: InverseStatus;
  readonly input: readonly number[] | null;
  readonly output: readonly number[] | null;
  readonly jacobian: Jacobian | null;
  readonly isLoaded: boolean;
  readonly isSatisfied: boolean;
}

/** The unique (objective, iteration) makes a second inverse of one iteration impossible. */
export async function insertInverse(trx: Trx, accountId: number, inverse: NewInverse): Promise<number> {
  const now = sql<Date>`now()`;
  const row = await trx
    .insertInto('inverses')
    .values({
      account_id: accountId,
      objective_id: inverse.objectiveId,
      iteration: inverse.iteration,
      status: inverse.status,
      input: inverse.input,
      output: inverse.output,
      jacobian: inverse.jacobian,
      suggested_at: inverse.input === null ? null : now,
      loaded_at: inverse.isLoaded ? now : null,
      satisfied_at: inverse.isSatisfied ? now : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Stores what is known about the run of an inverse after a correction. The caller holds the lock of the objective. */
export async function storeResult(trx: Trx, id: number, result: RunResult): Promise<void> {
  const isFailed = result.output === null;
  await sql`
    update inverses set
      output = ${result.output}::float8[], jacobian = ${result.jacobian}::float8[], failure_reason = ${result.failureReason}::text,
      loaded_at = case when not ${isFailed}::boolean then coalesce(loaded_at, now()) end,
      failed_at = case when ${isFailed}::boolean then coalesce(failed_at, now()) end,
      excluded_at = case when ${result.isExcluded}::boolean then coalesce(excluded_at, now()) end, updated_at = now()
    where id = ${id}`.execute(trx);
}

/** Stores the states that a correction leads to, with their instants. The caller holds the lock of the objective. */
export async function storeRevisedStates(
  trx: Trx,
  objectiveId: number,
  { stopReason, statuses, exhaustedId }: Pick<Formed, 'statuses' | 'exhaustedId'> & { readonly stopReason: StopReason },
): Promise<void> {
  await sql`
    update inverses i set
      status = c.status,
      satisfied_at = case when c.status = ${InverseStatus.converged} then coalesce(i.satisfied_at, now()) end,
      stopped_at = case when c.status = ${InverseStatus.stopped} then coalesce(i.stopped_at, now()) else i.stopped_at end,
      updated_at = now()
    from unnest(${[...statuses.keys()]}::bigint[], ${[...statuses.values()]}::text[]) as c (id, status)
    where i.id = c.id and i.objective_id = ${objectiveId}`.execute(trx);
  const isExhausted = stopReason === StopReason.exhausted;
  await sql`
    update inverses set exhausted_at = case when id = ${exhaustedId}::bigint then coalesce(exhausted_at, now()) end
    where objective_id = ${objectiveId}
      and (exhausted_at is not null or ${isExhausted}::boolean and id = ${exhaustedId}::bigint)`.execute(trx);
}

/** Reopens the last run of an objective that runs on: it is one like the others. The caller holds the lock of the objective. */
export async function clearExhausted(trx: Trx, objectiveId: number): Promise<void> {
  await sql`
    update inverses set
      status = case when status = ${InverseStatus.maxIterations} then ${InverseStatus.active} else status end,
      exhausted_at = null, updated_at = now()
    where objective_id = ${objectiveId} and exhausted_at is not null`.execute(trx);
}
