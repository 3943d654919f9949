/** Limits how many requests of one holder are in progress at a time. */
import type { FastifyReply } from 'fastify';
import { DomainError } from '../../domain/errors.ts';
import { Tally } from '../../domain/tally.ts';
import { whenOver } from '../connection/client-presence.ts';

const RETRY_AFTER_SECONDS = 1;

/** Requests in progress in this process, in either dialect. */
export interface RequestSlots {
  readonly byKey: Slots;
  readonly byAccount: Slots;
}

export function makeRequestSlots(maximum: number): RequestSlots {
  return { byKey: new Slots(maximum), byAccount: new Slots(maximum) };
}

/** Up to `maximum` slots for each holder. */
export class Slots {
  readonly #maximum: number;
  readonly #taken = new Tally<string>();

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Takes one slot until the request is over. Throws ACCOUNT_BUSY. */
  take(holder: string, reply: FastifyReply): void {
    const taken = this.#taken.of(holder);
    if (taken >= this.#maximum) {
      const message = `You already have ${taken} requests in progress, the maximum for an account; wait until some have finished.`;
      throw new DomainError('ACCOUNT_BUSY', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.#taken.add(holder);
    whenOver(reply, () => this.#taken.remove(holder));
  }
}
