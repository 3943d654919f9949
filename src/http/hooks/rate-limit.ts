/**
 * Limits requests per account; its keys count together, because an account can create any number of them. Sends the headers
 * of draft-ietf-httpapi-ratelimit-headers. The limiter decides how requests are counted.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Pace } from '../fairness/pace.ts';
import type { RateLimiter } from '../fairness/rate-limiter.ts';
import { answerStatus, sendError } from '../operation/errors.ts';
import { pathOf } from '../operation/request-path.ts';
import { principalOf } from './authenticate.ts';

/** Share of the limit that may be used in a burst; then requests are admitted at the rate of the limit. */
const BURST_SHARE = 0.1;
const SMALLEST_BURST = 100;
const LONGEST_DELAY_MS = 3_000;

/**
 * Evens out the requests of an account in this process: it could otherwise use up the limit of a minute in a few seconds, in
 * which it would take most of the machine.
 */
function paceOf({ limit, windowSeconds }: RateLimiter): Pace {
  const burst = Math.max(SMALLEST_BURST, BURST_SHARE * limit);
  return new Pace({ perSecond: limit / windowSeconds, burst }, () => performance.now());
}

/** Install it after authentication, unless `sourceOf` names the source that a request counts for. */
export function limitRate(
  scope: FastifyInstance,
  limiter: RateLimiter,
  sourceOf: (request: FastifyRequest) => string = (request) => `account ${principalOf(request).accountId}`,
): void {
  const pace = paceOf(limiter);
  const policy = `"default";q=${limiter.limit};w=${limiter.windowSeconds}`;
  scope.addHook('onRequest', async (request, reply) => {
    const source = sourceOf(request);
    const { isAllowed, remaining, resetSeconds } = await limiter.take(source);
    reply.header('RateLimit-Policy', policy);
    reply.header('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (isAllowed) {
      const delayMs = pace.take(source, 1);
      if (delayMs > 0) await delay(Math.min(delayMs, LONGEST_DELAY_MS));
      return;
    }
    const detail = `Rate limit exceeded; retry in ${resetSeconds} s.`;
    const headers = { 'retry-after': String(resetSeconds) };
    return sendError(reply, answerStatus(429, detail, { instance: pathOf(request) }, headers));
  });
}
