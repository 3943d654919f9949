/** Reads what decides the answers of objectives, besides what each stores itself. */
import { sql } from 'kysely';
import type { OptimalRun } from '../../domain/search/answer.ts';
import type { InputStanding } from '../../domain/search/explanation.ts';
import type { Inverse } from '../../domain/search/inverse.ts';
import type { NearestSoFar, Objective } from '../../domain/search/objective.ts';
import type { Db } from '../connection/transaction.ts';
import { STANDING } from './explanations.ts';

export interface JudgedRun extends Pick<Inverse, 'id' | 'objectiveId' | 'iteration' | 'input' | 'excludedAt'> {
  readonly output: readonly number[];
}

/**
 * The nearest known iteration of each objective and those with an output after `judgedThrough`, ascending within an objective: what
 * decides which run is the nearest. Two rows or so each along inverses_one_per_iteration.
 */
export async function readUnjudgedRuns(
  db: Db,
  objectives: readonly Pick<Objective & NearestSoFar, 'id' | 'nearestIteration' | 'judgedThrough'>[],
): Promise<readonly JudgedRun[]> {
  const { rows } = await sql<JudgedRun>`
    select o.id as "objectiveId", r.id, r.iteration, r.input, r.output, r.excluded_at as "excludedAt"
    from unnest(${objectives.map(({ id }) => id)}::bigint[],
      ${objectives.map(({ nearestIteration }) => nearestIteration)}::integer[],
      ${objectives.map(({ judgedThrough }) => judgedThrough)}::integer[]) as o (id, nearest, judged)
    cross join lateral (
      select id, iteration, input, output, excluded_at from inverses
      where objective_id = o.id and iteration = o.nearest and output is not null and source is null
      union all
      select id, iteration, input, output, excluded_at from inverses
      where objective_id = o.id and iteration > o.judged and output is not null and source is null) r
    order by o.id, r.iteration`.execute(db);
  return rows;
}

/** Standing of the input that comes nearest to being declared, by the id of the objective. One row each along primary keys. */
export async function readStandings(
  db: Db,
  objectiveIds: readonly number[],
): Promise<ReadonlyMap<number, InputStanding | null>> {
  if (objectiveIds.length === 0) return new Map();
  const { rows } = await sql<{ id: number; standing: InputStanding | null }>`
    select o.id, ${STANDING} as standing from objectives o where o.id = any (${objectiveIds}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, standing }) => [id, standing]));
}

/** The optimal inverses of objectives, by their own ids. One row each along the primary key. */
export async function readOptimalRuns(
  db: Db,
  objectives: readonly Pick<Objective, 'optimalInverseId'>[],
): Promise<ReadonlyMap<number, OptimalRun>> {
  const ids = objectives.flatMap(({ optimalInverseId }) => optimalInverseId ?? []);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<OptimalRun>`
    select id, iteration, input, output from inverses where id = any (${ids}::bigint[])`.execute(db);
  return new Map(rows.map((run) => [run.id, run]));
}
