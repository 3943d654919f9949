/**
 * Requests per account: all its keys count together, because an account makes as many as it likes. The plugin sends headers of
 * draft-ietf-httpapi-ratelimit-headers and refuses; how requests are counted is up to the limiter.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { answerStatus, sendError } from '../errors.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import { pathOf } from '../request-path.ts';
import { principalOf } from './authenticate.ts';

/** To be installed after authentication, unless whom a request counts for is told by `sourceOf`. */
export function limitRate(
  scope: FastifyInstance,
  limiter: RateLimiter,
  sourceOf: (request: FastifyRequest) => string = (request) => `account ${principalOf(request).accountId}`,
): void {
  const policy = `"default";q=${limiter.limit};w=${limiter.windowSeconds}`;
  scope.addHook('onRequest', async (request, reply) => {
    const { isAllowed, remaining, resetSeconds } = await limiter.take(sourceOf(request));
    reply.header('RateLimit-Policy', policy);
    reply.header('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (isAllowed) return;
    const detail = `You have used your ${limiter.limit} requests in ${limiter.windowSeconds} seconds; go on in ${resetSeconds} s.`;
    const headers = { 'retry-after': String(resetSeconds) };
    return sendError(reply, answerStatus(429, detail, { instance: pathOf(request) }, headers));
  });
}
