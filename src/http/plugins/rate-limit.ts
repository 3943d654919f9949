/**
 * Requests per key. The count is kept in memory of this process, in windows of one minute; a limiter shared between
 * processes can take its place (HttpDeps.rateLimiter). Headers follow draft-ietf-httpapi-ratelimit-headers.
 */
import type { FastifyInstance } from 'fastify';
import { answerStatus, sendError } from '../errors.ts';
import { pathOf } from '../request-path.ts';
import { principalOf } from './authenticate.ts';

export interface Allowance {
  readonly isAllowed: boolean;
  /** Requests left in this window. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Counts one request of `key`. */
  take(key: string): Promise<Allowance>;
}

const WINDOW_SECONDS = 60;

/** Fixed windows in memory. `now` is in milliseconds and never runs backwards.. */
export function makeMemoryRateLimiter(limit: number, now: () => number): RateLimiter {
  let windowStart = now();
  let counts = new Map<string, number>();
  return {
    limit,
    windowSeconds: WINDOW_SECONDS,
    async take(key) {
      const instant = now();
      if (instant - windowStart >= WINDOW_SECONDS * 1000) {
        windowStart = instant;
        counts = new Map();
      }
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const resetSeconds = Math.max(1, Math.ceil(WINDOW_SECONDS - (instant - windowStart) / 1000));
      return { isAllowed: count <= limit, remaining: Math.max(0, limit - count), resetSeconds };
    },
  };
}

/** To be installed after authentication. */
export function limitRate(scope: FastifyInstance, limiter: RateLimiter): void {
  const policy = `"default";q=${limiter.limit};w=${limiter.windowSeconds}`;
  scope.addHook('onRequest', async (request, reply) => {
    const { isAllowed, remaining, resetSeconds } = await limiter.take(principalOf(request).keyId);
    reply.header('RateLimit-Policy', policy);
    reply.header('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (isAllowed) return;
    const detail = `This key has used its ${limiter.limit} requests in ${limiter.windowSeconds} seconds; go on in ${resetSeconds} s.`;
    const headers = { 'retry-after': String(resetSeconds) };
    return sendError(reply, answerStatus(429, detail, { instance: pathOf(request) }, headers));
  });
}
