import { DomainError } from '../../domain/errors.ts';
import { Tally } from '../../domain/tally.ts';

export interface ByteLimits {
  /** Of all requests in hand together. */
  readonly total: number;
  /** Of one holder, so that no account takes the room of the others. */
  readonly perHolder: number;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * So much of each body does not count towards the total: whoever holds the room of large bodies holds up no small one, and the
 * requests in flight are bounded by number.
 */
const SMALL_BYTES = 64 * 1024;

/** Counts the bytes of bodies that a process holds. They live outside the heap, where no heap limit sees them. */
export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #held = new Tally<string>();
  #total = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** Begins to count one body. */
  open(holder: string): CountedBody {
    let size = 0;
    return {
      take: (bytes) => {
        if (this.#held.of(holder) + bytes > this.#limits.perHolder) {
          const message = `Bodies of more than ${this.#limits.perHolder} bytes are being received from you at once; send them one after the other.`;
          throw new DomainError('ACCOUNT_BUSY', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
        }
        const total = this.#total + largePart(size + bytes) - largePart(size);
        if (total > this.#limits.total) {
          const message = 'This process is receiving as many large bodies as it can hold; try again in a moment.';
          throw new DomainError('OVERLOADED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
        }
        this.#held.add(holder, bytes);
        this.#total = total;
        size += bytes;
      },
      close: () => {
        this.#held.remove(holder, size);
        this.#total -= largePart(size);
        size = 0;
      },
    };
  }
}

export interface CountedBody {
  /** Throws ACCOUNT_BUSY when the holder has too much in hand, OVERLOADED when all together have; nothing is counted then. */
  take(bytes: number): void;
  /** Gives back all that was taken. */
  close(): void;
}

const largePart = (bytes: number): number => Math.max(0, bytes - SMALL_BYTES);
