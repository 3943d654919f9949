/** Asking for the next input and waiting for it, for a bounded time. Any worker of any process may compute it. */
import { ConflictError, type Db, type Trx } from '../../db/connection/transaction.ts';
import { findInverse } from '../../db/search/inverses.ts';
import { findObjective } from '../../db/search/objectives.ts';
import { type Asked, type AskedInverses, readAsked } from '../../db/search/open-inverses.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { awaitsOutput, type Inverse, InverseStatus, isBeingComputed } from '../../domain/search/inverse.ts';
import type { Objective } from '../../domain/search/objective.ts';
import type { OpenInverse, WhyNone } from '../../domain/search/opening.ts';
import { type IdempotentRequest, runOnce } from '../idempotent.ts';
import { type ObjectivePath, refuseDisabled } from '../paths.ts';
import { type InverseView, viewOf } from '../views.ts';
import { awaitSuggestions, type SuggestDeps, unlessRemoved } from './await-suggestions.ts';
import { getInverse } from './read-objectives.ts';
import { objectiveEnded, type RequestOptions, requestOne } from './request-suggestions.ts';

export { objectiveEnded };

/** Tries to open an iteration while other requests do the same. One of them succeeds with each. */
const MAXIMUM_TRIES = 5;

export type { SuggestDeps };

interface NextOptions extends RequestOptions {
  /** Whether one more is opened where several may be open; otherwise the oldest open one counts as the only one. */
  readonly opensMore?: boolean;
}

