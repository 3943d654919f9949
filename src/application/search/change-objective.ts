import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { updateObjective } from '../../db/search/objectives.ts';
import type { Objective } from '../../domain/objective.ts';
import type { ObjectivePath } from '../paths.ts';
import { lockObjectiveAt } from './read-objectives.ts';
import { refuseEnded } from './request-suggestions.ts';

export interface ObjectivePatch {
  readonly parallelism?: number | undefined;
  readonly holdBack?: boolean | undefined;
}

/**
 * Changes how many inverses of a running objective may be open. Those open beyond a lower number stay open; none is opened until
 * there are fewer. Joins the transaction when `db` is one. Throws NOT_FOUND, OBJECTIVE_ENDED.
 */
export async function changeObjective(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  { parallelism, holdBack }: ObjectivePatch,
): Promise<Objective> {
  return inTransaction(db, async (trx) => {
    const objective = await lockObjectiveAt(trx, accountId, path);
    refuseEnded(objective);
    return updateObjective(trx, objective.id, {
      ...(parallelism !== undefined && { parallelism }),
      ...(holdBack !== undefined && { holdBack }),
    });
  });
}
