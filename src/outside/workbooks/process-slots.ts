/** So many processes at a time. Who finds none waits; accounts take turns, so that none waits behind all uploads of another. */
import { DomainError } from '../../domain/errors.ts';

/** Limits for one account, and for all: more would wait for minutes. */
const MAXIMUM_WAITING = { perAccount: 8, total: 100 } as const;
const RETRY_AFTER_SECONDS = 5;

interface Waiting {
  readonly accountId: number;
  resolve(release: () => void): void;
  reject(error: unknown): void;
}

export class ProcessSlots {
  #free: number;
  readonly #makeRoom: () => void;
  #waiting: Waiting[] = [];
  /** Number of slots that each account has. */
  readonly #held = new Map<number, number>();
  /** Number of the last turn of each account that waits; 0 without one. */
  readonly #turns = new Map<number, number>();
  #turn = 0;

  /** @param makeRoom  ends a process that only waits for more work, if there is one */
  constructor(count: number, makeRoom: () => void) {
    this.#free = count;
    this.#makeRoom = makeRoom;
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves to what gives the slot back. Rejects with ACCOUNT_BUSY, OVERLOADED or the signal's reason. */
  async enter(accountId: number, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free === 0) this.#makeRoom();
    if (this.#free > 0) return this.#take(accountId);
    this.#refuseTooMany(accountId);
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const one = { accountId, resolve, reject };
    this.#waiting.push(one);
    const leave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    return promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  close(): void {
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new DomainError('OVERLOADED', 'The service is closing; retry.'));
    }
  }

  #refuseTooMany(accountId: number): void {
    const own = this.#waiting.filter((one) => one.accountId === accountId).length;
    if (own >= MAXIMUM_WAITING.perAccount) {
      const message = `${own} workbooks of the account wait already; retry in a moment.`;
      throw new DomainError('ACCOUNT_BUSY', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    if (this.#waiting.length >= MAXIMUM_WAITING.total) {
      throw new DomainError('OVERLOADED', 'Too many workbooks wait to be calculated; retry in a moment.');
    }
  }

  #take(accountId: number): () => void {
    this.#free -= 1;
    this.#held.set(accountId, this.#heldBy(accountId) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free += 1;
      this.#held.set(accountId, this.#heldBy(accountId) - 1);
      if (this.#heldBy(accountId) === 0) this.#held.delete(accountId);
      this.#serveNext();
    };
  }

  /** The oldest of the account that has the fewest, and of those the one whose last turn was longest ago. */
  #serveNext(): void {
    if (this.#free === 0 || this.#waiting.length === 0) return;
    const turnOf = ({ accountId }: Waiting) => this.#turns.get(accountId) ?? 0;
    const one = this.#waiting.reduce((best, other) => {
      const more = this.#heldBy(other.accountId) - this.#heldBy(best.accountId) || turnOf(other) - turnOf(best);
      return more < 0 ? other : best;
    });
    this.#waiting = this.#waiting.filter((other) => other !== one);
    this.#turn += 1;
    if (this.#waiting.length === 0) this.#turns.clear();
    else this.#turns.set(one.accountId, this.#turn);
    one.resolve(this.#take(one.accountId));
  }

  #heldBy(accountId: number): number {
    return this.#held.get(accountId) ?? 0;
  }
}
