/** What the list of all objectives of an account reads, besides the objectives themselves. */
import { type RawBuilder, sql } from 'kysely';
import { type Page, type PageRequest, toPage } from '../domain/page.ts';
import { StopReason } from '../domain/stop-reason.ts';
import type { Run } from './inverses.ts';
import type { Db } from './transaction.ts';

/** Along objectives_open or objectives_ended, for which the stop reason must be part of the text. */
function newestOf(
  accountId: number,
  stopReason: StopReason,
  { limit, after }: PageRequest,
): RawBuilder<{ id: number }> {
  return sql`(select id from objectives
    where account_id = ${accountId} and stop_reason = ${sql.lit(stopReason)} and disabled_at is null
      and id < ${after ?? Number.MAX_SAFE_INTEGER}
    order by id desc limit ${limit + 1})`;
}

/** Ids of the active objectives of an account, newest first. Looks at one page of entries per stop reason. */
export async function listNewestObjectives(
  db: Db,
  accountId: number,
  stopReason: StopReason | null,
  page: PageRequest,
): Promise<Page<number>> {
  const reasons = stopReason === null ? Object.values(StopReason) : [stopReason];
  const parts = reasons.map((reason) => newestOf(accountId, reason, page));
  const { rows } = await sql<{ id: number }>`
    select id from (${sql.join(parts, sql` union all `)}) o order by id desc limit ${page.limit + 1}`.execute(db);
  const { items, nextAfter } = toPage(rows, page);
  return { items: items.map(({ id }) => id), nextAfter };
}

export interface ObjectiveSurroundings {
  readonly id: number;
  readonly modelId: number;
  readonly modelName: string;
  readonly projectId: number;
  readonly projectName: string;
  readonly trialNumber: number;
  /** Of its newest inverse. */
  readonly iteration: number;
  readonly status: string;
  readonly hasInput: boolean;
  readonly hasOutput: boolean;
  readonly hasDiagnosis: boolean;
  /** Changes whenever something does that a list of objectives shows. */
  readonly stamp: string;
}

/** The parents and the newest inverse of each objective, by its id. A few index look-ups each. */
export async function readSurroundings(
  db: Db,
  objectiveIds: readonly number[],
): Promise<ReadonlyMap<number, ObjectiveSurroundings>> {
  const { rows } = await sql<ObjectiveSurroundings>`
    select o.id, o.model_id as "modelId", m.name as "modelName", o.project_id as "projectId", p.name as "projectName",
      t.number as "trialNumber", l.iteration, l.status, l.has_input as "hasInput",
      l.has_output as "hasOutput", coalesce(jsonb_typeof(e.diagnosis) = 'object', false) as "hasDiagnosis",
      concat_ws(' ', o.id, o.updated_at, o.data_revision, coalesce(o.judged_through, -1), o.completed_count, l.iteration, l.status,
        l.has_input, l.has_output, coalesce(e.updated_at, '-infinity'), p.updated_at, m.updated_at) as stamp
    from objectives o
    join trials t on t.id = o.trial_id
    join projects p on p.id = o.project_id
    join models m on m.id = o.model_id
    left join explanations e on e.objective_id = o.id
    cross join lateral (
      select i.iteration, i.status, i.input is not null as has_input, i.output is not null as has_output
      from inverses i where i.objective_id = o.id order by i.iteration desc limit 1) l
    where o.id = any (${objectiveIds}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The runs that decide which one is nearest, of each objective; see listUnjudgedRuns. Ascending within an objective. */
export async function listUnjudgedRunsOf(
  db: Db,
  objectiveIds: readonly number[],
): Promise<readonly (Run & { readonly objectiveId: number })[]> {
  const { rows } = await sql<Run & { readonly objectiveId: number }>`
    select o.id as "objectiveId", r.id, r.iteration, r.input, r.output, r.excluded_at as "excludedAt"
    from objectives o cross join lateral (
      select id, iteration, input, output, excluded_at from inverses
      where objective_id = o.id and iteration = o.nearest_iteration and output is not null
      union all
      select id, iteration, input, output, excluded_at from inverses
      where objective_id = o.id and iteration > o.judged_through and output is not null) r
    where o.id = any (${objectiveIds}::bigint[])
    order by o.id, r.iteration`.execute(db);
  return rows;
}

/** The outputs at some iterations of some objectives, as far as there are any, ascending within an objective. */
export async function listOutputsAt(
  db: Db,
  chosen: readonly { readonly objectiveId: number; readonly iteration: number }[],
): Promise<
  readonly { readonly objectiveId: number; readonly iteration: number; readonly output: readonly number[] }[]
> {
  const { rows } = await sql<{ objectiveId: number; iteration: number; output: readonly number[] }>`
    select i.objective_id as "objectiveId", i.iteration, i.output
    from unnest(${chosen.map(({ objectiveId }) => objectiveId)}::bigint[],
      ${chosen.map(({ iteration }) => iteration)}::integer[]) as c (objective_id, iteration)
    cross join lateral (
      select objective_id, iteration, output from inverses
      where objective_id = c.objective_id and iteration = c.iteration and output is not null and excluded_at is null) i
    order by i.objective_id, i.iteration`.execute(db);
  return rows;
}
