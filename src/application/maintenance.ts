/** Scheduled work. Each function makes one pass and returns what it did. Several processes may run it at once. */
import { updateInverse } from '../db/inverses.ts';
import { lockObjective } from '../db/objectives.ts';
import { listExhaustedJobs, removeExhaustedJob } from '../db/suggestion-jobs.ts';
import { type Db, inTransaction } from '../db/transaction.ts';
import { nextState } from '../domain/stop-reason.ts';

/** Jobs of one pass; the rest is left for the next. */
const PASS_LIMIT = 500;

/**
 * Fails the inverses whose jobs have used up their attempts. The objective keeps running: the next suggest asks again.
 * Returns how many inverses were failed.
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
        failureReason: removed.lastError ?? 'the workers computing it ended again and again',
        reached: ['failedAt'],
      });
      return true;
    });
    if (isFailed) failed += 1;
  }
  return { failed };
}
