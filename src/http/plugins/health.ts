/** Probes of an orchestrator, without a key. Live: the process answers. Ready: it can serve requests. */
import type { FastifyInstance } from 'fastify';
import type { HttpDeps } from '../deps.ts';

export function addHealthRoutes(app: FastifyInstance, deps: Pick<HttpDeps, 'isReady'>, isClosing: () => boolean): void {
  app.get('/livez', async (_, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }));
  app.get('/readyz', async (request, reply) => {
    const isReady = !isClosing() && (await askReady(deps, request.log));
    reply.header('cache-control', 'no-store').code(isReady ? 200 : 503);
    return { status: isReady ? 'ready' : 'not ready' };
  });
}

async function askReady(deps: Pick<HttpDeps, 'isReady'>, log: FastifyInstance['log']): Promise<boolean> {
  try {
    return await deps.isReady();
  } catch (error) {
    log.warn({ err: error }, 'readiness.check-failed');
    return false;
  }
}
