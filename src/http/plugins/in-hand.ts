/**
 * Requests in hand, counted by whose they are. One account may fill its own places and no others: past them it gets 429
 * before anything is looked up or read for the request.
 */
import type { FastifyInstance } from 'fastify';
import type { Places } from '../fairness/places.ts';
import { principalOf, readKey } from './authenticate.ts';

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
