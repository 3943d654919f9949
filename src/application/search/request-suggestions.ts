/**
 * Asking for several inputs at once. Each of them is an inverse of its own, computed one after the other by the worker that holds
 * the job of the objective; a request recognizes its inverses by the name of its asker, so that none goes to two requests.
 */
import { randomUUID } from 'node:crypto';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { lockObjective, type ObjectiveWithParents } from '../../db/search/objectives.ts';
import {
  type Asked,
  getLastIteration,
  insertNextInverse,
  listOpenInverses,
  type OpenInverse,
} from '../../db/search/open-inverses.ts';
import { addAskers, findJobOf, insertJob, mayQueue, type OpenJob } from '../../db/search/suggestion-jobs.ts';
import { DomainError } from '../../domain/errors.ts';
import { goesOn, planOpening, type WhyNone } from '../../domain/search/opening.ts';
import { isFinal, StopReason } from '../../domain/search/stop-reason.ts';
import { BYTES_PER_NUMBER } from '../../domain/storage.ts';
import { type AccountLimits, refuseOverQuota, takeWithin } from '../accounts/account-limits.ts';
import { refuseClosedTrial } from '../data/manage-trials.ts';
import type { ObjectivePath } from '../paths.ts';
import { lockObjectiveAt } from './read-objectives.ts';

/** A suggestion takes a fraction of a second; in this time a full queue has moved on. */
const QUEUE_RETRY_SECONDS = 5;

export interface RequestOptions {
  readonly requestId: string | null;
  /** The trace that the computation belongs to, as W3C Trace Context writes it; none unless given. */
  readonly traceParent?: string | null;
  /** None unless given. */
  readonly limits?: AccountLimits | undefined;
}

export interface SuggestionsOptions extends RequestOptions {
  /** At most as many are opened; all that may be unless given. */
  readonly count?: number | undefined;
  /** Marks the inverses of this request; a new name unless given. */
  readonly asker?: string;
}

export interface RequestedSuggestions extends Asked {
  readonly objective: ObjectiveWithParents;
  /** How many will be opened for the asker; fewer when the search finds nothing new or holds back meanwhile. */
  readonly granted: number;
  /** Why none is opened; null when some are. */
  readonly whyNone: WhyNone | null;
  /** Those open before, in order of iteration. */
  readonly open: readonly OpenInverse[];
}

/**
 * Opens up to `count` inverses, without waiting for their inputs: the next one with the job that computes it, or behind the one
 * that is being computed; the worker opens those that follow. Workers hear of it on commit. Whatever the parallelism, never
 * more are open. Joins the transaction when `db` is one.
 *
 * Throws, in this order, NOT_FOUND; TRIAL_CLOSED or OBJECTIVE_ENDED; QUOTA_EXCEEDED; QUEUE_FULL.
 */
export async function requestSuggestions(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  options: SuggestionsOptions,
): Promise<RequestedSuggestions> {
  return openWithin(db, accountId, path, options, async (trx, mayOpenJob) => {
    const objective = await lockObjectiveAt(trx, accountId, path);
    refuseClosedTrial(objective.trialId, objective.trialStatus);
    refuseEnded(objective);
    const job = await findJobOf(trx, objective.id);
    const open = await listOpenInverses(trx, objective.id);
    const after = await getLastIteration(trx, objective.id);
    const asker = options.asker ?? randomUUID();
    const { granted, whyNone } = planOpening(objective, open, job?.askers.length ?? 0, options.count);
    const requested = { objective, objectiveId: objective.id, asker, after, granted, whyNone, open };
    if (granted === 0) return requested;
    const isOpened = await openFor(trx, accountId, requested, { job, options, mayOpenJob });
    return isOpened ? requested : undefined;
  });
}

/**
 * The same for one inverse as if the parallelism were 1: opened if none is open. Returns the oldest open inverse, which may be the
 * one that was opened.
 */
export async function openWaitingInverse(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  options: RequestOptions,
): Promise<{ readonly inverseId: number; readonly isSuggested: boolean }> {
  return openWithin(db, accountId, path, options, async (trx, mayOpenJob) => {
    const objective = await lockObjectiveAt(trx, accountId, path);
    refuseClosedTrial(objective.trialId, objective.trialStatus);
    refuseEnded(objective);
    const [oldest] = await listOpenInverses(trx, objective.id);
    if (oldest !== undefined) return { inverseId: oldest.id, isSuggested: oldest.isSuggested };
    const after = await getLastIteration(trx, objective.id);
    const one = { objective, objectiveId: objective.id, asker: randomUUID(), after, granted: 1 };
    const isOpened = await openFor(trx, accountId, one, { job: undefined, options, mayOpenJob });
    if (!isOpened) return undefined;
    const [opened] = await listOpenInverses(trx, objective.id);
    return { inverseId: opened!.id, isSuggested: false };
  });
}

