/** Probes of an orchestrator, without a key. Live: the process answers. Ready: it can serve requests. */
import type { FastifyInstance } from 'fastify';

export function addHealthRoutes(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  app.get('/livez', async (_, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }));
  app.get('/readyz', async (request, reply) => {
    const answer = await isReady().catch((error: unknown) => {
      request.log.warn({ err: error }, 'readiness.check-failed');
      return false;
    });
    reply.header('cache-control', 'no-store').code(answer ? 200 : 503);
    return { status: answer ? 'ready' : 'not ready' };
  });
}
