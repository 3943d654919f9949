import { getLastInverse, insertInverse } from '../db/inverses.ts';
import { openJob } from '../db/suggestion-jobs.ts';
import { type Db, inTransaction } from '../db/transaction.ts';
import { DomainError } from '../domain/errors.ts';
import { awaitsOutput, type Inverse, InverseStatus, isBeingComputed } from '../domain/inverse.ts';
import { isFinal, StopReason } from '../domain/stop-reason.ts';
import { NO_QUOTA, type StorageUsage } from '../domain/storage.ts';
import { type AccountLimits, refuseOverQuota, takeWithin } from './account-limits.ts';
import { refuseClosedTrial } from './manage-trials.ts';
import type { ObjectivePath } from './paths.ts';
import { lockObjectiveAt } from './read-objectives.ts';
import type { InverseView } from './views.ts';

/** A suggestion takes a fraction of a second; in this time a full queue has moved on. */
const QUEUE_RETRY_SECONDS = 5;

/** The inverse that the suggestion is for is counted by then. */
const NOTHING_MORE: StorageUsage = { bytes: 0, rows: 0 };

export interface SuggestOptions {
  readonly requestId: string | null;
  /** Absent: none. */
  readonly limits?: AccountLimits | undefined;
}

/**
 * Opens the next iteration with its job, or returns the one that is being computed. One transaction behind the lock of
 * the objective; workers hear of the job on commit.
 *
 * Throws, in this order, NOT_FOUND; TRIAL_CLOSED or OBJECTIVE_ENDED; ITERATION_OPEN while an output is missing;
 * QUOTA_EXCEEDED; QUEUE_FULL.
 */
export async function requestSuggestion(
  db: Db,
  accountId: number,
  path: ObjectivePath,
  options: SuggestOptions,
): Promise<InverseView> {
  return inTransaction(db, async (trx) => {
    const objective = await lockObjectiveAt(trx, accountId, path);
    refuseClosedTrial(objective.trialId, objective.trialStatus);
    refuseEnded(objective);
    const last = await getLastInverse(trx, accountId, objective.id);
    if (isBeingComputed(last)) return { objective, inverse: last };
    refuseOpenIteration(objective.id, last);
    const iteration = last.iteration + 1;
    const inverseId = await insertInverse(trx, accountId, {
      objectiveId: objective.id,
      iteration,
      status: InverseStatus.active,
      input: null,
      output: null,
      isLoaded: false,
      isSatisfied: false,
    });
    const job = { accountId, objectiveId: objective.id, inverseId, requestId: options.requestId };
    const maximumQueued = options.limits?.queuedSuggestions ?? 0;
    const quota = options.limits ?? NO_QUOTA;
    const open = (limit: number) => openJob(trx, job, { maximumQueued: limit, quota });
    if (!(await takeWithin(trx, accountId, maximumQueued, open))) {
      await refuseOverQuota(trx, accountId, options.limits, NOTHING_MORE);
      refuseFullQueue(maximumQueued);
    }
    return { objective, inverse: toOpened(last, inverseId) };
  });
}

/** The inverse just inserted, without reading it back; its exact instants are read when it is settled. */
function toOpened(last: Inverse, id: number): Inverse {
  const now = new Date();
  return {
    id,
    objectiveId: last.objectiveId,
    iteration: last.iteration + 1,
    status: InverseStatus.active,
    input: null,
    output: null,
    basisOutput: last.output ?? last.basisOutput,
    suggestTimeNs: 0,
    computeTimeNs: 0,
    suggestedAt: null,
    loadedAt: null,
    satisfiedAt: null,
    stoppedAt: null,
    exhaustedAt: null,
    failedAt: null,
    failureReason: null,
    createdAt: now,
    updatedAt: now,
    disabledAt: null,
  };
}

function refuseEnded(objective: { readonly id: number; readonly stopReason: StopReason }): void {
  if (isFinal(objective.stopReason)) throw objectiveEnded(objective.id, objective.stopReason);
}

/** The OBJECTIVE_ENDED for an objective with a final stop reason. */
export function objectiveEnded(objectiveId: number, stopReason: StopReason): DomainError {
  const names = {
    [StopReason.satisfied]: 'SATISFIED',
    [StopReason.stopped]: 'STOPPED',
    [StopReason.exhausted]: 'EXHAUSTED',
  };
  const name = names[stopReason as keyof typeof names];
  return new DomainError('OBJECTIVE_ENDED', `The objective ${objectiveId} is no longer running, it is ${name}.`);
}

function refuseOpenIteration(objectiveId: number, last: Inverse): void {
  if (!awaitsOutput(last)) return;
  throw new DomainError(
    'ITERATION_OPEN',
    `Iteration ${last.iteration} still waits for its output; load the output of inverse ${last.id} or report that its run failed.`,
    { inverse: { objectiveId, inverseId: last.id } },
  );
}

function refuseFullQueue(maximumQueued: number): never {
  const message = `${maximumQueued} suggestions of this account wait to be computed already; ask again when some are done.`;
  throw new DomainError('QUEUE_FULL', message, { retryAfterSeconds: QUEUE_RETRY_SECONDS });
}
