/** Counts requests in hand by whose they are. */
import type { FastifyReply } from 'fastify';
import { DomainError } from '../../domain/errors.ts';
import { Tally } from '../../domain/tally.ts';
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
  readonly #taken = new Tally<string>();

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** One place until the request is over. Throws ACCOUNT_BUSY. */
  take(holder: string, reply: FastifyReply): void {
    const taken = this.#taken.of(holder);
    if (taken >= this.#maximum) {
      const message = `${taken} requests of yours are in hand already, as many as this service takes at once; wait for some of them.`;
      throw new DomainError('ACCOUNT_BUSY', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.#taken.add(holder);
    whenOver(reply, () => this.#taken.remove(holder));
  }
}
