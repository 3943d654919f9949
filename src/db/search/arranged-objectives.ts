/** Lists of all objectives of an account in an order that no index has. */
import { type RawBuilder, sql } from 'kysely';
import { toPage } from '../../domain/page.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import type { Db } from '../connection/transaction.ts';
import {
  AROUND,
  type Arrangement,
  type OverviewKey,
  type OverviewStamp,
  patternsOf,
  SEARCHED_TEXT,
  STAMP,
  type StampRow,
} from './overview.ts';

/** The keys of each order, of objective `o` with its trial `t` and project `p`. */
const KEYS: Readonly<Record<Arrangement['sort'], readonly RawBuilder<unknown>[]>> = {
  created: [],
  changed: [sql`o.updated_at`],
  name: [sql`o.label is null`, sql`lower(o.label)`, sql`t.number`, sql`o.number`],
  project: [sql`lower(p.name)`, sql`p.id`],
  state: [sql`o.stop_reason`],
  runs: [sql`o.attempt_count`],
};

function orderOf({ sort, isDescending }: Arrangement): RawBuilder<unknown> {
  const direction = sql.raw(isDescending ? 'desc' : 'asc');
  const keys = [...KEYS[sort], ...(sort === 'created' ? [sql`o.id`] : [])].map((key) => sql`${key} ${direction}`);
  return sql.join([...keys, sql`o.id desc`, sql`o.is_listed desc`]);
}

const COLUMNS = sql`id, trial_id, project_id, model_id, number, label, attempt_count, stop_reason, updated_at, archived_at`;

/**
 * Objectives of the account along objectives_open and objectives_ended, and once more the last one of the page before: it marks
 * where the page begins even if it no longer belongs to the list.
 */
function candidates({ accountId, stopReason, after }: OverviewKey): RawBuilder<unknown> {
  const reasons = stopReason === null ? Object.values(StopReason) : [stopReason];
  const parts = reasons.map(
    (reason) => sql`select ${COLUMNS}, true as is_listed from objectives
      where account_id = ${accountId} and stop_reason = ${sql.lit(reason)} and disabled_at is null`,
  );
  const mark = sql`select ${COLUMNS}, false from objectives where account_id = ${accountId} and id = ${after ?? 0}`;
  return sql.join([...parts, mark], sql` union all `);
}

/** Only those that the order or the words need: a join of all objectives takes as long as everything else. */
function parentsOf({ sort, words }: Arrangement): RawBuilder<unknown> {
  const isSearch = words.length > 0;
  return sql.join(
    [
      ...(isSearch || sort === 'name' ? [sql`join trials t on t.id = o.trial_id`] : []),
      ...(isSearch || sort === 'project' ? [sql`join projects p on p.id = o.project_id`] : []),
      ...(isSearch ? [sql`join models m on m.id = o.model_id`] : []),
    ],
    sql` `,
  );
}

function isWanted({ isArchived, words }: Arrangement): RawBuilder<unknown> {
  const conditions = [
    ...(isArchived === null ? [] : [sql`(o.archived_at is not null) = ${isArchived}`]),
    ...(words.length === 0 ? [] : [sql`${SEARCHED_TEXT} ilike all (${patternsOf(words)}::text[])`]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

interface ArrangedRow extends StampRow {
  readonly total: number;
  readonly inProjects: readonly number[] | null;
}

/** A page of the list. Looks at all objectives of the account, a few hundred bytes each. */
export async function readArrangedStamp(
  db: Db,
  key: OverviewKey & { readonly arrangement: Arrangement },
): Promise<OverviewStamp> {
  const { arrangement, limit } = key;
  const { isGrouped, folded } = arrangement;
  const { rows } = await sql<ArrangedRow>`
    with listed as (
      select o.id, o.project_id, o.is_listed, row_number() over (order by ${orderOf(arrangement)}) as position
      from (${candidates(key)}) o
      ${parentsOf(arrangement)}
      where not o.is_listed or (${isWanted(arrangement)})),
    grouped as (
      select id, project_id, is_listed, position, count(*) filter (where is_listed) over w as members,
        coalesce(min(position) filter (where is_listed) over w, position) as first
      from listed window w as (partition by project_id)),
    ranked as materialized (
      select id, is_listed, members, row_number() over (order by ${isGrouped ? sql`first, position` : sql`position`}) as rank
      from grouped
      where not is_listed or position = first or not (project_id = any (${folded}::bigint[]))),
    shown as (
      select id, members, rank from ranked
      where is_listed and rank > coalesce((select rank from ranked where not is_listed), 0)
      order by rank limit ${limit + 1})
    select json_agg(o.id order by s.rank) as ids, json_agg(s.members order by s.rank) as "inProjects",
      (select count(*) from listed where is_listed)::int as total,
      md5(string_agg(concat_ws(' ', ${STAMP}, s.members, o.label, o.archived_at), ',' order by s.rank)) as text
    from shown s join objectives o on o.id = s.id ${AROUND}`.execute(db);
  const { ids, inProjects, total, text } = rows[0]!;
  const page = toPage(
    (ids ?? []).map((id) => ({ id })),
    key,
  );
  return {
    items: page.items.map(({ id }) => id),
    nextAfter: page.nextAfter,
    text: `${text} ${total} ${page.nextAfter}`,
    arranged: { total, inProjects: (inProjects ?? []).slice(0, limit) },
  };
}
