import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { getLastInverse, updateInverse } from '../../db/search/inverses.ts';
import { findIteration } from '../../db/search/iterations.ts';
import { updateObjective } from '../../db/search/objectives.ts';
import { listOpenInverses } from '../../db/search/open-inverses.ts';
import { dropJob } from '../../db/search/suggestion-jobs.ts';
import type { NewEvent } from '../../domain/event.ts';
import { awaitsOutput, type InverseStatus, isBeingComputed } from '../../domain/inverse.ts';
import type { Objective } from '../../domain/objective.ts';
import { aimsOn } from '../../domain/robust-options.ts';
import type { Ending } from '../../domain/search/ending.ts';
import { nextState, StopReason } from '../../domain/search/stop-reason.ts';
import type { ObjectivePath } from '../paths.ts';
import { recordEvents } from '../webhooks/record-event.ts';
import { giveUpOpen } from './give-up.ts';
import { seeksSurer } from './optimum.ts';
import { lockObjectiveAt } from './read-objectives.ts';

/**
 * Stops a running objective and its open inverses; the job of an inverse being computed is dropped. An objective that has ended
 * is returned as it is: a final state never changes, and stopping again is not an error. One that seeks a surer input than one that
 * satisfies everything ends satisfied. Events: objective.stopped or objective.satisfied, and inverse.stopped where several may be
 * open.
 */
export async function stopObjective(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  ended: Ending = { kind: 'by-hand' },
): Promise<Objective> {
  return inTransaction(db, async (trx) => {
    const objective = await lockObjectiveAt(trx, accountId, path);
    const held = aimsOn(objective) ? await findIteration(trx, accountId, { objectiveId: objective.id }) : undefined;
    const isHeld = held !== undefined && seeksSurer(objective, held.optimalOutput);
    const state = nextState(objective.stopReason, 'stopped-by-hand', isHeld);
    if (state === undefined) return objective;
    const givenUp = objective.isParallel
      ? await giveUpOpen(trx, objective.id, await listOpenInverses(trx, objective.id))
      : await stopLast(trx, accountId, objective, state.inverseStatus);
    const { stopReason } = state;
    const stopped = await updateObjective(trx, objective.id, {
      stopReason,
      ...(stopReason === StopReason.stopped && { ended }),
    });
    await recordEvents(trx, accountId, givenUp, stopped);
    return stopped;
  });
}

/** Where one inverse may be open: what happens to it follows from what happens to the objective, and no event reports it. */
async function stopLast(
  trx: Trx,
  accountId: number,
  { id: objectiveId }: Objective,
  status: InverseStatus,
): Promise<readonly NewEvent[]> {
  const last = await getLastInverse(trx, accountId, objectiveId);
  if (isBeingComputed(last) || awaitsOutput(last)) {
    await updateInverse(trx, last.id, { status, reached: ['stoppedAt'] });
    await dropJob(trx, { objectiveId, inverseId: last.id });
  }
  return [];
}
