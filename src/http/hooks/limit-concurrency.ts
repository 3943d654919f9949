/**
 * Limits how many requests each account has in progress. An account can exhaust only its own slots; beyond them it gets
 * 429 before anything is looked up or read for the request.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Slots } from '../fairness/slots.ts';
import { principalOf } from './authenticate.ts';

/** Before authentication: counts by the text of the key, valid or not, so only holders of a key can exhaust its slots. */
export function limitConcurrencyByKey(
  scope: FastifyInstance,
  slots: Slots,
  readKey: (request: FastifyRequest) => string | undefined,
): void {
  scope.addHook('onRequest', async (request, reply) => {
    const key = readKey(request);
    if (key !== undefined) slots.take(key, reply);
  });
}

/** After authentication: an account may have several keys. */
export function limitConcurrencyByAccount(scope: FastifyInstance, slots: Slots): void {
  scope.addHook('onRequest', async (request, reply) => slots.take(String(principalOf(request).accountId), reply));
}
