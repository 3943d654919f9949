/**
 * The open inverses of an objective: those being computed and those that await an output. At most as many as the largest
 * parallelism, however many inverses the objective has.
 */
import { type RawBuilder, sql } from 'kysely';
import { type Inverse, InverseStatus } from '../../domain/search/inverse.ts';
import type { OpenInverse } from '../../domain/search/opening.ts';
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

/** Number of the newest inverses of objective `id` in a row that could not be computed. */
export function failedSuggestions(id: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(
    select count(*)::int from inverses
    where objective_id = ${id} and input is null and status = ${sql.lit(InverseStatus.failed)} and iteration > (
      select iteration from inverses
      where objective_id = ${id} and input is not null order by iteration desc limit 1))`;
}

/** In order of iteration, for a reader: what changes them reads them with the search. */
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

/** The inverses that were given up after they had been handed out, and have no output. Looks at all of them. */
export async function listLate(
  db: Db | Trx,
  objectiveId: number,
): Promise<readonly { readonly id: number; readonly iteration: number }[]> {
  const { rows } = await sql<{ id: number; iteration: number }>`
    select id, iteration from inverses
    where objective_id = ${objectiveId} and status = ${InverseStatus.stopped} and input is not null and output is null
    order by iteration`.execute(db);
  return rows;
}

export interface Asked {
  readonly objectiveId: number;
  readonly asker: string;
  /** Its inverses come after this iteration. */
  readonly after: number;
}

export interface AskedInverses {
  /** Inverses opened for the asker, in order of iteration. */
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
