/** Probes and metrics, on a port that must not be public. */
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Metrics } from '../telemetry/metrics.ts';
import { addHealthRoutes, type Readiness } from './health/health.ts';
import { requireAllowedHost } from './hooks/allowed-hosts.ts';
import { refuseWhenClosing } from './hooks/closing.ts';
import type { HttpDeps } from './operation/deps.ts';

interface HealthDeps extends Pick<HttpDeps, 'log'>, Readiness {
  readonly shutdownGraceMs?: number;
  /** As of the ingress. */
  readonly allowedHosts?: ReadonlySet<string> | undefined;
  readonly metrics?: Pick<Metrics, 'render'> | undefined;
}

/** Builds the server; it does not listen yet. */
export function buildHealthServer(deps: HealthDeps): FastifyInstance {
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  });
  if (deps.allowedHosts !== undefined) requireAllowedHost(app, deps.allowedHosts);
  refuseWhenClosing(app, deps.shutdownGraceMs);
  addHealthRoutes(app, deps);
  const { metrics } = deps;
  if (metrics !== undefined) {
    app.get('/metrics', async (_, reply) => {
      const { contentType, body } = await metrics.render();
      return reply.header('cache-control', 'no-store').type(contentType).send(body);
    });
  }
  return app;
}
