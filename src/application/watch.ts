/**
 * Waits for things to change, whichever process changes them. Only while somebody waits, one statement now and then reads the
 * stamps of all that are waited for; hints bring the next read forward.
 */
import { Tally } from '../domain/tally.ts';

export interface WatchOptions<Key, Stamp> {
  /** Pause between two reads while there are waiters. */
  readonly pollIntervalMs: number;
  /** Minimum delay between a read that found a change and the next hint. */
  readonly restMs: number;
  /** Tells keys apart. */
  nameOf(key: Key): string;
  /** The stamps by name; what is gone is left out. */
  read(keys: readonly Key[]): Promise<ReadonlyMap<string, Stamp>>;
}

/** Between a hint and the read: hints that come together, and what their transactions write, are read together. */
const HINT_DELAY_MS = 25;
/** After a read, hints wait this many times as long as it took, so that reads take a fifth of the time at most. */
const REST_PER_READ = 4;

interface Waiter<Key, Stamp> {
  readonly name: string;
  readonly key: Key;
  readonly isSame: (stamp: Stamp) => boolean;
  /** Undefined: it is gone, or nothing is known. */
  readonly resolve: (stamp: Stamp | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** One per process and kind of thing. */
export class Watch<Key extends { readonly accountId: number }, Stamp> {
  readonly #options: WatchOptions<Key, Stamp>;
  readonly #waiters = new Set<Waiter<Key, Stamp>>();
  readonly #accounts = new Tally<number>();
  /** As last read. */
  #known: ReadonlyMap<string, Stamp> = new Map();
  #poll: NodeJS.Timeout | undefined;
  #hinted: NodeJS.Timeout | undefined;
  #restsUntil = 0;
  #isReading = false;
  #isClosed = false;

  constructor(options: WatchOptions<Key, Stamp>) {
    this.#options = options;
  }

  /** Number of all waiting requests. */
  get waiting(): number {
    return this.#accounts.total;
  }

  /** Number of waiting requests of an account. */
  waitingOf(accountId: number): number {
    return this.#accounts.of(accountId);
  }

  /**
   * The stamp as soon as it is not the same any more, or the one read last after `timeoutMs`. Undefined when the thing is gone,
   * when it was never read, or when this is closed. Throws what a read throws. Leaves nothing behind.
   *
   * @param whenGone  calls its argument when nobody is interested any more
   */
  wait(
    key: Key,
    isSame: (stamp: Stamp) => boolean,
    timeoutMs: number,
    whenGone: (end: () => void) => void = () => undefined,
  ): Promise<Stamp | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const name = this.#options.nameOf(key);
    const { promise, resolve, reject } = Promise.withResolvers<Stamp | undefined>();
    const waiter: Waiter<Key, Stamp> = { name, key, isSame, resolve, reject };
    this.#waiters.add(waiter);
    this.#accounts.add(key.accountId);
    this.#poll ??= setInterval(() => void this.#read(), this.#options.pollIntervalMs);
    const known = this.#known.get(name);
    // Otherwise the next poll is soon enough: one who asks again and again costs no read of their own.
    if (known === undefined || !isSame(known)) this.#readSoon();
    const end = () => resolve(this.#known.get(name));
    const timer = setTimeout(end, timeoutMs);
    whenGone(end);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
      this.#accounts.remove(key.accountId);
      if (this.#waiters.size === 0) this.#rest();
    });
  }

  /** Something may have changed, of one account if given. Costs nothing while nobody waits for it. */
  hint(accountId?: number): void {
    if (accountId === undefined ? this.waiting > 0 : this.waitingOf(accountId) > 0) this.#readSoon();
  }

  /** Ends all waits, and every later one immediately. */
  close(): void {
    this.#isClosed = true;
    for (const { resolve } of this.#waiters) resolve(undefined);
  }

  #readSoon(): void {
    this.#hinted ??= setTimeout(
      () => {
        this.#hinted = undefined;
        void this.#read();
      },
      Math.max(HINT_DELAY_MS, this.#restsUntil - performance.now()),
    );
  }

  #rest(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#hinted);
    this.#poll = undefined;
    this.#hinted = undefined;
    this.#known = new Map();
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    // A hint during a read is about what it may have missed.
    if (this.#isReading) return this.#readSoon();
    const waiters = [...this.#waiters];
    if (waiters.length === 0) return;
    this.#isReading = true;
    const startedAt = performance.now();
    let hasChanged = false;
    try {
      const keys = new Map(waiters.map(({ name, key }) => [name, key]));
      this.#known = await this.#options.read([...keys.values()]);
      for (const { name, isSame, resolve } of waiters) {
        const stamp = this.#known.get(name);
        if (stamp !== undefined && isSame(stamp)) continue;
        hasChanged = true;
        resolve(stamp);
      }
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    } finally {
      this.#isReading = false;
      const now = performance.now();
      this.#restsUntil = now + Math.max(hasChanged ? this.#options.restMs : 0, REST_PER_READ * (now - startedAt));
    }
  }
}
