/** Reads for the list of all objectives of an account everything besides the objectives themselves. */
import { type RawBuilder, sql } from 'kysely';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db } from '../connection/transaction.ts';

/** Choice of objectives of an account, newest first. */
export interface OverviewKey extends PageRequest {
  readonly accountId: number;
  /** Only objectives of this one, unless null. */
  readonly stopReason: StopReason | null;
  /** Another order, or fewer objectives. */
  readonly arrangement?: Arrangement | undefined;
}

export const SORTS = ['created', 'changed', 'name', 'project', 'state', 'runs'] as const;

export interface Arrangement {
  readonly sort: (typeof SORTS)[number];
  readonly isDescending: boolean;
  /** Whether those of a project come together, projects in the order of their first objectives. */
  readonly isGrouped: boolean;
  /** Projects of which only the first objective is listed. */
  readonly folded: readonly number[];
  /** Whether archived ones are listed, alone or at all; null: as others. */
  readonly isArchived: boolean | null;
  /** All of them in the names, the label and the numbers. */
  readonly words: readonly string[];
}

/** Objectives now on a page, and a text that is the same as long as they look the same in a list. */
export interface OverviewStamp extends Page<number> {
  readonly text: string;
  /** For an arranged list: objectives on all its pages, and those in the project of each item. */
  readonly arranged?: { readonly total: number; readonly inProjects: readonly number[] };
}

/**
 * The newest objectives of `w`, keys as a table. Along objectives_open or objectives_ended, for which the stop reason
 * must be part of the text.
 */
function newestOf(stopReason: StopReason, count: RawBuilder<unknown>): RawBuilder<{ id: number }> {
  return sql`(select id from objectives
    where account_id = w.account_id and stop_reason = ${sql.lit(stopReason)} and disabled_at is null
      and id < w.after and coalesce(w.stop_reason, ${sql.lit(stopReason)}) = ${sql.lit(stopReason)}
    order by id desc limit ${count})`;
}

/** The same of all stop reasons that the key wants. Looks at one page of entries per stop reason. */
function newest(count: RawBuilder<unknown>): RawBuilder<{ id: number }> {
  const parts = Object.values(StopReason).map((stopReason) => newestOf(stopReason, count));
  return sql`(select id from (${sql.join(parts, sql` union all `)}) o order by id desc limit ${count})`;
}

/** A few index look-ups for each objective `o`. */
export const AROUND = sql`
  join trials t on t.id = o.trial_id
  join projects p on p.id = o.project_id
  join models m on m.id = o.model_id
  left join explanations e on e.objective_id = o.id
  cross join lateral (
    select i.iteration, i.status, i.input is not null as has_input, i.output is not null as has_output
    from inverses i where i.objective_id = o.id order by i.iteration desc limit 1) l`;
/** Changes whenever something does that a list of objectives shows. */
export const STAMP = sql`concat_ws(' ', o.id, o.updated_at, o.data_revision, coalesce(o.judged_through, -1), o.completed_count, l.iteration,
  l.status, l.has_input, l.has_output, coalesce(e.updated_at, '-infinity'), p.updated_at, m.updated_at)`;

export interface StampRow {
  readonly ids: readonly number[] | null;
  readonly text: string | null;
}

const selectStamps = compileSqlOnce<
  {
    accountIds: readonly number[];
    stopReasons: readonly (number | null)[];
    afters: readonly number[];
    limits: readonly number[];
  },
  StampRow
>(
  (value) => sql`
    select s.ids, s.text
    from unnest(${value('accountIds')}::bigint[], ${value('stopReasons')}::smallint[], ${value('afters')}::bigint[],
      ${value('limits')}::integer[]) with ordinality as w (account_id, stop_reason, after, page_limit, number)
    cross join lateral (
      select json_agg(o.id order by o.id desc) as ids,
        md5(string_agg(${STAMP}, ',' order by o.id desc) filter (where n.number <= w.page_limit)) as text
      from (select id, row_number() over (order by id desc) as number from ${newest(sql`w.page_limit + 1`)} n) n
      join objectives o on o.id = n.id ${AROUND}) s
    order by w.number`,
);

/** One per key, in order. A few index look-ups per objective of each page. */
export async function readOverviewStamps(db: Db, keys: readonly OverviewKey[]): Promise<readonly OverviewStamp[]> {
  const rows = await selectStamps(db, {
    accountIds: keys.map(({ accountId }) => accountId),
    stopReasons: keys.map(({ stopReason }) => stopReason),
    afters: keys.map(({ after }) => after ?? Number.MAX_SAFE_INTEGER),
    limits: keys.map(({ limit }) => limit),
  });
  return keys.map((key, i) => toStamp(rows[i]!, key));
}

