/** Giving up inverses that are open. Event: inverse.stopped for each that had been handed out. */

import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { updateInverse } from '../../db/search/inverses.ts';
import { findIteration } from '../../db/search/iterations.ts';
import { updateObjective } from '../../db/search/objectives.ts';
import { giveUpInverses, listOpenInverses, type OpenInverse } from '../../db/search/open-inverses.ts';
import { dropJob, findJobOf } from '../../db/search/suggestion-jobs.ts';
import { DomainError } from '../../domain/errors.ts';
import type { NewEvent } from '../../domain/event.ts';
import { InverseStatus } from '../../domain/inverse.ts';
import { nextState, StopReason, stoppedInverseEvent } from '../../domain/search/stop-reason.ts';
import { type InversePath, isUnder, missingInPath, parentsOf } from '../paths.ts';
import { type InverseView, viewOf } from '../views.ts';
import { recordEvents } from '../webhooks/record-event.ts';
import { seeksSurer } from './optimum.ts';
import { lockObjectiveAt } from './read-objectives.ts';
import { openForAskers } from './request-suggestions.ts';

/**
 * Gives up open inverses of an objective that ends, and drops its job, which wakes requests that wait for it. Returns the events.
 * The caller holds the lock of the objective.
 */
export async function giveUpOpen(
  trx: Trx,
  objectiveId: number,
  open: readonly OpenInverse[],
): Promise<readonly NewEvent[]> {
  const computing = open.find(({ isSuggested }) => !isSuggested);
  if (computing !== undefined) await dropJob(trx, { objectiveId, inverseId: computing.id });
  const handedOut = await giveUpInverses(
    trx,
    objectiveId,
    open.map(({ id }) => id),
  );
  return handedOut.map((resourceId) => ({ name: 'inverse.stopped', resourceId }));
}

/**
 * Gives up one open inverse, whose input will not be run, or while it is being computed, and then those that were asked for behind
 * it are computed all the same; the objective goes on unless this was the
 * last of all attempts. One that is stopped already is returned as it is. Joins the transaction when `db` is one. Events:
 * inverse.stopped, and objective.exhausted.
 *
 * Throws NOT_FOUND; NO_OPEN_ITERATION when it is completed.
 */
export async function giveUpInverse(db: Db | Trx, accountId: number, path: InversePath): Promise<InverseView> {
  return inTransaction(db, async (trx) => {
    const found = await findIteration(trx, accountId, { inverseId: path.inverseId });
    if (found === undefined || !isUnder(path, { ...parentsOf(found.objective), objectiveId: found.objective.id })) {
      throw await missingInPath(trx, accountId, path, { resource: 'inverse', id: path.inverseId });
    }
    const objective = await lockObjectiveAt(trx, accountId, { objectiveId: found.objective.id });
    const open = await listOpenInverses(trx, objective.id);
    const own = open.find(({ id }) => id === path.inverseId);
    const others = open.filter(({ id }) => id !== path.inverseId);
    const event = stoppedInverseEvent(objective, others.length > 0);
    const state = nextState(objective.stopReason, event, seeksSurer(objective, found.optimalOutput));
    if (own === undefined || state === undefined) {
      const { inverse } = (await findIteration(trx, accountId, { inverseId: path.inverseId }))!;
      if (inverse.status === InverseStatus.stopped) return viewOf(objective, inverse);
      const message = `Run ${inverse.iteration} is not open: it is ${inverse.output === null ? inverse.status : 'completed'}. Only a run that waits for its output can be given up.`;
      throw new DomainError('NO_OPEN_ITERATION', message);
    }
    const job = own.isSuggested ? undefined : await findJobOf(trx, objective.id);
    const events = await giveUpOpen(trx, objective.id, [own]);
    if (state.stopReason === StopReason.exhausted) await updateInverse(trx, own.id, { reached: ['exhaustedAt'] });
    const now = await updateObjective(trx, objective.id, { stopReason: state.stopReason });
    await recordEvents(trx, accountId, events, now);
    if (job !== undefined) await openForAskers(trx, accountId, objective.id, job.askers);
    const { inverse } = (await findIteration(trx, accountId, { inverseId: own.id }))!;
    return viewOf(now, inverse);
  });
}
