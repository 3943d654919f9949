/** Objectives whose nearest run is not known, as after a change of the trial's data. */
import { sql } from 'kysely';
import type { NearestSoFar, Objective } from '../../domain/search/objective.ts';
import { notify } from '../connection/listen.ts';
import type { Db } from '../connection/transaction.ts';
import { nearestColumns } from './objectives.ts';

/** Tells ingresses of an account whose objectives were judged. */
export const JUDGED_CHANNEL = 'backsolve_judged';

export async function tellJudged(db: Db, accountId: number): Promise<void> {
  await notify(db, JUDGED_CHANNEL, String(accountId));
}

/** Objectives of an earlier version, or of a trial whose data changed, of which nothing has been judged. Served by objectives_unjudged. */
export async function listUnjudgedObjectives(
  db: Db,
  limit: number,
): Promise<readonly { readonly id: number; readonly accountId: number }[]> {
  return db
    .selectFrom('objectives')
    .select(['id', 'account_id as accountId'])
    .where('judged_through', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Ids of the newest objectives of a trial of which nothing has been judged. */
export async function listUnjudgedOfTrial(
  db: Db,
  accountId: number,
  trialId: number,
  limit: number,
): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('objectives')
    .select('id')
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .where('judged_through', 'is', null)
    .where('disabled_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Stores the nearest run of an objective that was read at a version, unless another process has or the objective has changed since;
 * false if nothing was written.
 */
export async function storeNearest(
  db: Db,
  { id, version }: Pick<Objective, 'id' | 'version'>,
  nearest: NearestSoFar,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('objectives')
    .set({ ...nearestColumns(nearest), version: sql<number>`version + 1` })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('judged_through', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
