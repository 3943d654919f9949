/**
 * Which accounts must leave a slot of the worker free. The round robin alone is not fair: the suggestions of one
 * account would hold every slot until they are done. So an account may use all slots but one while others are active, and the
 * slower its suggestions are, the longer others count as active.
 */

/**
 * For how many times the duration of its own suggestions an account leaves a slot to another one that was served before: 10 s for
 * suggestions of 10 ms, because waiting for one of them costs the other account little.
 */
const LEAVES_SLOT_FOR = 1_000;
/** Weight of the newest suggestion in an account's average. */
const NEWEST_SHARE = 0.3;
/** The longest time after its last suggestion for which an account counts as active. */
const ACTIVE_MS = 120_000;

interface Known {
  averageMs: number;
  lastAt: number;
}

export class AccountSlots {
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

  /** How many jobs to claim at once, so that no limited account can take the last slot. */
  limitOf(free: number, running: readonly number[]): number {
    const open = this.#rooms(running).flatMap(([, room]) => (room > 0 ? [room] : []));
    return Math.min(free, ...open);
  }

  /** How many more jobs each account may have in hand. Accounts without a limit are left out. */
  #rooms(running: readonly number[]): readonly (readonly [accountId: number, room: number])[] {
    if (this.#concurrency < 2) return [];
    const limited = [...this.#known].filter(([id, { averageMs }]) => this.#hasOthers(id, averageMs));
    return limited.map(([id]) => [id, this.#concurrency - 1 - running.filter((other) => other === id).length]);
  }

  #hasOthers(accountId: number, averageMs: number): boolean {
    const now = this.#now();
    const activeMs = Math.min(ACTIVE_MS, LEAVES_SLOT_FOR * averageMs);
    return [...this.#known].some(([other, { lastAt }]) => other !== accountId && now - lastAt <= activeMs);
  }
}
