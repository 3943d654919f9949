/**
 * Refuses requests that may write with 507 while the database has no disk space: further attempts would use up the last of
 * it, and with it reads. Runs before authentication, like every refusal because of the state of the service.
 */
import type { FastifyInstance } from 'fastify';
import { diskFull } from '../../domain/errors.ts';

const WRITING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Install it around both dialects. */
export function refuseWritesWhenFull(scope: FastifyInstance, takesWrites: () => boolean): void {
  scope.addHook('onRequest', async (request) => {
    if (WRITING.has(request.method) && !takesWrites()) throw diskFull();
  });
}
