/**
 * Keeps the newest result for each of some keys, so that all who ask for the same version share the work. Evicts the least recently used
 * entry.
 */
export class NewestResults<T> {
  readonly #maximum: number;
  readonly #kept = new Map<string, { readonly version: string; readonly result: Promise<T> }>();

  /** @param maximum  number of keys */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Rejects as `make` does; the failure of another caller's is no reason to fail. */
  async get(key: string, version: string, make: () => Promise<T>): Promise<T> {
    for (let kept = this.#kept.get(key); kept?.version === version; kept = this.#kept.get(key)) {
      try {
        const result = await kept.result;
        this.#touch(key);
        return result;
      } catch {
        if (this.#kept.get(key) === kept) this.#kept.delete(key);
      }
    }
    const made = { version, result: make() };
    this.#kept.delete(key);
    this.#kept.set(key, made);
    if (this.#kept.size > this.#maximum) this.#kept.delete(this.#kept.keys().next().value!);
    try {
      return await made.result;
    } catch (error) {
      if (this.#kept.get(key) === made) this.#kept.delete(key);
      throw error;
    }
  }

  #touch(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
  }
}
