import { DomainError } from '../../domain/errors.ts';
import { Tally } from '../../domain/tally.ts';

interface ByteLimits {
  /** Limit of all requests in progress together. */
  readonly total: number;
  /** Limit of one holder, so that no account can lock out the others. */
  readonly perHolder: number;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * This much of each body does not count towards the total, so that large bodies never hold up small ones. Their number is
 * limited with that of the requests in flight.
 */
const SMALL_BYTES = 64 * 1024;

/** Counts the bytes of the bodies in a process. They are outside the heap, where no heap limit applies. */
export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #held = new Tally<string>();
  #total = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** Starts counting one body. */
  open(holder: string): CountedBody {
    let size = 0;
    return {
      take: (bytes) => {
        if (this.#held.of(holder) + bytes > this.#limits.perHolder) {
          const message = `You are sending more than ${this.#limits.perHolder} bytes at the same time; send large bodies one after the other.`;
          throw new DomainError('ACCOUNT_BUSY', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
        }
        const total = this.#total + largePart(size + bytes) - largePart(size);
        if (total > this.#limits.total) {
          const message = 'This process cannot hold more large bodies; retry in a moment.';
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
  /** Throws ACCOUNT_BUSY if the holder exceeds its limit, OVERLOADED if all together do; then nothing is counted. */
  take(bytes: number): void;
  /** Releases everything taken. */
  close(): void;
}

const largePart = (bytes: number): number => Math.max(0, bytes - SMALL_BYTES);
