/** Scheduled work. Each function is one pass and returns counts. Several processes may run it simultaneously. */

import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { NOT_RUN } from '../../db/search/ledger-changes.ts';
import { listOverdue, lockObjective } from '../../db/search/objectives.ts';
import { readSearch } from '../../db/search/search-ledger.ts';
import { type ExhaustedJob, listExhaustedJobs, lockExhaustedJob } from '../../db/search/suggestion-jobs.ts';
import { writeChange } from '../../db/search/write-search.ts';
import { after } from '../../domain/search/standing.ts';
import { standingIn, termsOf } from './change-search.ts';
import { goOnBehind } from './give-up.ts';
import { stopObjective } from './stop-objective.ts';

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
      const exhausted = objective && (await lockExhaustedJob(trx, job.id));
      return exhausted === undefined ? false : failComputation(trx, job, exhausted);
    });
    if (isFailed) failed += 1;
  }
  return { failed };
}

/** The objective and the job are locked. False when the objective has ended. */
async function failComputation(
  trx: Trx,
  { accountId, objectiveId }: { readonly accountId: number; readonly objectiveId: number },
  { inverseId, lastError, askers, askedBy }: ExhaustedJob,
): Promise<boolean> {
  const search = (await readSearch(trx, accountId, objectiveId))!;
  const outcome = after(termsOf(search.objective), standingIn(search), { kind: 'not-computed', id: inverseId });
  if (outcome === undefined) return false;
  // The rest of the same request would most likely fail as well.
  const others = askers.filter((asker) => asker !== askedBy);
  const written = await writeChange(trx, accountId, search, {
    ...goOnBehind(search, inverseId, false, others),
    closed: {
      ...NOT_RUN,
      inverseId,
      status: outcome.status!,
      failureReason: lastError ?? 'every worker that computed it was killed or lost its connection',
      isFailed: true,
    },
  });
  return written.kind === 'written';
}

/** Stops the objectives whose time is over, and returns how many. Events: as those of objectives stopped by hand. */
export async function stopOverdue(db: Db): Promise<{ readonly stopped: number }> {
  const overdue = await listOverdue(db, new Date(), PASS_LIMIT);
  for (const { accountId, objectiveId } of overdue) {
    await stopObjective(db, accountId, { objectiveId }, { kind: 'until' });
  }
  return { stopped: overdue.length };
}
