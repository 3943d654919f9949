interface PaceLimits {
  readonly perSecond: number;
  /** Amount that a holder may take in a burst before it is slowed down. */
  readonly burst: number;
}

/** Beyond this number, holders that need not wait are forgotten. */
const SWEEP_AT = 10_000;

/** Limits the rate of each holder. Nothing is refused; holders that are too fast have to wait. */
export class Pace {
  readonly #perMs: number;
  readonly #burstMs: number;
  readonly #now: () => number;
  /** Time at which each holder would have taken all that it took so far at the permitted rate. */
  readonly #paidUntil = new Map<string, number>();

  /** `now` is in milliseconds and monotonic. */
  constructor({ perSecond, burst }: PaceLimits, now: () => number) {
    this.#perMs = perSecond / 1000;
    this.#burstMs = burst / this.#perMs;
    this.#now = now;
  }

  /** Counts `amount`; returns the milliseconds for which the holder should wait. */
  take(holder: string, amount: number): number {
    const now = this.#now();
    const paidUntil = Math.max(this.#paidUntil.get(holder) ?? 0, now) + amount / this.#perMs;
    if (this.#paidUntil.size >= SWEEP_AT) this.#sweep(now);
    this.#paidUntil.set(holder, paidUntil);
    return Math.max(0, paidUntil - now - this.#burstMs);
  }

  #sweep(now: number): void {
    for (const [holder, paidUntil] of this.#paidUntil) if (paidUntil <= now) this.#paidUntil.delete(holder);
  }
}
