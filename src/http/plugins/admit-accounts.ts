/** Who may come in: what every request with a key goes through before it is read, cheapest first. */
import type { FastifyInstance } from 'fastify';
import { refuseGone } from '../client-presence.ts';
import type { IngressDeps } from '../deps.ts';
import { requireKey } from './authenticate.ts';
import { limitInHandByAccount, limitInHandByKey } from './in-hand.ts';

export function admitAccounts(scope: FastifyInstance, deps: IngressDeps): void {
  const { inHand } = deps;
  if (inHand !== undefined) limitInHandByKey(scope, inHand.byKey);
  requireKey(scope, deps);
  // While its key was looked up, the client may have gone.
  scope.addHook('onRequest', async (_, reply) => refuseGone(reply));
  if (inHand !== undefined) limitInHandByAccount(scope, inHand.byAccount);
}
