/**
 * Divides the connections of a pool among accounts: none holds more than its share, and those that wait are served round robin.
 * Work that belongs to no account (authentication, the worker, maintenance) is not held up by any of them.
 */
import { Tally } from '../../domain/tally.ts';

export interface ShareLimits {
  /** Connections of one account. */
  readonly perAccount: number;
  /** Connections of all accounts together; the rest of the pool is for what belongs to none. */
  readonly total: number;
}

/** The shares of one account, and of all together, in a pool of `size` connections. */
export function sharesOf(size: number): ShareLimits {
  const total = Math.max(1, size - Math.ceil(size / 5));
  return { perAccount: Math.max(1, Math.floor(size / 2)), total };
}

export class ConnectionShares {
  readonly #limits: ShareLimits;
  readonly #waitMs: number;
  readonly #held = new Tally<number>();
  /** In round-robin order; an account without waiters has no entry. */
  readonly #waiting = new Map<number, (() => void)[]>();

  /** An account waits at most `waitMs` for a connection. */
  constructor(limits: ShareLimits, waitMs: number) {
    this.#limits = limits;
    this.#waitMs = waitMs;
  }

  /** Resolves once the account may take a connection, with the function that returns it; rejects as a pool does when none gets free. */
  async enter(accountId: number): Promise<() => void> {
    if (!this.#hasRoom(accountId)) await this.#wait(accountId);
    else this.#held.add(accountId);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held.remove(accountId);
      this.#admitNext();
    };
  }

  #hasRoom(accountId: number): boolean {
    return this.#held.of(accountId) < this.#limits.perAccount && this.#held.total < this.#limits.total;
  }

  #wait(accountId: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#forget(accountId, admit);
        reject(new Error('timeout exceeded when trying to connect: other statements of the account hold its share'));
      }, this.#waitMs);
      const admit = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiters = this.#waiting.get(accountId);
      if (waiters === undefined) this.#waiting.set(accountId, [admit]);
      else waiters.push(admit);
    });
  }

  #forget(accountId: number, admit: () => void): void {
    const waiters = this.#waiting.get(accountId)!.filter((waiter) => waiter !== admit);
    if (waiters.length > 0) this.#waiting.set(accountId, waiters);
    else this.#waiting.delete(accountId);
  }

  /** The first account in line that has room. */
  #admitNext(): void {
    for (const [accountId, waiters] of this.#waiting) {
      if (!this.#hasRoom(accountId)) continue;
      this.#held.add(accountId);
      this.#waiting.delete(accountId);
      const admit = waiters.shift()!;
      if (waiters.length > 0) this.#waiting.set(accountId, waiters);
      admit();
      return;
    }
  }
}
