/** Counts requests in hand by whose they are. */
import type { FastifyReply } from 'fastify';
import { DomainError } from '../../domain/errors.ts';
import { whenOver } from '../client-presence.ts';

const RETRY_AFTER_SECONDS = 1;

/** Requests in hand in one process, whichever dialect they speak. */
export interface InHand {
  readonly byKey: Places;
  readonly byAccount: Places;
}

export function makeInHand(maximum: number): InHand {
  return { byKey: new Places(maximum), byAccount: new Places(maximum) };
}

export class Places {
  readonly #maximum: number;
  readonly #taken = new Map<string, number>();

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** One place until the request is over. Throws ACCOUNT_BUSY. */
  take(holder: string, reply: FastifyReply): void {
    const taken = this.#taken.get(holder) ?? 0;
    if (taken >= this.#maximum) {
      const message = `${taken} requests of yours are in hand already, as many as this service takes at once; wait for some of them.`;
      throw new DomainError('ACCOUNT_BUSY', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.#taken.set(holder, taken + 1);
    whenOver(reply, () => {
      const left = this.#taken.get(holder)! - 1;
      if (left > 0) this.#taken.set(holder, left);
      else this.#taken.delete(holder);
    });
  }
}
