import { getLastInverse, updateInverse } from '../db/inverses.ts';
import { updateObjective } from '../db/objectives.ts';
import { dropJob } from '../db/suggestion-jobs.ts';
import { type Db, inTransaction, type Trx } from '../db/transaction.ts';
import { awaitsOutput, isBeingComputed } from '../domain/inverse.ts';
import type { Objective } from '../domain/objective.ts';
import { nextState } from '../domain/stop-reason.ts';
import type { ObjectivePath } from './paths.ts';
import { lockObjectiveAt } from './read-objectives.ts';
import { recordEvents } from './record-event.ts';

/**
 * Stops a running objective and its open inverse; the job of an inverse being computed is dropped. An objective that has ended
 * is returned as it is: a final state never changes, and stopping again is not an error. Event: objective.stopped.
 */
export async function stopObjective(db: Db | Trx, accountId: number, path: ObjectivePath): Promise<Objective> {
  return inTransaction(db, async (trx) => {
    const objective = await lockObjectiveAt(trx, accountId, path);
    const state = nextState(objective.stopReason, 'stopped-by-hand');
    if (state === undefined) return objective;
    const last = await getLastInverse(trx, accountId, objective.id);
    if (isBeingComputed(last) || awaitsOutput(last)) {
      await updateInverse(trx, last.id, { status: state.inverseStatus, reached: ['stoppedAt'] });
      await dropJob(trx, { objectiveId: objective.id, inverseId: last.id });
    }
    const stopped = await updateObjective(trx, objective.id, { stopReason: state.stopReason });
    await recordEvents(trx, accountId, [], stopped);
    return stopped;
  });
}
