/**
 * Shares look-ups of the same key. A caller that arrives while one runs gets the result of the next, never of one that began
 * before, so that it sees every earlier change.
 */
export class SharedLookups<T> {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<T>>();

  find(key: string, look: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, look);
    const next = this.#next.get(key) ?? this.#after(running, key, look);
    this.#next.set(key, next);
    return next;
  }

  async #after(running: Promise<unknown>, key: string, look: () => Promise<T>): Promise<T> {
    await running;
    this.#next.delete(key);
    return this.#start(key, look);
  }

  #start(key: string, look: () => Promise<T>): Promise<T> {
    const found = look();
    // Ends when the look-up does, and never rejects; the result goes to the callers.
    const over = found.then(
      () => undefined,
      () => undefined,
    );
    this.#running.set(key, over);
    void over.then(() => {
      if (this.#running.get(key) === over) this.#running.delete(key);
    });
    return found;
  }
}
