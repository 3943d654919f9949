/**
 * Hands out the event loop's time to long answers: one slice per turn of the loop however many are being written, and
 * accounts take turns. Whatever else arrives waits for one slice at most.
 */
export class Turns {
  /** Accounts in the order of their turns; an account without waiters has no entry. */
  readonly #waiting = new Map<number, (() => void)[]>();
  #isScheduled = false;

  /** Resolves when the account may work for a slice. */
  next(accountId: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(accountId);
      if (waiters === undefined) this.#waiting.set(accountId, [resolve]);
      else waiters.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#giveOne();
      if (this.#waiting.size > 0) this.#schedule();
    });
  }

  #giveOne(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [accountId, waiters] = first;
    this.#waiting.delete(accountId);
    waiters.shift()!();
    // To the end of the line.
    if (waiters.length > 0) this.#waiting.set(accountId, waiters);
  }
}
