/**
 * Refuses whatever may write with 507 while the database has no disk space left: what is tried all the same would use up the
 * last of it, and reads go on. Comes before authentication, like every refusal for the state of the service.
 */
import type { FastifyInstance } from 'fastify';
import { diskFull } from '../../domain/errors.ts';

const WRITING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** To be installed around both dialects. */
export function refuseWritesWhenFull(scope: FastifyInstance, takesWrites: () => boolean): void {
  scope.addHook('onRequest', async (request) => {
    if (WRITING.has(request.method) && !takesWrites()) throw diskFull();
  });
}
