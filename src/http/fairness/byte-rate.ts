/** What an account may send at once before it is slowed down: a largest body and some more. */
const BURST_BYTES = 48 * 1024 * 1024;

/**
 * How fast bodies are read, account by account. Bytes are not refused but read later: the network then slows their sender
 * down.
 */
export class ByteRate {
  readonly #bytesPerMs: number;
  readonly #now: () => number;
  /** When everything that each holder has sent would have been read at its rate. */
  readonly #paidUntil = new Map<string, number>();

  /** `now` is in milliseconds and never runs backwards. */
  constructor(bytesPerSecond: number, now: () => number) {
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#now = now;
  }

  /** Counts bytes that were read; returns the milliseconds for which no more should be read. */
  take(holder: string, bytes: number): number {
    const now = this.#now();
    const paidUntil = Math.max(this.#paidUntil.get(holder) ?? 0, now) + bytes / this.#bytesPerMs;
    if (this.#paidUntil.size >= SWEEP_AT) this.#sweep(now);
    this.#paidUntil.set(holder, paidUntil);
    return Math.max(0, paidUntil - now - BURST_BYTES / this.#bytesPerMs);
  }

  #sweep(now: number): void {
    for (const [holder, paidUntil] of this.#paidUntil) if (paidUntil <= now) this.#paidUntil.delete(holder);
  }
}

/** Holders that have caught up are forgotten when so many are known. */
const SWEEP_AT = 1_000;
