/** Scheduled work. Each function is one pass and returns counts. Several processes may run it at once. */

import { type Db, inTransaction } from '../db/connection/transaction.ts';
import { updateInverse } from '../db/search/inverses.ts';
import { listOverdue, lockObjective } from '../db/search/objectives.ts';
import { listExhaustedJobs, removeExhaustedJob } from '../db/search/suggestion-jobs.ts';
import { nextState } from '../domain/search/stop-reason.ts';
import { openForAskers } from './search/request-suggestions.ts';
import { stopObjective } from './search/stop-objective.ts';

/** Most jobs or objectives of one pass. */
const PASS_LIMIT = 500;

/**
 * Fails the inverses whose jobs have used up their attempts, and returns how many. The objective keeps running, and what other
 * requests asked for behind such an inverse is computed.
 */
export async function failExhaustedJobs(db: Db): Promise<{ readonly failed: number }> {
  let failed = 0;
  for (const job of await listExhaustedJobs(db, PASS_LIMIT)) {
    const isFailed = await inTransaction(db, async (trx) => {
      const objective = await lockObjective(trx, job.accountId, job.objectiveId);
      const removed = objective && (await removeExhaustedJob(trx, job.id));
      const state = objective && nextState(objective.stopReason, 'computation-failed');
      if (removed === undefined || state === undefined) return false;
      await updateInverse(trx, removed.inverseId, {
        status: state.inverseStatus,
        failureReason: removed.lastError ?? 'every worker that computed it was killed or lost its connection',
        reached: ['failedAt'],
      });
      // The rest of the same request would most likely fail as well.
      const others = removed.askers.filter((asker) => asker !== removed.askedBy);
      await openForAskers(trx, job.accountId, job.objectiveId, others);
      return true;
    });
    if (isFailed) failed += 1;
  }
  return { failed };
}

/** Stops the objectives whose time is over, and returns how many. Events: as those of objectives stopped by hand. */
export async function stopOverdue(db: Db): Promise<{ readonly stopped: number }> {
  const overdue = await listOverdue(db, new Date(), PASS_LIMIT);
  for (const { accountId, objectiveId } of overdue) {
    await stopObjective(db, accountId, { objectiveId }, { kind: 'until' });
  }
  return { stopped: overdue.length };
}
