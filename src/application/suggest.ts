/** Asking for the next input and waiting for it, for a bounded time. Any worker of any process may compute it. */
import { readUsage } from '../db/account-usage.ts';
import { findInverse } from '../db/inverses.ts';
import { openIteration, type RequestedIteration } from '../db/iterations.ts';
import { lockObjective } from '../db/objectives.ts';
import { ConflictError, type Db, type Trx } from '../db/transaction.ts';
import { DomainError } from '../domain/errors.ts';
import { awaitsOutput, type Inverse, InverseStatus, isBeingComputed } from '../domain/inverse.ts';
import { isFinal, StopReason } from '../domain/stop-reason.ts';
import { NO_QUOTA, quotaExceeded, type StorageUsage } from '../domain/storage.ts';
import { type AccountLimits, takeWithin } from './account-limits.ts';
import { type IdempotentRequest, runOnce } from './idempotent.ts';
import { refuseClosedTrial } from './manage-trials.ts';
import { isUnder, missingInPath, type ObjectivePath, parentsOf, refuseDisabled } from './paths.ts';
import { getInverse } from './read-objectives.ts';
import type { SuggestionWaiters } from './suggestion-waiters.ts';
import { type InverseView, viewOf } from './views.ts';

/** A suggestion takes a fraction of a second; in this time a full queue has moved on. */
const QUEUE_RETRY_SECONDS = 5;
/** Tries to open an iteration while other requests do the same. One of them succeeds with each. */
const MAXIMUM_TRIES = 5;
const NOTHING: StorageUsage = { bytes: 0, rows: 0 };

export interface SuggestDeps {
  readonly db: Db;
  readonly suggestionWaiters: SuggestionWaiters;
}

interface RequestOptions {
  readonly requestId: string | null;
  /** The trace that the computation belongs to, as W3C Trace Context writes it; none unless given. */
  readonly traceParent?: string | null;
  /** None unless given. */
  readonly limits?: AccountLimits | undefined;
}

interface SuggestOptions extends RequestOptions {
  readonly waitMs: number;
  /** Set when the request has an Idempotency-Key. */
  readonly idempotency?: IdempotentRequest | undefined;
}

interface AwaitedSuggestion extends InverseView {
  /** False: it was to wait, but too many requests of its account wait in this process already. */
  readonly mayWait: boolean;
}

/**
 * Opens the next iteration, or finds the one being computed, and waits for its input. After `waitMs` the inverse is returned
 * as it is: input null, status active. Input null with another status: it was stopped. With an Idempotency-Key the inverse is
 * stored, not the answer, so that no transaction stays open during the computation.
 *
 * Throws what requestSuggestion and runOnce throw; NOT_FOUND when the inverse was deleted meanwhile, SUGGESTION_FAILED when its
 * computation failed for good.
 */
export async function suggest(
  { db, suggestionWaiters }: SuggestDeps,
  accountId: number,
  path: ObjectivePath,
  options: SuggestOptions,
): Promise<AwaitedSuggestion> {
  const { waitMs, idempotency } = options;
  const leave = waitMs > 0 ? suggestionWaiters.enter(accountId) : undefined;
  const mayWait = waitMs === 0 || leave !== undefined;
  try {
    const requested = await (idempotency === undefined
      ? requestSuggestion(db, accountId, path, options)
      : requestOnce(db, idempotency, path, options));
    const { objective, inverse } = requested;
    const mustWait = leave !== undefined && isBeingComputed(inverse) && inverse.disabledAt === null;
    const finished = mustWait ? await suggestionWaiters.wait(accountId, inverse.id, waitMs) : undefined;
    refuseUnusable(objective.id, finished ?? inverse);
    return { ...(finished === undefined ? requested : viewOf(objective, finished)), mayWait };
  } finally {
    leave?.();
  }
}

function refuseUnusable(objectiveId: number, inverse: Inverse): void {
  if (inverse.input !== null) return;
  refuseDisabled(inverse, 'inverse');
  if (inverse.status !== InverseStatus.failed) return;
  const reason = inverse.failureReason ?? 'unknown reason';
  throw new DomainError('SUGGESTION_FAILED', `The suggestion could not be computed (${reason}); ask again to retry.`, {
    inverse: { objectiveId, inverseId: inverse.id },
  });
}

