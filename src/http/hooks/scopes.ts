/** Holds every route to the scope that it needs. */
import type { FastifyInstance } from 'fastify';
import type { Scope } from '../../application/authenticate.ts';
import { DomainError } from '../../domain/errors.ts';
import { principalOf } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a key needs for this route. */
    readonly scopeNeeded?: Scope;
  }
}

/** To be installed after authentication. A route that names no scope is for reading when it is a GET, else for writing. */
export function requireScope(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request) => {
    const needed = request.routeOptions.config.scopeNeeded ?? scopeOfMethod(request.method);
    if (principalOf(request).scopes.includes(needed)) return;
    throw new DomainError('FORBIDDEN', `This needs a key with the scope ${needed}.`);
  });
}

export function scopeOfMethod(method: string): Scope {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}
