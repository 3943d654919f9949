/**
 * Waits for inverses to be finished: computed, failed, stopped or deleted, by any process. A notification wakes the waiter, and
 * a poll backs it up. Both read for all waiters of the process at once, so that their cost to the database does not grow with
 * the number of waiters.
 */

import { ANYTHING, type Listener } from '../../db/connection/listen.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { readFinishedInverses } from '../../db/search/inverses.ts';
import { FINISHED_CHANNEL } from '../../db/search/suggestion-jobs.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { Inverse } from '../../domain/search/inverse.ts';
import { Tally } from '../../domain/tally.ts';

export interface SuggestionWaitersOptions {
  readonly db: Db;
  readonly listener: Pick<Listener, 'subscribe'>;
  /** Pause between two polls while there are waiters. */
  readonly pollIntervalMs: number;
  /** Requests that may wait at a time; default: any number. */
  readonly maximumWaiting?: number;
  /** Limit for one account; 0 or absent: any number. */
  readonly maximumWaitingPerAccount?: number;
}

/** Ids of recently finished inverses, for a notification that overtakes the answer to the request's own commit. */
const RECENT_LIMIT = 4_096;
/** Inverses of one read; the largest have some 25 kB each. */
const BATCH_LIMIT = 500;
/** Concurrent reads. A single one would hold up all waiters while its connection is silent. */
const READS_AT_ONCE = 2;

interface Waiter {
  /** Undefined: it is not finished yet. */
  readonly resolve: (finished: Inverse | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface Awaited {
  readonly accountId: number;
  readonly waiters: Set<Waiter>;
}

/** One per process: one subscription, one poll, however many wait. */
export class SuggestionWaiters {
  readonly #options: SuggestionWaitersOptions;
  readonly #awaited = new Map<number, Awaited>();
  readonly #recent = new Set<number>();
  readonly #unsubscribe: () => void;
  /** Ids that the next read is about. */
  readonly #due = new Set<number>();
  #reads = 0;
  #isReadPlanned = false;
  #poll: NodeJS.Timeout | undefined;
  readonly #inside = new Tally<number>();

  constructor(options: SuggestionWaitersOptions) {
    this.#options = options;
    this.#unsubscribe = options.listener.subscribe(FINISHED_CHANNEL, (payload) => this.#hear(payload));
  }

  /**
   * Counts a request as waiting until the returned function is called. Undefined: too many requests of its account wait in this
   * process, and this one must not. Throws OVERLOADED when too many wait in all.
   */
  enter(accountId: number): (() => void) | undefined {
    const { maximumWaiting = Number.POSITIVE_INFINITY, maximumWaitingPerAccount = 0 } = this.#options;
    const ofAccount = this.#inside.of(accountId);
    if (maximumWaitingPerAccount > 0 && ofAccount >= maximumWaitingPerAccount) return undefined;
    if (this.#inside.total >= maximumWaiting) {
      const message = `${this.#inside.total} requests are already waiting for suggestions in this process; try again in a moment.`;
      throw new DomainError('OVERLOADED', message);
    }
    this.#inside.add(accountId);
    return () => this.#inside.remove(accountId);
  }

  /**
   * The inverse as soon as it is finished, deleted or not; undefined when it is not after `timeoutMs`. Throws NOT_FOUND when
   * the row is gone, the reason of the signal when it fires, and what a read throws. Leaves nothing behind.
   */
  wait(accountId: number, inverseId: number, timeoutMs: number, signal?: AbortSignal): Promise<Inverse | undefined> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Inverse | undefined>();
    const awaited = this.#awaited.get(inverseId) ?? { accountId, waiters: new Set() };
    const waiter: Waiter = { resolve, reject };
    awaited.waiters.add(waiter);
    this.#awaited.set(inverseId, awaited);
    if (this.#recent.has(inverseId)) this.#read([inverseId]);
    this.#poll ??= setInterval(() => this.#read(this.#awaited.keys()), this.#options.pollIntervalMs);
    const timer = setTimeout(resolve, timeoutMs, undefined);
    const leave = () => reject(signal?.reason);
    signal?.addEventListener('abort', leave);
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      awaited.waiters.delete(waiter);
      if (awaited.waiters.size === 0) this.#forget(inverseId);
    });
  }

  /** Ends all waits, unfinished. */
  close(): void {
    this.#unsubscribe();
    for (const { waiters } of this.#awaited.values()) for (const { resolve } of waiters) resolve(undefined);
  }

  #forget(inverseId: number): void {
    this.#awaited.delete(inverseId);
    if (this.#awaited.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #hear(payload: string): void {
    if (payload === ANYTHING) {
      this.#read(this.#awaited.keys());
      return;
    }
    const inverseId = Number(payload);
    // Also when a request waits for it already: another may be about to.
    this.#recent.add(inverseId);
    if (this.#recent.size > RECENT_LIMIT) this.#recent.delete(this.#recent.values().next().value!);
    if (this.#awaited.has(inverseId)) this.#read([inverseId]);
  }

  /** Schedules a read of these, together with all others of the same event loop iteration or that come up during reads. */
  #read(inverseIds: Iterable<number>): void {
    for (const id of inverseIds) this.#due.add(id);
    if (this.#isReadPlanned || this.#reads >= READS_AT_ONCE || this.#due.size === 0) return;
    this.#isReadPlanned = true;
    setImmediate(() => {
      this.#isReadPlanned = false;
      void this.#readDue();
    });
  }

  /** Never rejects. */
  async #readDue(): Promise<void> {
    const batch = [...this.#due].slice(0, BATCH_LIMIT);
    for (const id of batch) this.#due.delete(id);
    this.#reads += 1;
    await this.#finish(batch.filter((id) => this.#awaited.has(id)));
    this.#reads -= 1;
    this.#read([]);
  }

  async #finish(inverseIds: readonly number[]): Promise<void> {
    if (inverseIds.length === 0) return;
    const keys = inverseIds.map((id) => ({ id, accountId: this.#awaited.get(id)!.accountId }));
    const waitersOf = (id: number) => this.#awaited.get(id)?.waiters ?? [];
    try {
      for (const [id, inverse] of await readFinishedInverses(this.#options.db, keys)) {
        for (const { resolve, reject } of waitersOf(id)) {
          if (inverse === undefined) reject(notFound('inverse', id));
          else resolve(inverse);
        }
      }
    } catch (error) {
      for (const id of inverseIds) for (const { reject } of waitersOf(id)) reject(error);
    }
  }
}
