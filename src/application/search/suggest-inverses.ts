/** Asks for several inputs together and waits for them, for a bounded time. */

import type { Db, Trx } from '../../db/connection/transaction.ts';
import { findObjective } from '../../db/search/objectives.ts';
import { type Asked, listOpenInverses, readAsked } from '../../db/search/open-inverses.ts';
import { notFound } from '../../domain/errors.ts';
import { isHeldBack } from '../../domain/search/opening.ts';
import { isFinal } from '../../domain/search/stop-reason.ts';
import { type IdempotentRequest, runOnce } from '../idempotent.ts';
import type { ObjectivePath } from '../paths.ts';
import { type InverseView, viewOf } from '../views.ts';
import { awaitSuggestions, type SuggestDeps } from './await-suggestions.ts';
import { requestSuggestions, type SuggestionsOptions } from './request-suggestions.ts';
import { couldNotBeComputed, refuseUnusable } from './suggest.ts';

interface SuggestInversesOptions extends SuggestionsOptions {
  readonly waitMs: number;
  /** Set when the request has an Idempotency-Key. */
  readonly idempotency?: IdempotentRequest | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

export interface SuggestedInverses {
  /** Those of this request that have an input, in order of iteration. */
  readonly inverses: readonly InverseView[];
  /** All open ones of the objective. */
  readonly openCount: number;
  /** Whether no other is opened because an open one is likely to satisfy the objective. */
  readonly isHeldBack: boolean;
  /** Attempts that are not handed out. */
  readonly attemptsLeft: number;
  /** False: more of them are to follow. */
  readonly isDone: boolean;
  /** False: it was to wait, but too many requests of its account wait in this process already. */
  readonly mayWait: boolean;
}

/**
 * Opens up to `count` inverses and waits for their inputs. After `waitMs` those that are known are returned. With an Idempotency-Key
 * the name of the asker is stored, so that a repeat returns the same inverses as they are then.
 *
 * Throws what requestSuggestions and runOnce throw; SUGGESTION_FAILED when nothing could be computed; the reason of the signal.
 */
export async function suggestInverses(
  deps: SuggestDeps,
  accountId: number,
  path: ObjectivePath,
  options: SuggestInversesOptions,
): Promise<SuggestedInverses> {
  const { db, suggestionWaiters } = deps;
  const { waitMs, idempotency, signal } = options;
  const leave = waitMs > 0 ? suggestionWaiters.enter(accountId) : undefined;
  const mayWait = waitMs === 0 || leave !== undefined;
  try {
    const asked = await (idempotency === undefined
      ? requestSuggestions(db, accountId, path, options)
      : requestOnce(db, idempotency, path, options));
    const found = await awaitSuggestions(deps, accountId, asked, leave === undefined ? 0 : waitMs, signal);
    const computed = found.inverses.filter(({ input }) => input !== null);
    const [first] = found.inverses;
    if (found.isDone && computed.length === 0 && first !== undefined) refuseUnusable(asked.objectiveId, first);
    const objective = await findObjective(db, accountId, asked.objectiveId);
    if (objective === undefined) throw notFound('objective', asked.objectiveId);
    const open = isFinal(objective.stopReason) ? [] : await listOpenInverses(db, objective.id);
    return {
      inverses: computed.map((inverse) => viewOf(objective, inverse)),
      openCount: open.length,
      isHeldBack: open.length < objective.parallelism && isHeldBack(objective, open),
      attemptsLeft: Math.max(0, objective.maximumAttempts - objective.attemptCount),
      isDone: found.isDone,
      mayWait,
    };
  } finally {
    leave?.();
  }
}

/** Repeats the answer to the first request under the key. If nothing of that could be computed, asks again. */
async function requestOnce(
  db: Db,
  idempotency: IdempotentRequest,
  path: ObjectivePath,
  options: SuggestionsOptions,
): Promise<Asked> {
  const { accountId } = idempotency;
  const request = async (trx: Trx) => {
    const { objectiveId, asker, after } = await requestSuggestions(trx, accountId, path, options);
    return { kind: 'asked', objectiveId, asker, after };
  };
  const isSpent = async (trx: Trx, asked: Asked) => {
    const { inverses, awaitedId } = await readAsked(trx, accountId, asked);
    return awaitedId === null && inverses.length > 0 && inverses.every(couldNotBeComputed);
  };
  return (await runOnce(db, idempotency, request, { isSpent })).outcome;
}
