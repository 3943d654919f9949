/** The version of the interface under /v1, which is that of the package. */
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../../installation.ts';

export const INTERFACE_VERSION = VERSION;

/** Every answer says which version answers, refusals included, so that a client can tell whether it understands the service. */
export function stateVersion(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (_, reply) => {
    reply.header('backsolve-version', INTERFACE_VERSION);
  });
}
