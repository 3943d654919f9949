/** Who may come in: what every request with a key goes through before it is read, cheapest first. */
import type { FastifyInstance } from 'fastify';
import type { HttpDeps } from '../deps.ts';
import { requireKey } from './authenticate.ts';
import { limitInHandByAccount, limitInHandByKey } from './in-hand.ts';

export function admitAccounts(scope: FastifyInstance, deps: HttpDeps): void {
  const { requestsPerAccount } = deps.settings;
  if (requestsPerAccount !== undefined) limitInHandByKey(scope, requestsPerAccount);
  requireKey(scope, deps);
  if (requestsPerAccount !== undefined) limitInHandByAccount(scope, requestsPerAccount);
}
