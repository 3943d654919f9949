/** Checks that every request with a key passes before its body is read, cheapest first. */
import type { FastifyInstance } from 'fastify';
import { refuseGone } from '../connection/client-presence.ts';
import type { IngressDeps } from '../operation/deps.ts';
import { readKey, readKeyOrPageSecret, requireKey, requireKeyOrSession } from './authenticate.ts';
import { limitConcurrencyByAccount, limitConcurrencyByKey } from './limit-concurrency.ts';

/** `takesSessions`: a request without a key may come from a session of the page. */
export function admitAccounts(scope: FastifyInstance, deps: IngressDeps, takesSessions = false): void {
  const { slots } = deps;
  if (slots !== undefined) limitConcurrencyByKey(scope, slots.byKey, takesSessions ? readKeyOrPageSecret : readKey);
  if (takesSessions) requireKeyOrSession(scope, deps);
  else requireKey(scope, deps);
  // The client may have gone while its key was looked up.
  scope.addHook('onRequest', async (_, reply) => refuseGone(reply));
  if (slots !== undefined) limitConcurrencyByAccount(scope, slots.byAccount);
}
