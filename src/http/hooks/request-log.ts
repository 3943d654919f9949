/** Logs one debug line per answered request, with ids and durations only. Successful probes are not logged. */
import type { FastifyInstance } from 'fastify';
import { isProbe } from '../health/health.ts';

export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url;
    if (isProbe(route) && reply.statusCode < 400) return;
    const durationMs = Math.round(reply.elapsedTime);
    const facts = { method: request.method, route: route ?? null, status: reply.statusCode, durationMs };
    request.log.debug(facts, 'request.answered');
  });
  app.addHook('onRequestAbort', async (request) => {
    request.log.debug({ method: request.method, route: request.routeOptions.url ?? null }, 'request.aborted');
  });
}
