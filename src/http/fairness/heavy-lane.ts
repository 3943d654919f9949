/**
 * Work that keeps a processor busy for long (large cases, long answers), account by account: one piece at a time, and after
 * each the account rests for twice as long as the piece took. So no account has more than a third of one processor, and whoever
 * comes with a single piece of work does not notice.
 */
export class HeavyLane {
  /** The end of the last piece of each account, its rest included. */
  readonly #last = new Map<number, Promise<void>>();

  /** Resolves when the account may begin; the returned function ends the piece. */
  async enter(accountId: number): Promise<() => void> {
    const before = this.#last.get(accountId);
    const { promise: rested, resolve } = Promise.withResolvers<void>();
    this.#last.set(accountId, rested);
    await before;
    const startedAt = performance.now();
    return () => {
      const restMs = Math.min(LONGEST_REST_MS, REST_SHARE * (performance.now() - startedAt));
      setTimeout(() => {
        if (this.#last.get(accountId) === rested) this.#last.delete(accountId);
        resolve();
      }, restMs);
    };
  }
}

/** Of its own time: an account then has a third of one processor at most. */
const REST_SHARE = 2;
/** A piece that took longer waited for something else, such as the database. */
const LONGEST_REST_MS = 2_000;
