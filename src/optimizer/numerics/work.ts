/**
 * Work in units of one million floating point operations, counted approximately. It replaces the clock: every machine
 * reaches a limit at the same point of the computation.
 */
export interface Work {
  spent: number;
  readonly limit: number;
}

/** True when at least `share` (0 to 1) of the limit is spent. */
export function isSpent(work: Work, share: number): boolean {
  return work.spent >= share * work.limit;
}

/** Thrown by a `Meter` past its limit. */
export class OutOfWork extends Error {
  constructor() {
    super('The computation takes more work than it may.');
  }
}

/** Counts the work of a computation that has no result before its end, and ends it at a limit. */
export class Meter {
  readonly #limit: number;
  #spent = 0;

  /** @param limit in units of `Work`; none by default */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Throws OutOfWork once more than the limit is spent. */
  spend(flops: number): void {
    this.#spent += flops / 1e6;
    if (this.#spent > this.#limit) throw new OutOfWork();
  }
}
