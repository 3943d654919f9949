/**
 * Asking for inputs. Each of them is an inverse of its own, computed one after the other by the worker that holds the job of the
 * objective; a request recognizes its inverses by the name of its asker, so that none goes to two requests.
 */
import { randomUUID } from 'node:crypto';
import { readUsage } from '../../db/accounts/account-usage.ts';
import type { Db, Trx } from '../../db/connection/transaction.ts';
import type { OpenedJob } from '../../db/search/ledger-changes.ts';
import { lockObjective, type ObjectiveWithParents } from '../../db/search/objectives.ts';
import type { Asked } from '../../db/search/open-inverses.ts';
import type { Search } from '../../db/search/search-ledger.ts';
import { openIfIdle, type Written } from '../../db/search/write-search.ts';
import { BYTES_PER_NUMBER, NO_QUOTA, quotaExceeded, type StorageUsage } from '../../domain/accounts/storage.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Inverse } from '../../domain/search/inverse.ts';
import { type OpenInverse, planOpening, type WhyNone } from '../../domain/search/opening.ts';
import { isFinal, StopReason } from '../../domain/search/stop-reason.ts';
import { type AccountLimits, refuseOverQuota, takeWithin } from '../accounts/account-limits.ts';
import { refuseClosedTrial } from '../data/manage-trials.ts';
import { missingInPath, type ObjectivePath } from '../paths.ts';
import { answer, changeSearch, type Decision, getSearch, isThere } from './change-search.ts';

/** A suggestion takes a fraction of a second; in this time a full queue has moved on. */
const QUEUE_RETRY_SECONDS = 5;
const NOTHING: StorageUsage = { bytes: 0, rows: 0 };

export interface RequestOptions {
  readonly requestId: string | null;
  /** The actor that asks, as the runs name it; default: none, for a batch. */
  readonly actor?: string | null;
  /** The trace that the computation belongs to, as W3C Trace Context writes it; default: none. */
  readonly traceParent?: string | null;
  /** Default: none. */
  readonly limits?: AccountLimits | undefined;
}

export interface SuggestionsOptions extends RequestOptions {
  /** At most as many are opened; default: all that may be. */
  readonly count?: number | undefined;
  /** Marks the inverses of this request; default: a new name. */
  readonly asker?: string;
}

export interface RequestedSuggestions extends Asked {
  readonly objective: ObjectiveWithParents;
  /** Number of inverses that will be opened for the asker; fewer if the search finds nothing new or holds back in the meantime. */
  readonly granted: number;
  /** Reason why none is opened; null when some are. */
  readonly whyNone: WhyNone | null;
  /** Those open before, in order of iteration. */
  readonly open: readonly OpenInverse[];
  /** The first of them, unless it is to follow one that is being computed. */
  readonly opened: Inverse | undefined;
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
  const asker = options.asker ?? makeAsker(options);
  return takeFromQueue(db, accountId, path, options, (handle, maximumQueued) =>
    openFor(handle, accountId, path, { ...options, asker, maximumQueued }, (requested) => requested),
  );
}

interface OneOptions extends RequestOptions {
  /** Whether one more is opened where several may be open. */
  readonly opensMore?: boolean;
}

/** The inverse that a request for one is about, or the name under which one will be opened. */
export type RequestedOne =
  | { readonly kind: 'inverse'; readonly objective: ObjectiveWithParents; readonly inverse: Inverse }
  /** The oldest of those that are open. */
  | { readonly kind: 'open'; readonly objective: ObjectiveWithParents; readonly inverseId: number }
  | { readonly kind: 'asked'; readonly asked: Asked }
  | {
      readonly kind: 'none';
      readonly objective: ObjectiveWithParents;
      readonly whyNone: WhyNone;
      readonly open: readonly OpenInverse[];
    };

/**
 * Asks for one inverse. Where one may be open, or `opensMore` is not set, an open one answers the request; otherwise it opens one
 * more. Throws what requestSuggestions throws.
 */
export async function requestOne(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  options: OneOptions,
): Promise<RequestedOne> {
  const asker = makeAsker(options);
  return takeFromQueue(db, accountId, path, options, async (handle, maximumQueued) => {
    const { objectiveId, modelId = null, projectId = null, trialId = null } = path;
    const job = jobFor({ ...options, maximumQueued }, 1, asker);
    const found = await openIfIdle(
      handle,
      accountId,
      { objectiveId, modelId, projectId, trialId },
      { askedBy: asker, job },
    );
    const lacking = found && (await lackOf(handle, accountId, options, found.written));
    if (found?.written.kind === 'written') {
      return { kind: 'inverse', objective: found.search.objective, inverse: found.written.opened! };
    }
    if (lacking === 'queue') return undefined;
    const opening = { ...options, asker, maximumQueued, count: 1, known: found?.search };
    return openFor(handle, accountId, path, opening, toOne, (search) => waitingFor(search, options.opensMore ?? false));
  });
}

