/**
 * Delays refusals that a client could trigger by the thousand: a client that retries immediately has to wait, and leaves the
 * process time for others. A delayed refusal keeps its connection and the slots of its account.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { clientAddress } from '../connection/client-address.ts';
import { isGone } from '../connection/client-presence.ts';
import { Pace } from '../fairness/pace.ts';

/** Per client address. A person who tries a wrong key by hand notices no delay. */
const REFUSALS = { perSecond: 10, burst: 20 };
/** The shortest Retry-After. */
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
