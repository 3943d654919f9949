/** Requires the scope of each route. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal, Scope } from '../../application/accounts/authenticate.ts';
import { DomainError } from '../../domain/errors.ts';
import { identifyAgain, principalOf } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a key needs for this route; of several, one. */
    readonly scopeNeeded?: Scope | readonly Scope[];
  }
}

/** Install it after authentication. Without a named scope, a GET route needs read and others need write. */
export function requireScope(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request) => refuseMissingScope(request, principalOf(request)));
}

/** For a request that has waited: throws as at its start if the key, session or role does not allow it any more. */
export async function requireAdmission(request: FastifyRequest): Promise<Principal> {
  const principal = await identifyAgain(request);
  refuseMissingScope(request, principal);
  return principal;
}

function refuseMissingScope(request: FastifyRequest, { scopes }: Principal): void {
  const needed = request.routeOptions.config.scopeNeeded ?? scopeOfMethod(request.method);
  const anyOf: readonly Scope[] = typeof needed === 'string' ? [needed] : needed;
  if (anyOf.some((scope) => scopes.includes(scope))) return;
  throw new DomainError('FORBIDDEN', `This request needs a key with the scope ${anyOf.join(' or ')}.`);
}

export function scopeOfMethod(method: string): Scope {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}
