/**
 * Reads the history of an objective. Numbers stay the text that the database makes of them, with all digits: parsing
 * and writing them again would take most of the time.
 */
import { type RawBuilder, sql } from 'kysely';
import type { TypedElsewhere } from '../../domain/accounts/page-draft.ts';
import type { StatedColumns } from '../../domain/data/case-columns.ts';
import type { Jacobian } from '../../domain/data/jacobian.ts';
import { HISTORY_COLUMNS, RUN_VIEWS } from '../../domain/data/run-fields.ts';
import type { InputDetails, SentDetails } from '../../domain/problem/input-space.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db } from '../connection/transaction.ts';
import { isRead, type RunRow, selectFields, WAS_CORRECTED } from './run-columns.ts';

/** Changes whenever the history of an objective does. */
export interface ObjectiveStamp {
  readonly id: number;
  readonly modelId: number;
  readonly projectId: number;
  readonly trialId: number;
  readonly stopReason: number;
  readonly dataRevision: number;
  /** Several inverses may be open, and an older one than the newest may be completed. */
  readonly completedCount: number;
  /** Whether its nearest run is known; not so for a moment after a change of the trial's data. */
  readonly isJudged: boolean;
  /** Last change of the objective itself, such as its settings. */
  readonly updatedAt: Date;
  /** Iteration of the newest inverse. */
  readonly iteration: number;
  readonly status: string;
  readonly hasInput: boolean;
  readonly hasOutput: boolean;
  /** Number of cases that the explanation rests on; null without one. */
  readonly caseCount: number | null;
  /** That it was computed for. */
  readonly explainedId: number | null;
  readonly explainedAt: Date | null;
  readonly hasDiagnosis: boolean;
  /** Names and units may change. */
  readonly projectUpdatedAt: Date;
  /** Outputs that are typed on the page and not sent yet. */
  readonly typing: readonly TypedElsewhere[];
}

const selectStamps = compileSqlOnce<{ accountIds: readonly number[]; ids: readonly number[] }, ObjectiveStamp>(
  (value) => sql`
    select o.id, o.model_id as "modelId", o.project_id as "projectId", o.trial_id as "trialId",
      o.stop_reason as "stopReason", o.data_revision as "dataRevision", o.completed_count as "completedCount",
      o.judged_through is not null as "isJudged", o.updated_at as "updatedAt", l.iteration, l.status, l.has_input as "hasInput",
      l.has_output as "hasOutput", e.case_count as "caseCount", e.inverse_id as "explainedId", e.updated_at as "explainedAt",
      coalesce(jsonb_typeof(e.diagnosis) = 'object', false) as "hasDiagnosis", p.updated_at as "projectUpdatedAt",
      (select coalesce(json_agg(json_build_object('inverseId', d.inverse_id, 'writer', d.writer,
          'updatedAt', to_char(d.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          order by d.inverse_id, d.writer), '[]')
        from page_drafts d where d.objective_id = o.id and d.account_id = o.account_id) as typing
    from unnest(${value('accountIds')}::bigint[], ${value('ids')}::bigint[]) as w (account_id, id)
    join objectives o on o.id = w.id and o.account_id = w.account_id
    join projects p on p.id = o.project_id
    left join explanations e on e.objective_id = o.id
    cross join lateral (
      select i.iteration, i.status, i.input is not null as has_input, i.output is not null as has_output
      from inverses i where i.objective_id = o.id order by i.iteration desc limit 1) l`,
);

/** By id, disabled objectives included; those that do not exist are left out. A few index look-ups each, no row of numbers. */
export async function readObjectiveStamps(
  db: Db,
  keys: readonly { readonly accountId: number; readonly id: number }[],
): Promise<ReadonlyMap<number, ObjectiveStamp>> {
  const rows = await selectStamps(db, {
    accountIds: keys.map(({ accountId }) => accountId),
    ids: keys.map(({ id }) => id),
  });
  return new Map(rows.map((stamp) => [stamp.id, stamp]));
}

