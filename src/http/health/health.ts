/**
 * Probes for an orchestrator; they need no key. Live: the process answers. Ready: it can serve requests, perhaps only reads;
 * `writes` says whether it also accepts writes. Load balancers that see only statuses use a separate probe for that.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface Readiness {
  isReady(): Promise<boolean>;
  /** Default: true. */
  takesWrites?(): boolean;
}

const PATHS = { live: '/livez', ready: '/readyz', readyForWrites: '/readyz/writes', proof: '/proof' } as const;

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

/** 32 bytes or more in hexadecimal. */
const NONCE = /^[0-9a-f]{64,256}$/;

/** For clients of a local service: they send its key only after the service has proved that it has the key (clients/typescript, local-proof.ts). */
export function addProof(app: FastifyInstance, prove: (port: number, nonce: string) => string): void {
  app.get<{ Querystring: { nonce?: unknown } }>(PATHS.proof, async ({ query: { nonce }, socket }, reply) => {
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) return reply.code(400).send({ status: 'nonce is missing' });
    reply.header('cache-control', 'no-store').header('backsolve-proof', prove(socket.localPort!, nonce));
    return reply.code(204).send();
  });
}

/** Whether a route template belongs to a probe. */
export function isProbe(route: string | undefined): boolean {
  return Object.values<string | undefined>(PATHS).includes(route);
}