/** Whether another job fits into the account's queue. */
type MayOpenJob = (trx: Trx) => Promise<boolean>;

/** Runs `open` in a transaction; it returns undefined when the queue of the account has no room. Throws QUEUE_FULL then. */
async function openWithin<Result>(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  { limits }: RequestOptions,
  open: (trx: Trx, mayOpenJob: MayOpenJob) => Promise<Result | undefined>,
): Promise<Result> {
  const maximumQueued = limits?.queuedSuggestions ?? 0;
  let result: Result | undefined;
  const take = async (limit: number, handle: Db | Trx) => {
    result = await inTransaction(handle, (trx) => open(trx, (own) => mayQueue(own, accountId, limit)));
    return result !== undefined;
  };
  await takeWithin(db, accountId, maximumQueued, take, (trx) => lockObjective(trx, accountId, path.objectiveId));
  if (result === undefined) throw queueFull(maximumQueued);
  return result;
}

interface Opening {
  readonly job: OpenJob | undefined;
  readonly options: RequestOptions;
  readonly mayOpenJob: MayOpenJob;
}

/** False when the queue has no room. The objective is locked. Throws QUOTA_EXCEEDED. */
async function openFor(
  trx: Trx,
  accountId: number,
  { objective, asker, after, granted }: Pick<RequestedSuggestions, 'objective' | 'asker' | 'after' | 'granted'>,
  { job, options, mayOpenJob }: Opening,
): Promise<boolean> {
  const numbers = objective.initialInput.length + objective.objectives.length;
  await refuseOverQuota(trx, accountId, options.limits, {
    bytes: granted * (INVERSE_ROW_BYTES + BYTES_PER_NUMBER * numbers),
    rows: granted,
  });
  if (job !== undefined) {
    await addAskers(
      trx,
      job.id,
      Array.from({ length: granted }, () => asker),
    );
    return true;
  }
  if (!(await mayOpenJob(trx))) return false;
  const inverseId = await insertNextInverse(trx, accountId, {
    objectiveId: objective.id,
    iteration: after + 1,
    askedBy: asker,
  });
  await insertJob(trx, {
    accountId,
    objectiveId: objective.id,
    inverseId,
    askers: Array.from({ length: granted - 1 }, () => asker),
    requestId: options.requestId,
    traceParent: options.traceParent ?? null,
  });
  return true;
}

/**
 * Goes on with those that were to follow an inverse whose job has ended without an input. The caller holds the lock of the
 * objective, which has no job.
 */
export async function openForAskers(
  trx: Trx,
  accountId: number,
  objectiveId: number,
  askers: readonly string[],
): Promise<void> {
  const [asker, ...others] = askers;
  const objective = await lockObjective(trx, accountId, objectiveId);
  if (asker === undefined || objective === undefined || isFinal(objective.stopReason)) return;
  if (!goesOn(objective, await listOpenInverses(trx, objectiveId))) return;
  const iteration = (await getLastIteration(trx, objectiveId)) + 1;
  const inverseId = await insertNextInverse(trx, accountId, { objectiveId, iteration, askedBy: asker });
  await insertJob(trx, { accountId, objectiveId, inverseId, askers: others, requestId: null, traceParent: null });
}

/** Of an inverse, beside its numbers (migrations/repeatable/stored-records.sql). */
const INVERSE_ROW_BYTES = 192;

export function queueFull(maximumQueued: number): DomainError {
  const message = `${maximumQueued} suggestions of this account are waiting to be computed; ask again when some are done.`;
  return new DomainError('QUEUE_FULL', message, { retryAfterSeconds: QUEUE_RETRY_SECONDS });
}

/** Throws OBJECTIVE_ENDED. */
export function refuseEnded(objective: { readonly id: number; readonly stopReason: StopReason }): void {
  if (isFinal(objective.stopReason)) throw objectiveEnded(objective.id, objective.stopReason);
}

/** The OBJECTIVE_ENDED for an objective with a final stop reason. */
export function objectiveEnded(objectiveId: number, stopReason: StopReason): DomainError {
  const names = {
    [StopReason.satisfied]: 'satisfied',
    [StopReason.stopped]: 'stopped',
    [StopReason.exhausted]: 'exhausted',
  };
  const name = names[stopReason as keyof typeof names];
  return new DomainError('OBJECTIVE_ENDED', `Objective ${objectiveId} is no longer running: it is ${name}.`);
}
