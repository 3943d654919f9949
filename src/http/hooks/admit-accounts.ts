/** Checks that every request with a key passes before its body is read, cheapest first. */
import type { FastifyInstance } from 'fastify';
import { refuseGone } from '../client-presence.ts';
import type { IngressDeps } from '../deps.ts';
import { requireKey } from './authenticate.ts';
import { limitConcurrencyByAccount, limitConcurrencyByKey } from './limit-concurrency.ts';

export function admitAccounts(scope: FastifyInstance, deps: IngressDeps): void {
  const { slots } = deps;
  if (slots !== undefined) limitConcurrencyByKey(scope, slots.byKey);
  requireKey(scope, deps);
  // The client may have gone while its key was looked up.
  scope.addHook('onRequest', async (_, reply) => refuseGone(reply));
  if (slots !== undefined) limitConcurrencyByAccount(scope, slots.byAccount);
}
