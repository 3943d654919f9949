/** Asking for a suggestion and waiting for it, for a bounded time. It may be computed by any worker of any process. */
import { findInverse } from '../db/inverses.ts';
import type { Db, Trx } from '../db/transaction.ts';
import { DomainError } from '../domain/errors.ts';
import { InverseStatus, isBeingComputed } from '../domain/inverse.ts';
import { type IdempotentRequest, runOnce } from './idempotent.ts';
import { type ObjectivePath, refuseDisabled } from './paths.ts';
import { getInverse } from './read-objectives.ts';
import { requestSuggestion, type SuggestOptions } from './request-suggestion.ts';
import type { SuggestionWaiters } from './suggestion-waiters.ts';
import type { InverseView } from './views.ts';

export interface AwaitDeps {
  readonly db: Db;
  readonly suggestionWaiters: SuggestionWaiters;
}

/**
 * The inverse once nobody computes it any more, or as it is after `waitMs` (its input is then null and its status active).
 * Without an input, and no longer active, it was stopped. Throws NOT_FOUND when it was deleted, SUGGESTION_FAILED when the
 * computation failed for good.
 */
export async function awaitSuggestion(
  { suggestionWaiters }: Pick<AwaitDeps, 'suggestionWaiters'>,
  accountId: number,
  asked: InverseView,
  waitMs: number,
): Promise<InverseView> {
  const { id } = asked.inverse;
  const mustWait = isBeingComputed(asked.inverse) && asked.inverse.disabledAt === null && waitMs > 0;
  const inverse = (mustWait && (await suggestionWaiters.wait(accountId, id, waitMs))) || asked.inverse;
  if (inverse.input !== null) return { ...asked, inverse };
  refuseDisabled(inverse, 'inverse');
  if (inverse.status !== InverseStatus.failed) return { ...asked, inverse };
  const reason = inverse.failureReason ?? 'unknown reason';
  throw new DomainError('SUGGESTION_FAILED', `The suggestion could not be computed (${reason}); ask again to retry.`, {
    inverse: { objectiveId: asked.objective.id, inverseId: id },
  });
}

export interface WaitOptions extends SuggestOptions {
  readonly waitMs: number;
  /** Set when the request came under a client's key. */
  readonly idempotency?: IdempotentRequest | undefined;
}

export interface AwaitedSuggestion extends InverseView {
  /** False: it was to wait, and its account has as many requests waiting in this process as it may. */
  readonly mayWait: boolean;
}

/**
 * Opens or finds the inverse being computed and waits for it. Under a client's key the inverse is stored, not the answer,
 * so that no transaction stays open while it is computed. Throws as requestSuggestion, awaitSuggestion and runOnce do.
 */
export async function suggestAndWait(
  deps: AwaitDeps,
  accountId: number,
  path: ObjectivePath,
  options: WaitOptions,
): Promise<AwaitedSuggestion> {
  const leave = options.waitMs > 0 ? deps.suggestionWaiters.enter(accountId) : undefined;
  try {
    const asked = await ask(deps.db, accountId, path, options);
    const awaited = await awaitSuggestion(deps, accountId, asked, leave === undefined ? 0 : options.waitMs);
    return { ...awaited, mayWait: options.waitMs === 0 || leave !== undefined };
  } finally {
    leave?.();
  }
}

function ask(db: Db, accountId: number, path: ObjectivePath, options: WaitOptions): Promise<InverseView> {
  if (options.idempotency === undefined) return requestSuggestion(db, accountId, path, options);
  return suggestOnce(db, options.idempotency, path, options);
}

/** The inverse that the key's first request opened or found. A computation that failed for good is asked for anew. */
async function suggestOnce(
  db: Db,
  idempotency: IdempotentRequest,
  path: ObjectivePath,
  options: SuggestOptions,
): Promise<InverseView> {
  const { accountId } = idempotency;
  let opened: InverseView | undefined;
  const open = async (trx: Trx) => {
    opened = await requestSuggestion(trx, accountId, path, options);
    return { kind: 'inverse', inverseId: opened.inverse.id };
  };
  const isSpent = async (trx: Trx, { inverseId }: { readonly inverseId: number }) => {
    const inverse = await findInverse(trx, accountId, inverseId);
    return inverse !== undefined && inverse.status === InverseStatus.failed && inverse.input === null;
  };
  const { outcome, isReplay } = await runOnce(db, idempotency, open, { isSpent });
  return !isReplay && opened !== undefined ? opened : getInverse(db, accountId, { inverseId: outcome.inverseId });
}
