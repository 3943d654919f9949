/**
 * Requests in hand, counted by whose they are. One account may fill its own places and no others: past them it gets 429
 * before anything is looked up or read for the request.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { DomainError } from '../../domain/errors.ts';
import { whenOver } from '../client-presence.ts';
import { principalOf, readKey } from './authenticate.ts';

const RETRY_AFTER_SECONDS = 1;

/** Before authentication: by the text of the key, right or wrong. Nobody can fill the places of a key that is not theirs. */
export function limitInHandByKey(scope: FastifyInstance, places: Places): void {
  scope.addHook('onRequest', async (request, reply) => {
    const key = readKey(request);
    if (key !== undefined) places.take(key, reply);
  });
}

/** After authentication: an account may have several keys. */
export function limitInHandByAccount(scope: FastifyInstance, places: Places): void {
  scope.addHook('onRequest', async (request, reply) => places.take(String(principalOf(request).accountId), reply));
}

/** Of one process: the dialects share them. */
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
