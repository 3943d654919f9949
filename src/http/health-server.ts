/** The probes alone, for processes that answer no other requests. */
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { HttpDeps } from './deps.ts';
import { refuseWhenClosing } from './plugins/closing.ts';
import { addHealthRoutes } from './plugins/health.ts';

/** Builds the server without listening. */
export function buildHealthServer(deps: Pick<HttpDeps, 'isReady' | 'log'>): FastifyInstance {
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  });
  addHealthRoutes(app, deps, refuseWhenClosing(app));
  return app;
}
