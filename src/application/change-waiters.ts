/**
 * Waits for objectives to change, whichever process changes them. Only while somebody waits, one statement now and then reads
 * the stamps of all objectives that are waited for; a write of this process and a finished suggestion of any process bring the
 * next read forward.
 */
import { type ObjectiveStamp, readObjectiveStamps } from '../db/history.ts';
import type { Listener } from '../db/listen.ts';
import { FINISHED_CHANNEL } from '../db/suggestion-jobs.ts';
import type { Db } from '../db/transaction.ts';

export interface ChangeWaitersOptions {
  readonly db: Db;
  readonly listener: Pick<Listener, 'subscribe'>;
  /** Pause between two reads while there are waiters. */
  readonly pollIntervalMs: number;
}

/** Between a hint and the read: hints that come together, and what their transactions write, are read at once. */
const HINT_DELAY_MS = 25;

interface Waiter {
  readonly accountId: number;
  readonly id: number;
  readonly isSame: (stamp: ObjectiveStamp) => boolean;
  /** Undefined: nothing has changed. */
  readonly resolve: (stamp: ObjectiveStamp | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** One per process. */
export class ChangeWaiters {
  readonly #options: ChangeWaitersOptions;
  readonly #waiters = new Set<Waiter>();
  readonly #unsubscribe: () => void;
  #poll: NodeJS.Timeout | undefined;
  #hinted: NodeJS.Timeout | undefined;
  #isReading = false;
  #isClosed = false;

  constructor(options: ChangeWaitersOptions) {
    this.#options = options;
    this.#unsubscribe = options.listener.subscribe(FINISHED_CHANNEL, () => this.hint());
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * The stamp of the objective as soon as it is not the same any more; undefined when it still is after `timeoutMs`, when the
   * objective is gone, or when this is closed. Throws what a read throws. Leaves nothing behind.
   */
  wait(
    accountId: number,
    id: number,
    isSame: (stamp: ObjectiveStamp) => boolean,
    timeoutMs: number,
  ): Promise<ObjectiveStamp | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const { promise, resolve, reject } = Promise.withResolvers<ObjectiveStamp | undefined>();
    const waiter: Waiter = { accountId, id, isSame, resolve, reject };
    this.#waiters.add(waiter);
    this.#poll ??= setInterval(() => void this.#read(), this.#options.pollIntervalMs);
    const timer = setTimeout(resolve, timeoutMs, undefined);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
      if (this.#waiters.size === 0) this.#rest();
    });
  }

  /** Something may have changed. Costs nothing while nobody waits. */
  hint(): void {
    if (this.#waiters.size === 0) return;
    this.#hinted ??= setTimeout(() => {
      this.#hinted = undefined;
      void this.#read();
    }, HINT_DELAY_MS);
  }

  /** Ends all waits, unchanged, and every later one at once. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const { resolve } of this.#waiters) resolve(undefined);
  }

  #rest(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#hinted);
    this.#poll = undefined;
    this.#hinted = undefined;
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    // A hint during a read is about what it may have missed.
    if (this.#isReading) return this.hint();
    const waiters = [...this.#waiters];
    if (waiters.length === 0) return;
    this.#isReading = true;
    try {
      const keys = new Map(waiters.map(({ accountId, id }) => [id, { accountId, id }]));
      const stamps = await readObjectiveStamps(this.#options.db, [...keys.values()]);
      for (const { id, isSame, resolve } of waiters) {
        const stamp = stamps.get(id);
        if (stamp === undefined || !isSame(stamp)) resolve(stamp);
      }
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    } finally {
      this.#isReading = false;
    }
  }
}
