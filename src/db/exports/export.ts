/**
 * Reads for an export everything besides the records themselves. Numbers come as JSON text made by the database and are
 * passed on as they are. One call reads a bounded amount, however much a record holds.
 */
import { sql } from 'kysely';
import { RUN_VIEWS } from '../../domain/data/run-fields.ts';
import type { Db } from '../connection/transaction.ts';
import { type RunRow, selectFields } from '../search/run-columns.ts';

export interface ExportedExplanation {
  readonly objectiveId: number;
  readonly caseCount: number;
  /** JSON. */
  readonly insight: string;
  readonly diagnosis: string;
  readonly standing: string;
  readonly advice: string;
}

/** Lists the objectives that are explained. Primary key. */
export async function listExplained(db: Db, objectiveIds: readonly number[]): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    select objective_id as id from explanations where objective_id = any (${objectiveIds}::bigint[]) order by 1`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

export async function readExplanation(db: Db, objectiveId: number): Promise<ExportedExplanation | undefined> {
  const { rows } = await sql<ExportedExplanation>`
    select objective_id as "objectiveId", case_count as "caseCount",
      coalesce(insight::text, 'null') as insight, coalesce(diagnosis::text, 'null') as diagnosis,
      coalesce(standing::text, 'null') as standing, coalesce(advice::text, 'null') as advice
    from explanations where objective_id = ${objectiveId}`.execute(db);
  return rows[0];
}

export type ExportedInverse = RunRow<(typeof RUN_VIEWS.exported)[number], 'json'>;

/** The position of a walk through the inverses of several objectives. */
export interface InversePosition {
  readonly objectiveId: number;
  readonly iteration: number;
}

/**
 * Up to `limit` inverses of the objectives, which are in order of id, by objective and iteration, that come after a position. One
 * look along inverses_one_per_iteration per objective that is left.
 */
export async function listInversesAfter(
  db: Db,
  objectiveIds: readonly number[],
  after: InversePosition,
  limit: number,
): Promise<readonly ExportedInverse[]> {
  const { rows } = await sql<ExportedInverse>`
    select ${selectFields(RUN_VIEWS.exported, 'json')}
    from unnest(${objectiveIds}::bigint[]) as o (id) cross join lateral (
      select * from inverses s
      where s.objective_id = o.id and s.iteration > case when o.id = ${after.objectiveId} then ${after.iteration}::int else 0 end
      order by s.iteration limit ${limit}) i
    where o.id >= ${after.objectiveId}
    order by i.objective_id, i.iteration limit ${limit}`.execute(db);
  return rows;
}

/** Whether all of the records are still there. Primary key. */
export async function areThere(
  db: Db,
  table: 'projects' | 'trials' | 'objectives',
  ids: readonly number[],
): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} where id = any (${ids}::bigint[])`.execute(db);
  return rows[0]!.count === ids.length;
}
