/**
 * Which accounts must leave a slot of the worker free. The round robin alone is not fair when the suggestions of one account take
 * seconds: they would hold every slot until they are done. So an account with slow suggestions may use all slots but one while
 * other accounts are active.
 */

/** Most suggestions take less. At 250, an account with 70 ms per suggestion made the others wait five times as long. */
const SLOW_MS = 30;
/** Weight of the newest suggestion in an account's average. */
const NEWEST_SHARE = 0.3;
/** How long after its last suggestion an account counts as active. */
const ACTIVE_MS = 120_000;

interface Known {
  averageMs: number;
  lastAt: number;
}

export class SlowAccounts {
  readonly #concurrency: number;
  readonly #now: () => number;
  readonly #known = new Map<number, Known>();

  /** @param now  milliseconds of a monotonic clock */
  constructor(concurrency: number, now: () => number) {
    this.#concurrency = concurrency;
    this.#now = now;
  }

  /** Records how long a suggestion of the account took. */
  note(accountId: number, computeMs: number): void {
    const now = this.#now();
    for (const [other, { lastAt }] of this.#known) if (now - lastAt > ACTIVE_MS) this.#known.delete(other);
    const before = this.#known.get(accountId)?.averageMs ?? computeMs;
    this.#known.set(accountId, { averageMs: before + NEWEST_SHARE * (computeMs - before), lastAt: now });
  }

  /** Accounts from which nothing more may be claimed, given the accounts of the jobs in hand. */
  withoutSlot(running: readonly number[]): readonly number[] {
    return this.#rooms(running).flatMap(([accountId, room]) => (room <= 0 ? [accountId] : []));
  }

  /** How many jobs to claim at once, so that no slow account can take the last slot. */
  limitOf(free: number, running: readonly number[]): number {
    const open = this.#rooms(running).flatMap(([, room]) => (room > 0 ? [room] : []));
    return Math.min(free, ...open);
  }

  /** How many more jobs each slow account may have in hand. Accounts without a limit are left out. */
  #rooms(running: readonly number[]): readonly (readonly [accountId: number, room: number])[] {
    if (this.#concurrency < 2) return [];
    const slow = [...this.#known].filter(([id, { averageMs }]) => averageMs > SLOW_MS && this.#hasOthers(id));
    return slow.map(([id]) => [id, this.#concurrency - 1 - running.filter((other) => other === id).length]);
  }

  #hasOthers(accountId: number): boolean {
    const now = this.#now();
    return [...this.#known].some(([other, { lastAt }]) => other !== accountId && now - lastAt <= ACTIVE_MS);
  }
}
