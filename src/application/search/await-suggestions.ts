/** Waiting for the inverses that one request asked for, which the worker opens and computes one after the other. */

import type { Db } from '../../db/connection/transaction.ts';
import { type Asked, readAsked } from '../../db/search/open-inverses.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Inverse, isBeingComputed } from '../../domain/search/inverse.ts';
import type { SuggestionWaiters } from './suggestion-waiters.ts';

export interface SuggestDeps {
  readonly db: Db;
  readonly suggestionWaiters: SuggestionWaiters;
}

export interface AwaitedInverses {
  /** As they are now, in order of iteration. */
  readonly inverses: readonly Inverse[];
  /** False: some are still to be opened or computed. */
  readonly isDone: boolean;
}

/**
 * The inverses of an asker once none of them is to follow or being computed, or as they are after `waitMs`. Throws the reason of the
 * signal when it fires while it waits.
 */
export async function awaitSuggestions(
  { db, suggestionWaiters }: SuggestDeps,
  accountId: number,
  asked: Asked,
  waitMs: number,
  signal?: AbortSignal,
): Promise<AwaitedInverses> {
  const until = performance.now() + waitMs;
  for (;;) {
    const { inverses, awaitedId } = await readAsked(db, accountId, asked);
    const computing = inverses.find((inverse) => isBeingComputed(inverse) && inverse.disabledAt === null);
    const next = computing?.id ?? awaitedId;
    if (next === null) return { inverses, isDone: true };
    const leftMs = until - performance.now();
    if (leftMs <= 0) return { inverses, isDone: false };
    await suggestionWaiters.wait(accountId, next, leftMs, signal).catch(unlessRemoved);
  }
}

/** One for which nothing new was found is removed; what is left tells the next read. */
export function unlessRemoved(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'NOT_FOUND') return undefined;
  throw error;
}
