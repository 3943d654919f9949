/**
 * Rations work that occupies a processor for long (large cases, long answers): each account does one piece at a time and then
 * rests for twice as long as the piece took. So no account gets more than a third of one processor, and an account with a
 * single piece of work notices nothing.
 */
export class HeavyLane {
  /** The end of the last piece of each account, including its rest. */
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

/** Relative to the time of the piece. With 2, an account gets at most a third of one processor. */
const REST_SHARE = 2;
/** A piece that takes longer is mostly waiting, for example for the database. */
const LONGEST_REST_MS = 2_000;