/** The name of a request, and of who sent it: whatever opens an inverse for the asker knows both (senderOf in db/search/ledger-parts.ts). */
function makeAsker({ actor = null }: RequestOptions): string {
  return actor === null ? randomUUID() : `${randomUUID()} ${actor}`;
}

/** The oldest open inverse, where it answers a request for one more. */
function waitingFor({ objective, open: [oldest] }: Search, opensMore: boolean): RequestedOne | undefined {
  const isAnswered = oldest !== undefined && !(opensMore && objective.parallelism > 1);
  return isAnswered ? { kind: 'open', objective, inverseId: oldest.id } : undefined;
}

function toOne({ objective, opened, granted, whyNone, open, ...asked }: RequestedSuggestions): RequestedOne {
  if (granted === 0) return { kind: 'none', objective, whyNone: whyNone!, open };
  return opened === undefined ? { kind: 'asked', asked } : { kind: 'inverse', objective, inverse: opened };
}

interface Opening extends SuggestionsOptions {
  readonly asker: string;
  readonly maximumQueued: number;
  /** The search as it was read a moment ago. */
  readonly known?: Search | undefined;
}

/** Undefined when the queue of the account has no room. @param answered an answer without opening any */
async function openFor<Result>(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  { known, ...options }: Opening,
  toResult: (requested: RequestedSuggestions) => Result,
  answered: (search: Search) => Result | undefined = () => undefined,
): Promise<Result | undefined> {
  let first = known;
  const read = async (handle: Db | Trx) => {
    const search = first ?? (await getSearch(handle, accountId, path));
    first = undefined;
    if (isThere(search.objective, path)) return search;
    throw await missingInPath(handle, accountId, path, { resource: 'objective', id: path.objectiveId });
  };
  return changeSearch(db, accountId, read, async (search, handle): Promise<Decision<Result | undefined>> => {
    const { objective, open, job, lastIteration: after } = search;
    refuseClosedTrial(objective.trialId, objective.trialStatus);
    refuseEnded(objective);
    const found = answered(search);
    if (found !== undefined) return answer(found);
    const { asker } = options;
    const { granted, whyNone } = planOpening(objective, open, job?.askers.length ?? 0, options.count);
    const requested = { objective, objectiveId: objective.id, asker, after, granted, whyNone, open, opened: undefined };
    if (granted === 0) return answer(toResult(requested));
    if (job !== null) {
      await refuseOverQuota(handle, accountId, options.limits, sizeOf(objective, granted));
      const askers = Array.from({ length: granted }, () => asker);
      return { kind: 'change', change: { job: { kind: 'extended', askers } }, toResult: () => toResult(requested) };
    }
    return {
      kind: 'change',
      change: { opened: { askedBy: asker }, job: { kind: 'opened', ...jobFor(options, granted, asker) } },
      toResult: ({ opened }) => toResult({ ...requested, opened }),
      lacking: async (what) => {
        await lackOf(handle, accountId, options, { kind: 'lacks', what });
        return undefined;
      },
    };
  });
}

function jobFor(
  { limits, requestId, traceParent = null, maximumQueued }: RequestOptions & { readonly maximumQueued: number },
  granted: number,
  asker: string,
): OpenedJob {
  const { storedBytes, storedRows } = limits ?? NO_QUOTA;
  const askers = Array.from({ length: granted - 1 }, () => asker);
  return { askers, requestId, traceParent, maximumQueued, storedBytes, storedRows };
}

/** 'queue' when there is no room for another job. Throws QUOTA_EXCEEDED when there is none for what it would store. */
async function lackOf(
  db: Db | Trx,
  accountId: number,
  { limits }: RequestOptions,
  written: Written,
): Promise<'queue' | undefined> {
  if (written.kind !== 'lacks') return undefined;
  if (written.what === 'queue') return 'queue';
  throw quotaExceeded(limits ?? NO_QUOTA, await readUsage(db, accountId), NOTHING);
}

/** Runs `take` with the number of jobs that the account may have; it returns undefined when there is no room. Throws QUEUE_FULL then. */
async function takeFromQueue<Result>(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  { limits }: RequestOptions,
  take: (handle: Db | Trx, maximumQueued: number) => Promise<Result | undefined>,
): Promise<Result> {
  const maximumQueued = limits?.queuedSuggestions ?? 0;
  let result: Result | undefined;
  const takeBelow = async (limit: number, handle: Db | Trx) => {
    result = await take(handle, limit);
    return result !== undefined;
  };
  await takeWithin(db, accountId, maximumQueued, takeBelow, (trx) => lockObjective(trx, accountId, path.objectiveId));
  if (result === undefined) throw queueFull(maximumQueued);
  return result;
}

/** Storage of an inverse, beside its numbers (migrations/repeatable/stored-records.sql). */
const INVERSE_ROW_BYTES = 192;

function sizeOf({ initialInput, objectives }: ObjectiveWithParents, count: number): StorageUsage {
  const numbers = initialInput.length + objectives.length;
  return { bytes: count * (INVERSE_ROW_BYTES + BYTES_PER_NUMBER * numbers), rows: count };
}

function queueFull(maximumQueued: number): DomainError {
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
