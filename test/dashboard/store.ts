/** The storage of a browser, in memory. */
export class Store {
  readonly #kept = new Map<string, string>();
  get length(): number {
    return this.#kept.size;
  }
  key(position: number): string | null {
    return [...this.#kept.keys()][position] ?? null;
  }
  getItem(name: string): string | null {
    return this.#kept.get(name) ?? null;
  }
  setItem(name: string, text: string): void {
    this.#kept.set(name, text);
  }
  removeItem(name: string): void {
    this.#kept.delete(name);
  }
}
