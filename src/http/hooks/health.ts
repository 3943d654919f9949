/**
 * Probes of an orchestrator, without a key. Live: the process answers. Ready: it can serve requests, be it for reading alone;
 * `writes` tells whether it takes writes too, and so does a probe of its own, for balancers that look at nothing but statuses.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface Readiness {
  isReady(): Promise<boolean>;
  /** True unless given. */
  takesWrites?(): boolean;
}

const PATHS = { live: '/livez', ready: '/readyz', readyForWrites: '/readyz/writes' } as const;

export function addHealthRoutes(app: FastifyInstance, { isReady, takesWrites = () => true }: Readiness): void {
  app.get(PATHS.live, async (_, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }));
  const answer = (needsWrites: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
    const canServe = await isReady().catch((error: unknown) => {
      request.log.warn({ err: error }, 'readiness.check-failed');
      return false;
    });
    const writes = canServe && takesWrites();
    const isMet = needsWrites ? writes : canServe;
    reply.header('cache-control', 'no-store').code(isMet ? 200 : 503);
    return { status: isMet ? 'ready' : 'not ready', writes };
  };
  app.get(PATHS.ready, answer(false));
  app.get(PATHS.readyForWrites, answer(true));
}

/** Whether a route, by its template, is one of the probes. */
export function isProbe(route: string | undefined): boolean {
  return Object.values<string | undefined>(PATHS).includes(route);
}
