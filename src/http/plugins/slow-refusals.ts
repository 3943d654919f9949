/**
 * Refusals that a client could collect by the thousand are answered late: who asks again at once waits, and the process
 * has its time for the others. A waiting refusal holds a connection and takes nobody's place.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** As long as Retry-After asks for at least. */
const DELAY_MS = 1_000;
const SLOW_STATUSES: ReadonlySet<number> = new Set([401, 403, 413, 429]);

export function slowRefusals(scope: FastifyInstance): void {
  scope.addHook('onSend', async (request, reply) => {
    if (SLOW_STATUSES.has(reply.statusCode) && !request.raw.destroyed) await delay(DELAY_MS);
  });
}
