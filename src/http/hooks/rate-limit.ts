/**
 * Limits requests per account; its keys count together, because an account can create any number of them. Sends the headers
 * of draft-ietf-httpapi-ratelimit-headers. The limiter decides how requests are counted.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { answerStatus, sendError } from '../errors.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import { pathOf } from '../request-path.ts';
import { principalOf } from './authenticate.ts';

/** Install it after authentication, unless `sourceOf` says for whom a request counts. */
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
    const detail = `Rate limit exceeded; retry in ${resetSeconds} s.`;
    const headers = { 'retry-after': String(resetSeconds) };
    return sendError(reply, answerStatus(429, detail, { instance: pathOf(request) }, headers));
  });
}
