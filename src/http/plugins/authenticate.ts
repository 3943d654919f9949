/** Finds out whose key a request carries, before anything of its body is read. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate, type Principal } from '../../application/authenticate.ts';
import { SharedLookups } from '../../application/shared-lookups.ts';
import type { HttpDeps } from '../deps.ts';

const principals = new WeakMap<FastifyRequest, Principal>();

/** The owner of the request's key; only for routes behind `requireKey`. */
export function principalOf(request: FastifyRequest): Principal {
  const principal = principals.get(request);
  if (principal === undefined) throw new Error(`the route ${request.routeOptions.url} lacks authentication`);
  return principal;
}

export function requireKey(scope: FastifyInstance, deps: HttpDeps): void {
  const lookups = new SharedLookups<Principal>();
  scope.addHook('onRequest', async (request) => {
    const key = readKey(request);
    const principal = await lookups.find(key ?? '', () => authenticate(deps.db, key));
    principals.set(request, principal);
    deps.noteKeyUse(principal.keyId);
  });
}

/** The key text of Authorization: Bearer, else of X-API-Key. */
export function readKey(request: FastifyRequest): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '');
  if (bearer !== null) return bearer[1];
  const header = request.headers['x-api-key'];
  return typeof header === 'string' ? header.trim() : undefined;
}
