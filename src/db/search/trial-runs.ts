/** The objectives of a trial together: their runs, by objective and iteration, and which go on from which. */
import { type RawBuilder, sql } from 'kysely';
import type { Jacobian } from '../../domain/data/jacobian.ts';
import { RUN_VIEWS } from '../../domain/data/run-fields.ts';
import type { Objective } from '../../domain/search/objective.ts';
import type { Db } from '../connection/transaction.ts';
import { isRead, type RunRow, selectFields } from './run-columns.ts';

export interface TrialRunsKey {
  readonly accountId: number;
  readonly trialId: number;
  /** The objective whose runs are left out; null: none. */
  readonly without: number | null;
  /** The inverse after which to begin; 0: the first one. */
  readonly after: number;
}

const FIELDS = [
  'id',
  'objectiveId',
  'iteration',
  'status',
  'input',
  'output',
  'sourceName',
  ...RUN_VIEWS.ofTrial.filter(isRead),
] as const;

export interface TrialRunRow extends RunRow<(typeof FIELDS)[number], 'numbers'> {
  readonly input: readonly number[];
  readonly objectiveNumber: number;
  /** Only where it is asked for. */
  readonly jacobian?: Jacobian | null;
}

/** Runs that have an input; those of deleted objectives are left out. */
function runsOf({ accountId, trialId, without, after }: TrialRunsKey): RawBuilder<unknown> {
  return sql`
    from objectives o join inverses i on i.objective_id = o.id
    where o.account_id = ${accountId} and o.trial_id = ${trialId} and o.disabled_at is null
      and o.id <> coalesce(${without}::bigint, 0) and i.input is not null
      and (${after}::bigint = 0
        or (i.objective_id, i.iteration) > (select a.objective_id, a.iteration from inverses a where a.id = ${after}))
    order by i.objective_id, i.iteration`;
}

export async function listTrialRuns(
  db: Db,
  key: TrialRunsKey,
  limit: number,
  withDerivatives = false,
): Promise<readonly TrialRunRow[]> {
  const { rows } = await sql<TrialRunRow>`
    select o.number as "objectiveNumber", ${selectFields(withDerivatives ? [...FIELDS, 'jacobian'] : FIELDS, 'numbers')}
    ${runsOf(key)} limit ${limit}`.execute(db);
  return rows;
}

/** The last inverse of a page of `limit` runs, if more follow. Reads no numbers. */
export async function findRunsPage(db: Db, key: TrialRunsKey, limit: number): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    select i.id ${runsOf(key)} offset ${limit - 1} limit 2`.execute(db);
  return rows.length > 1 ? rows[0]!.id : null;
}

/** Ids of the objectives that go on from one, ascending. Looks at the objectives of its trial. */
export async function listContinuing(
  db: Db,
  accountId: number,
  { id, trialId }: Pick<Objective, 'id' | 'trialId'>,
): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('objectives')
    .select('id')
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .where('continues_id', '=', id)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}