interface SuggestOptions extends NextOptions {
  readonly waitMs: number;
  /** Set when the request has an Idempotency-Key. */
  readonly idempotency?: IdempotentRequest | undefined;
  /** Ends the wait: nothing further is opened for a client that is gone. */
  readonly signal?: AbortSignal;
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
 * Where several may be open and `opensMore` is set, it always opens another one. Throws what requestSuggestion and runOnce throw;
 * NOT_FOUND when the inverse was deleted meanwhile, SUGGESTION_FAILED when its computation failed for good, SUGGESTION_PENDING when
 * others were still computed before it after `waitMs`; the reason of the signal when it fires during the wait.
 */
export async function suggest(
  deps: SuggestDeps,
  accountId: number,
  path: ObjectivePath,
  options: SuggestOptions,
): Promise<AwaitedSuggestion> {
  const { db, suggestionWaiters } = deps;
  const { waitMs, idempotency, signal } = options;
  const leave = waitMs > 0 ? suggestionWaiters.enter(accountId) : undefined;
  const mayWait = waitMs === 0 || leave !== undefined;
  const until = performance.now() + (leave === undefined ? 0 : waitMs);
  try {
    for (let tries = 0; tries < MAXIMUM_TRIES; tries++) {
      const requested = await (idempotency === undefined
        ? requestNext(db, accountId, path, options)
        : requestOnce(db, idempotency, path, options));
      const leftMs = Math.max(0, until - performance.now());
      const view =
        requested.kind === 'view'
          ? await awaitInverse(deps, accountId, requested.view, leftMs, signal)
          : await awaitAsked(deps, accountId, requested.asked, leftMs, signal);
      if (view !== undefined) return { ...view, mayWait };
    }
    throw new ConflictError('nothing new was found for the request while others loaded outputs');
  } finally {
    leave?.();
  }
}

/** Undefined when it was removed, since nothing new was found for it. */
async function awaitInverse(
  { suggestionWaiters }: SuggestDeps,
  accountId: number,
  view: InverseView,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<InverseView | undefined> {
  const { objective, inverse } = view;
  const mustWait = waitMs > 0 && isBeingComputed(inverse) && inverse.disabledAt === null;
  let isRemoved = false;
  const noteRemoval = (error: unknown) => {
    isRemoved = true;
    return unlessRemoved(error);
  };
  const finished = mustWait
    ? await suggestionWaiters.wait(accountId, inverse.id, waitMs, signal).catch(noteRemoval)
    : undefined;
  if (isRemoved) return undefined;
  refuseUnusable(objective.id, finished ?? inverse);
  return finished === undefined ? view : viewOf(objective, finished);
}

/** The inverse of a request that asked for one; undefined when none was opened for it after all. */
async function awaitAsked(
  deps: SuggestDeps,
  accountId: number,
  asked: Asked,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<InverseView | undefined> {
  const { inverses, isDone } = await awaitSuggestions(deps, accountId, asked, waitMs, signal);
  const [inverse] = inverses;
  if (inverse === undefined && isDone) return undefined;
  if (inverse === undefined) {
    const message =
      'Inputs for other requests are computed first; repeat the request with the same Idempotency-Key, or look for its input among the open inverses.';
    throw new DomainError('SUGGESTION_PENDING', message);
  }
  refuseUnusable(asked.objectiveId, inverse);
  const objective = await findObjective(deps.db, accountId, asked.objectiveId);
  if (objective === undefined) throw notFound('objective', asked.objectiveId);
  return viewOf(objective, inverse);
}

/** Throws NOT_FOUND for one that was deleted, SUGGESTION_FAILED for one that could not be computed. */
export function refuseUnusable(objectiveId: number, inverse: Inverse): void {
  if (inverse.input !== null) return;
  refuseDisabled(inverse, 'inverse');
  if (!couldNotBeComputed(inverse)) return;
  const reason = inverse.failureReason ?? 'unknown reason';
  throw new DomainError('SUGGESTION_FAILED', `The suggestion could not be computed (${reason}); ask again to retry.`, {
    inverse: { objectiveId, inverseId: inverse.id },
  });
}

/** An inverse that is there, or the name under which one will be opened. */
type Requested =
  | { readonly kind: 'view'; readonly view: InverseView }
  | { readonly kind: 'asked'; readonly asked: Asked };

type Outcome = { readonly kind: 'inverse'; readonly inverseId: number } | ({ readonly kind: 'asked' } & Asked);

/** The inverse that the first request under the key opened or found. After a computation that failed for good it asks again. */
async function requestOnce(
  db: Db,
  idempotency: IdempotentRequest,
  path: ObjectivePath,
  options: NextOptions,
): Promise<Requested> {
  const { accountId } = idempotency;
  let requested: Requested | undefined;
  const request = async (trx: Trx): Promise<Outcome> => {
    requested = await requestNext(trx, accountId, path, options);
    return requested.kind === 'asked'
      ? { kind: 'asked', ...requested.asked }
      : { kind: 'inverse', inverseId: requested.view.inverse.id };
  };
  const isSpent = async (trx: Trx, outcome: Outcome) => {
    if (outcome.kind === 'asked') return hasNone(await readAsked(trx, accountId, outcome));
    const inverse = await findInverse(trx, accountId, outcome.inverseId);
    return inverse === undefined || couldNotBeComputed(inverse);
  };
  const { outcome, isReplay } = await runOnce<Outcome>(db, idempotency, request, { isSpent });
  if (!isReplay && requested !== undefined) return requested;
  if (outcome.kind === 'asked') return { kind: 'asked', asked: outcome };
  return { kind: 'view', view: await getInverse(db, accountId, { inverseId: outcome.inverseId }) };
}

/**
 * Opens the next iteration with the job that computes it, or returns the one being computed, without waiting. Workers hear of
 * the job on commit. Where several are open, the oldest counts as the only one.
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
  const requested = await requestNext(db, accountId, path, options);
  if (requested.kind === 'asked') throw new Error('only a request that opens more asks for one');
  return requested.view;
}

async function requestNext(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  options: NextOptions,
): Promise<Requested> {
  const requested = await requestOne(db, accountId, path, options);
  switch (requested.kind) {
    case 'asked':
      return requested;
    case 'inverse':
      return { kind: 'view', view: viewOf(requested.objective, requested.inverse) };
    case 'open': {
      const view = await getInverse(db, accountId, { inverseId: requested.inverseId });
      refuseOpenIteration(view.objective.id, view.inverse);
      return { kind: 'view', view };
    }
    case 'none':
      throw noneOpened(requested.objective, requested.whyNone, requested.open[0]);
  }
}

function noneOpened(objective: Objective, whyNone: WhyNone, oldest: OpenInverse | undefined): DomainError {
  const inverse = oldest && { objectiveId: objective.id, inverseId: oldest.id };
  const facts = inverse === undefined ? {} : { inverse };
  if (whyNone === 'attempts') {
    const message = `All ${objective.maximumAttempts} inputs of objective ${objective.id} have been suggested; load the outputs of the open runs, or give up those that will not be done.`;
    return new DomainError('ATTEMPTS_HANDED_OUT', message, facts);
  }
  const reasons = {
    parallelism: `As many runs are open as the parallelism of the objective allows (${objective.parallelism})`,
    'held-back':
      'An open run is likely to satisfy the objective, so no other input is suggested before its output is known (holdBack)',
    'nothing-new': 'The search finds nothing new before an output of the open runs is known',
  };
  const message = `${reasons[whyNone]}; load the output of an open run, report that it failed, or give it up.`;
  return new DomainError('ITERATION_OPEN', message, facts);
}

/** Whether nothing was opened for an asker, or nothing that it can use, and nothing will be. */
function hasNone({ inverses, awaitedId }: AskedInverses): boolean {
  return awaitedId === null && inverses.every(couldNotBeComputed);
}

export function couldNotBeComputed(inverse: Inverse): boolean {
  return inverse.status === InverseStatus.failed && inverse.input === null;
}

function refuseOpenIteration(objectiveId: number, last: Inverse): void {
  if (!awaitsOutput(last)) return;
  throw new DomainError(
    'ITERATION_OPEN',
    `Run ${last.iteration} still waits for its output; load the output of inverse ${last.id}, or report that the run failed.`,
    { inverse: { objectiveId, inverseId: last.id } },
  );
}
