/**
 * Waiting for a step to settle: a notification wakes the waiter, a poll stands behind it, and the wait is bounded. The
 * step may be computed by any worker of any process.
 */

import { findInverse } from '../db/inverses.ts';
import { ANYTHING, type Listener } from '../db/listen.ts';
import { SETTLED_CHANNEL } from '../db/suggestion-jobs.ts';
import type { Db, Trx } from '../db/transaction.ts';
import { DomainError } from '../domain/errors.ts';
import { InverseStatus, isBeingComputed } from '../domain/inverse.ts';
import { type KeyedRequest, runOnce } from './idempotent.ts';
import type { ObjectivePath } from './paths.ts';
import { getInverse } from './read-objectives.ts';
import { requestSuggestion, type SuggestOptions } from './request-suggestion.ts';
import type { StepView } from './views.ts';

/** Ids of recently settled steps kept, for a notification that outruns the answer to the request's own commit. */
const RECENT_LIMIT = 4_096;

/** Wakes waiters by step id. One per process; one subscription however many wait. */
export class SettledSteps {
  readonly #waiters = new Map<number, Set<() => void>>();
  readonly #recent = new Set<number>();
  readonly #unsubscribe: () => void;

  readonly #pollIntervalMs: number;
  readonly #maximumInside: number;
  #inside = 0;

  /**
   * @param pollIntervalMs  longest sleep of a waiter: the poll behind the notifications
   * @param maximumInside   requests that may be about to wait at a time
   */
  constructor(
    listener: Pick<Listener, 'subscribe'>,
    pollIntervalMs: number,
    maximumInside: number = Number.POSITIVE_INFINITY,
  ) {
    this.#pollIntervalMs = pollIntervalMs;
    this.#maximumInside = maximumInside;
    this.#unsubscribe = listener.subscribe(SETTLED_CHANNEL, (payload) => this.#settle(payload));
  }

  /** Counts a request that is going to wait until the returned function is called. Throws OVERLOADED when there are too many. */
  enter(): () => void {
    if (this.#inside >= this.#maximumInside) {
      const message = `${this.#inside} requests wait for suggestions in this process already; try again in a moment.`;
      throw new DomainError('OVERLOADED', message);
    }
    this.#inside += 1;
    return () => {
      this.#inside -= 1;
    };
  }

  close(): void {
    this.#unsubscribe();
    this.#wakeAll();
  }

  /** Resolves when the step may have settled, or after the shorter of `timeoutMs` and the poll. Leaves nothing behind. */
  wait(inverseId: number, timeoutMs: number): Promise<void> {
    if (this.#recent.delete(inverseId)) return Promise.resolve();
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(inverseId) ?? new Set();
      this.#waiters.set(inverseId, waiters);
      const wake = () => {
        clearTimeout(timer);
        waiters.delete(wake);
        if (waiters.size === 0) this.#waiters.delete(inverseId);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(timeoutMs, this.#pollIntervalMs));
      waiters.add(wake);
    });
  }

  #settle(payload: string): void {
    if (payload === ANYTHING) {
      this.#wakeAll();
      return;
    }
    const inverseId = Number(payload);
    const waiters = this.#waiters.get(inverseId);
    if (waiters !== undefined) {
      for (const wake of [...waiters]) wake();
      return;
    }
    this.#recent.add(inverseId);
    if (this.#recent.size > RECENT_LIMIT) this.#recent.delete(this.#recent.values().next().value!);
  }

  #wakeAll(): void {
    for (const waiters of [...this.#waiters.values()]) for (const wake of [...waiters]) wake();
  }
}

export interface AwaitDeps {
  readonly db: Db;
  readonly settledSteps: SettledSteps;
}

/**
 * The step once it is settled, or as it is after `waitMs` (its input is then still null).
 * Throws SUGGESTION_FAILED when the computation failed for good, NOT_FOUND when the step vanished.
 */
export async function awaitSuggestion(
  deps: AwaitDeps,
  accountId: number,
  step: StepView,
  waitMs: number,
): Promise<StepView> {
  const deadline = performance.now() + waitMs;
  let current = step;
  while (isBeingComputed(current.inverse)) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return current;
    await deps.settledSteps.wait(step.inverse.id, leftMs);
    const inverse = await findInverse(deps.db, accountId, step.inverse.id);
    if (inverse === undefined) throw new DomainError('NOT_FOUND', `The inverse ${step.inverse.id} is gone.`);
    current = { ...current, inverse };
  }
  if (current.inverse.status === InverseStatus.failed) {
    const reason = current.inverse.failureReason ?? 'unknown reason';
    throw new DomainError(
      'SUGGESTION_FAILED',
      `The suggestion could not be computed (${reason}); ask again to retry.`,
      {
        step: { objectiveId: current.objective.id, inverseId: current.inverse.id },
      },
    );
  }
  return current;
}

export interface WaitOptions extends SuggestOptions {
  readonly waitMs: number;
  /** Set when the request came under a client's key. */
  readonly keyed?: KeyedRequest | undefined;
}

/**
 * Opens or finds the step being computed and waits for it. Under a client's key the step is stored, not the answer, so
 * that no transaction stays open while it is computed. Throws as requestSuggestion, awaitSuggestion and runOnce do.
 */
export async function suggestAndWait(
  deps: AwaitDeps,
  accountId: number,
  path: ObjectivePath,
  options: WaitOptions,
): Promise<StepView> {
  const leave = options.waitMs > 0 ? deps.settledSteps.enter() : undefined;
  try {
    return await openAndAwait(deps, accountId, path, options);
  } finally {
    leave?.();
  }
}

async function openAndAwait(
  deps: AwaitDeps,
  accountId: number,
  path: ObjectivePath,
  options: WaitOptions,
): Promise<StepView> {
  const step =
    options.keyed === undefined
      ? await requestSuggestion(deps.db, accountId, path, options)
      : await suggestOnce(deps.db, options.keyed, path, options);
  return awaitSuggestion(deps, accountId, step, options.waitMs);
}

/** The step that the key's first request opened or found. A computation that failed for good is asked for anew. */
async function suggestOnce(
  db: Db,
  keyed: KeyedRequest,
  path: ObjectivePath,
  options: SuggestOptions,
): Promise<StepView> {
  const { accountId } = keyed;
  let opened: StepView | undefined;
  const open = async (trx: Trx) => {
    opened = await requestSuggestion(trx, accountId, path, options);
    return { kind: 'step', inverseId: opened.inverse.id };
  };
  const isSpent = async (trx: Trx, { inverseId }: { readonly inverseId: number }) => {
    const inverse = await findInverse(trx, accountId, inverseId);
    return inverse !== undefined && inverse.status === InverseStatus.failed && inverse.input === null;
  };
  const { outcome, isReplay } = await runOnce(db, keyed, open, { isSpent });
  return !isReplay && opened !== undefined ? opened : getInverse(db, accountId, { inverseId: outcome.inverseId });
}
