/**
 * A map of keys and addresses whose entries expire and whose size is bounded, because unauthenticated clients choose the
 * names. Entries should expire in about the order in which they were set: the oldest are removed first.
 */
export class ExpiringMap<V extends { readonly endsAt: number }> {
  readonly #entries = new Map<string, V>();
  readonly #capacity: number;
  readonly #now: () => number;

  /** `now` is in milliseconds and monotonic. */
  constructor(capacity: number, now: () => number) {
    this.#capacity = capacity;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(name: string): V | undefined {
    const entry = this.#entries.get(name);
    return entry !== undefined && this.#now() < entry.endsAt ? entry : undefined;
  }

  set(name: string, entry: V): void {
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    const now = this.#now();
    for (const [oldest, { endsAt }] of this.#entries) {
      if (endsAt > now && this.#entries.size <= this.#capacity) return;
      this.#entries.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }
}
