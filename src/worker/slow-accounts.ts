/**
 * Which accounts leave a place of the worker free. Taking turns at being claimed is not enough where the suggestions of one
 * account take seconds: they would hold every place until they are done. So an account with slow suggestions may have all
 * places but one, as long as there are others to serve.
 */

/** Suggestions of most problems take less. With 250 here, an account at 70 ms each made the others wait five times as long. */
const SLOW_MS = 30;
/** Weight of the newest suggestion in an account's average. */
const NEWEST_SHARE = 0.3;
/** For how long an account counts as one to be served after its last suggestion. */
const ACTIVE_MS = 120_000;

interface Known {
  averageMs: number;
  lastAt: number;
}

export class SlowAccounts {
  readonly #concurrency: number;
  readonly #now: () => number;
  readonly #known = new Map<number, Known>();

  /** `now` is in milliseconds and never runs backwards. */
  constructor(concurrency: number, now: () => number) {
    this.#concurrency = concurrency;
    this.#now = now;
  }

  /** Notes how long a suggestion of the account took. */
  note(accountId: number, computeMs: number): void {
    const now = this.#now();
    for (const [other, { lastAt }] of this.#known) if (now - lastAt > ACTIVE_MS) this.#known.delete(other);
    const before = this.#known.get(accountId)?.averageMs ?? computeMs;
    this.#known.set(accountId, { averageMs: before + NEWEST_SHARE * (computeMs - before), lastAt: now });
  }

  /** Accounts of which nothing more should be claimed, given those of the jobs in hand. */
  withoutSlot(running: readonly number[]): readonly number[] {
    return this.#rooms(running).flatMap(([accountId, room]) => (room <= 0 ? [accountId] : []));
  }

  /** How many jobs to claim at once, so that none of those that may be claimed takes the last place with them. */
  limitOf(free: number, running: readonly number[]): number {
    const open = this.#rooms(running).flatMap(([, room]) => (room > 0 ? [room] : []));
    return Math.min(free, ...open);
  }

  /** How many more jobs each slow account may have in hand; accounts that may have every place are left out. */
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
