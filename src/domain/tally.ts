/** Amounts per key and their sum. A key whose amount is 0 takes no memory. */
export class Tally<Key> {
  readonly #amounts = new Map<Key, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  of(key: Key): number {
    return this.#amounts.get(key) ?? 0;
  }

  add(key: Key, amount = 1): void {
    const sum = this.of(key) + amount;
    if (sum === 0) this.#amounts.delete(key);
    else this.#amounts.set(key, sum);
    this.#total += amount;
  }

  remove(key: Key, amount = 1): void {
    this.add(key, -amount);
  }
}
