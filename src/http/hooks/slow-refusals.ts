/**
 * Refusals that a client could collect by the thousand are answered late once there are many: who asks again at once waits,
 * and the process has its time for the others. A waiting refusal holds its connection, and the places that its account had taken.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { clientAddress } from '../client-address.ts';
import { isGone } from '../client-presence.ts';
import { Pace } from '../fairness/pace.ts';

/** Of one client address. Somebody who tries a wrong key by hand notices nothing. */
const REFUSALS = { perSecond: 10, burst: 20 };
/** As long as Retry-After asks for at least. */
const LONGEST_DELAY_MS = 1_000;
const SLOW_STATUSES: ReadonlySet<number> = new Set([401, 403, 413, 429]);

export function slowRefusals(scope: FastifyInstance): void {
  const pace = new Pace(REFUSALS, () => performance.now());
  scope.addHook('onSend', async (request, reply) => {
    if (!SLOW_STATUSES.has(reply.statusCode) || isGone(reply)) return;
    const delayMs = pace.take(clientAddress(request), 1);
    if (delayMs > 0) await delay(Math.min(delayMs, LONGEST_DELAY_MS));
  });
}