/** The inverse that the first request under the key opened or found. After a computation that failed for good it asks again. */
async function requestOnce(
  db: Db,
  idempotency: IdempotentRequest,
  path: ObjectivePath,
  options: RequestOptions,
): Promise<InverseView> {
  const { accountId } = idempotency;
  let requested: InverseView | undefined;
  const request = async (trx: Trx) => {
    requested = await requestSuggestion(trx, accountId, path, options);
    return { kind: 'inverse', inverseId: requested.inverse.id };
  };
  const isSpent = async (trx: Trx, { inverseId }: { readonly inverseId: number }) => {
    const inverse = await findInverse(trx, accountId, inverseId);
    return inverse !== undefined && inverse.status === InverseStatus.failed && inverse.input === null;
  };
  const { outcome, isReplay } = await runOnce(db, idempotency, request, { isSpent });
  if (!isReplay && requested !== undefined) return requested;
  return getInverse(db, accountId, { inverseId: outcome.inverseId });
}

/**
 * Opens the next iteration with the job that computes it, or returns the one being computed, without waiting. Workers hear of
 * the job on commit.
 *
 * Throws, in this order, NOT_FOUND; TRIAL_CLOSED or OBJECTIVE_ENDED; ITERATION_OPEN while an output is missing;
 * QUOTA_EXCEEDED; QUEUE_FULL.
 */
export async function requestSuggestion(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  options: RequestOptions,
): Promise<InverseView> {
  const maximumQueued = options.limits?.queuedSuggestions ?? 0;
  let view: InverseView | undefined;
  const take = async (limit: number, handle: Db | Trx) => {
    view = await request(handle, accountId, path, options, limit);
    return view !== undefined;
  };
  await takeWithin(db, accountId, maximumQueued, take, (trx) => lockObjective(trx, accountId, path.objectiveId));
  if (view !== undefined) return view;
  const message = `${maximumQueued} suggestions of this account are waiting to be computed; ask again when some are done.`;
  throw new DomainError('QUEUE_FULL', message, { retryAfterSeconds: QUEUE_RETRY_SECONDS });
}

/** Undefined when the account has `maximumQueued` jobs already. */
async function request(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  options: RequestOptions,
  maximumQueued: number,
): Promise<InverseView | undefined> {
  const { modelId = null, projectId = null, trialId = null, objectiveId } = path;
  const { storedBytes, storedRows } = options.limits ?? NO_QUOTA;
  const where = { accountId, modelId, projectId, trialId, objectiveId };
  const job = { requestId: options.requestId, traceParent: options.traceParent ?? null };
  for (let tries = 0; tries < MAXIMUM_TRIES; tries++) {
    const found = await openIteration(db, { ...where, ...job, storedBytes, storedRows, maximumQueued });
    if (found === undefined || found.objective.disabledAt !== null || !isUnder(path, parentsOf(found.objective))) {
      throw await missingInPath(db, accountId, path, { resource: 'objective', id: objectiveId });
    }
    const { objective, last, opened } = found;
    if (opened !== undefined) return viewOf(objective, toOpened(last, opened));
    refuseClosedTrial(objective.trialId, objective.trialStatus);
    refuseEnded(objective);
    if (isBeingComputed(last)) return viewOf(objective, last);
    refuseOpenIteration(objective.id, last);
    if (found.lacks === 'queue') return undefined;
    if (found.lacks === 'storage') {
      throw quotaExceeded({ storedBytes, storedRows }, await readUsage(db, accountId), NOTHING);
    }
  }
  throw new ConflictError('other requests opened and completed iterations of the objective meanwhile');
}

function toOpened(last: Inverse, opened: NonNullable<RequestedIteration['opened']>): Inverse {
  return {
    ...opened,
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
    learnedFrom: null,
    excludedAt: null,
    expected: null,
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
  return new DomainError('OBJECTIVE_ENDED', `Objective ${objectiveId} is no longer running: it is ${name}.`);
}

function refuseOpenIteration(objectiveId: number, last: Inverse): void {
  if (!awaitsOutput(last)) return;
  throw new DomainError(
    'ITERATION_OPEN',
    `Iteration ${last.iteration} still waits for its output; load the output of inverse ${last.id} or report that its run failed.`,
    { inverse: { objectiveId, inverseId: last.id } },
  );
}