/** Statements of a project about its inputs and outputs. */
export interface ProjectColumns extends Required<StatedColumns> {
  readonly maximums: readonly number[];
  readonly scales: SentDetails['scales'];
  readonly details: Pick<InputDetails, 'conditions'>;
}

/** The project must exist. */
export async function readProjectColumns(db: Db, projectId: number, outputCount: number): Promise<ProjectColumns> {
  const { rows } = await sql<Omit<ProjectColumns, 'outputCount'>>`
    select input_count as "inputCount", input_names as "inputNames", input_units as "inputUnits",
      output_names as "outputNames", output_units as "outputUnits", categories,
      input_types as "inputTypes", minimums, maximums, nullif(input_details -> 'scales', 'null') as scales,
      jsonb_build_object('conditions', coalesce(input_details -> 'conditions', '[]')) as details
    from projects where id = ${projectId}`.execute(db);
  return { ...rows[0]!, outputCount };
}

/** The iterations of an objective after one that were ever corrected, ascending. Along corrections_of_inverses. */
export async function listCorrectedIterations(db: Db, objectiveId: number, after: number): Promise<readonly number[]> {
  const { rows } = await sql<{ iteration: number }>`
    select i.iteration from inverses i where i.objective_id = ${objectiveId} and i.iteration > ${after}::int
      and ${WAS_CORRECTED}
    order by i.iteration`.execute(db);
  return rows.map(({ iteration }) => iteration);
}

/**
 * The iterations up to one that were completed after the first `completedCount` completions, ascending: given up before, their
 * outputs came late. Looks at all iterations of the objective.
 */
export async function listLateIterations(
  db: Db,
  objectiveId: number,
  { last, completedCount }: { readonly last: number; readonly completedCount: number },
): Promise<readonly number[]> {
  const { rows } = await sql<{ iteration: number }>`
    select iteration from inverses
    where objective_id = ${objectiveId} and iteration <= ${last}::int and completed_order > ${completedCount}::int
    order by iteration`.execute(db);
  return rows.map(({ iteration }) => iteration);
}

/** Fields of a run that a history reads: for its columns, and for rows of CSV. Corrections are listed on their own. */
const FIELDS = [
  ...new Set([
    ...Object.values(HISTORY_COLUMNS).map(({ of }) => of),
    ...RUN_VIEWS.before,
    ...RUN_VIEWS.after,
    ...RUN_VIEWS.last,
  ]),
]
  .filter(isRead)
  .filter((name) => name !== 'isCorrected');

export interface HistoryRow extends RunRow<(typeof FIELDS)[number], 'text'> {
  /** Only where it is asked for. */
  readonly jacobian?: Jacobian | null;
}

function rowsWhere(
  objectiveId: number,
  condition: RawBuilder<unknown>,
  limit: number,
  withDerivatives = false,
): RawBuilder<HistoryRow> {
  return sql<HistoryRow>`
    select ${selectFields(withDerivatives ? [...FIELDS, 'jacobian'] : FIELDS, 'text')}
    from inverses i where objective_id = ${objectiveId} and ${condition} order by iteration limit ${limit}`;
}

/** Up to `limit` rows after an iteration, and after an inverse. Along inverses_one_per_iteration. */
export async function listHistory(
  db: Db,
  objectiveId: number,
  after: { readonly iteration: number; readonly inverseId: number },
  limit: number,
  withDerivatives = false,
): Promise<readonly HistoryRow[]> {
  const condition = sql`iteration > ${after.iteration}::int and id > ${after.inverseId}`;
  return (await rowsWhere(objectiveId, condition, limit, withDerivatives).execute(db)).rows;
}

/** The same, of every nth iteration (the first, then n later) and those named. */
export async function listThinnedHistory(
  db: Db,
  objectiveId: number,
  after: number,
  { every, named }: { readonly every: number; readonly named: readonly number[] },
  limit: number,
): Promise<readonly HistoryRow[]> {
  const condition = sql`iteration > ${after}::int
    and ((iteration - 1) % ${every}::int = 0 or iteration = any (${named}::int[]))`;
  return (await rowsWhere(objectiveId, condition, limit).execute(db)).rows;
}