function toStamp({ ids, text }: StampRow, page: PageRequest): OverviewStamp {
  const { items, nextAfter } = toPage(
    (ids ?? []).map((id) => ({ id })),
    page,
  );
  return { items: items.map(({ id }) => id), nextAfter, text: `${text} ${nextAfter}` };
}

/** Number of objectives of the account, of one stop reason or of all. Along objectives_open and objectives_ended. */
export async function countObjectives(
  db: Db,
  { accountId, stopReason }: Pick<OverviewKey, 'accountId' | 'stopReason'>,
): Promise<number> {
  const reasons = stopReason === null ? Object.values(StopReason) : [stopReason];
  const counts = reasons.map(
    (reason) => sql`(select count(*) as n from objectives
      where account_id = ${accountId} and stop_reason = ${sql.lit(reason)} and disabled_at is null)`,
  );
  const { rows } = await sql<{ total: number }>`
    select sum(n)::int as total from (${sql.join(counts, sql` union all `)}) c`.execute(db);
  return rows[0]!.total;
}

/** Text of objective `o` with its trial `t`, project `p` and model `m`. */
export const SEARCHED_TEXT = sql`concat_ws(' ', m.name, p.name, o.label, 'trial', t.number::text || ', objective', o.number)`;

export function patternsOf(words: readonly string[]): readonly string[] {
  return words.map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`);
}

/** Objectives that one search looks at. */
const SEARCHED = 10_000;

/**
 * The newest objectives whose model, project and numbers contain every one of the words, whatever the case of letters. Looks at
 * 10,000 objectives at most; then `nextAfter` is the last one looked at, however few were found.
 */
export async function searchObjectives(
  db: Db,
  { accountId, stopReason, after, limit }: OverviewKey,
  words: readonly string[],
): Promise<OverviewStamp> {
  const patterns = patternsOf(words);
  const { rows } = await sql<StampRow & { readonly lastSearched: number | null; readonly searchedCount: number }>`
    with w as (
      select ${accountId}::bigint as account_id, ${stopReason}::smallint as stop_reason,
        ${after ?? Number.MAX_SAFE_INTEGER}::bigint as after),
    searched as materialized (select n.id from w cross join lateral ${newest(sql.lit(SEARCHED))} n),
    found as materialized (
      select o.id, row_number() over (order by o.id desc) as number
      from searched s
      join objectives o on o.id = s.id
      join trials t on t.id = o.trial_id
      join projects p on p.id = o.project_id
      join models m on m.id = o.model_id
      where ${SEARCHED_TEXT} ilike all (${patterns}::text[])
      order by o.id desc limit ${limit + 1})
    select json_agg(o.id order by o.id desc) as ids,
      md5(string_agg(${STAMP}, ',' order by o.id desc) filter (where f.number <= ${limit})) as text,
      (select min(id) from searched) as "lastSearched", (select count(*) from searched)::int as "searchedCount"
    from found f join objectives o on o.id = f.id ${AROUND}`.execute(db);
  const { lastSearched, searchedCount, ...row } = rows[0]!;
  const stamp = toStamp(row, { limit, after });
  if (stamp.nextAfter !== null || searchedCount < SEARCHED) return stamp;
  return { ...stamp, nextAfter: lastSearched, text: `${stamp.text} ${lastSearched}` };
}

export interface ObjectiveSurroundings {
  readonly id: number;
  readonly modelId: number;
  readonly modelName: string;
  readonly projectId: number;
  readonly projectName: string;
  readonly outputUnits: readonly string[] | null;
  readonly trialNumber: number;
  /** Iteration of its newest inverse. */
  readonly iteration: number;
  readonly status: string;
  readonly hasInput: boolean;
  readonly hasOutput: boolean;
  readonly hasDiagnosis: boolean;
}

/** The parents and the newest inverse of each objective, by its id. A few index look-ups each. */
export async function readSurroundings(
  db: Db,
  objectiveIds: readonly number[],
): Promise<ReadonlyMap<number, ObjectiveSurroundings>> {
  const { rows } = await sql<ObjectiveSurroundings>`
    select o.id, o.model_id as "modelId", m.name as "modelName", o.project_id as "projectId", p.name as "projectName",
      p.output_units as "outputUnits",
      t.number as "trialNumber", l.iteration, l.status, l.has_input as "hasInput",
      l.has_output as "hasOutput", coalesce(jsonb_typeof(e.diagnosis) = 'object', false) as "hasDiagnosis"
    from objectives o ${AROUND}
    where o.id = any (${objectiveIds}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
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
      where objective_id = c.objective_id and iteration = c.iteration and output is not null and excluded_at is null
        and source is null) i
    order by i.objective_id, i.iteration`.execute(db);
  return rows;
}
