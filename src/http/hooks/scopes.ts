/** Requires the scope of each route. */
import type { FastifyInstance } from 'fastify';
import type { Scope } from '../../application/accounts/authenticate.ts';
import { DomainError } from '../../domain/errors.ts';
import { principalOf } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a key needs for this route; of several, one. */
    readonly scopeNeeded?: Scope | readonly Scope[];
  }
}

/** Install it after authentication. Without a named scope, a GET route needs read and others need write. */
export function requireScope(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request) => {
    const needed = request.routeOptions.config.scopeNeeded ?? scopeOfMethod(request.method);
    const anyOf: readonly Scope[] = typeof needed === 'string' ? [needed] : needed;
    const { scopes } = principalOf(request);
    if (anyOf.some((scope) => scopes.includes(scope))) return;
    throw new DomainError('FORBIDDEN', `This request needs a key with the scope ${anyOf.join(' or ')}.`);
  });
}

export function scopeOfMethod(method: string): Scope {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}
