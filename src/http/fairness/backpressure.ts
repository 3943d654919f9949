/**
 * Refuses requests with 503 and Retry-After before a process runs out of memory or time: too many requests in flight, a
 * delayed event loop, or a full heap. Runs before authentication, so that a refusal costs next to nothing. A process that
 * would refuse requests is not ready.
 */
import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../domain/errors.ts';
import { refuseGone, whenOver } from '../connection/client-presence.ts';

export interface LoadLimits {
  readonly requestsInFlight: number;
  /** 0 disables this guard. */
  readonly eventLoopDelayMs: number;
  /** Share of the largest possible heap. */
  readonly heapShare: number;
}

/** The delay is averaged over this time: one long pause, as after a process was frozen, is not overload. */
const SAMPLE_INTERVAL_MS = 3_000;
/** The latest sample is up to one interval old and covers another: from then on, no sample includes the start-up. */
const WARM_UP_MS = 2 * SAMPLE_INTERVAL_MS;
const RETRY_AFTER_SECONDS = 2;

interface LoadGuard {
  /** Whether a request would be refused now. */
  isRefusing(): boolean;
  /** Install it once, around both dialects: their requests count together. */
  install(scope: FastifyInstance): void;
}

/** Measures from now on; refuses only after `install`. */
export async function makeLoadGuard(app: FastifyInstance, limits: LoadLimits): Promise<LoadGuard> {
  // It only measures: it has no limits of its own.
  await app.register(underPressure, { sampleInterval: SAMPLE_INTERVAL_MS });
  const maximumDelayMs = limits.eventLoopDelayMs || Number.POSITIVE_INFINITY;
  const maximumHeapBytes = limits.heapShare * getHeapStatistics().heap_size_limit;
  let warmAt = Number.POSITIVE_INFINITY;
  app.addHook('onReady', async () => {
    warmAt = performance.now() + WARM_UP_MS;
  });
  let inFlight = 0;
  const reasonToRefuse = (): string | undefined => {
    const { eventLoopDelay, heapUsed } = app.memoryUsage();
    if (eventLoopDelay > maximumDelayMs && performance.now() >= warmAt) return 'The event loop is delayed';
    if (heapUsed > maximumHeapBytes) return 'Memory is running low';
    return inFlight >= limits.requestsInFlight ? `${inFlight} requests are in progress` : undefined;
  };
  const install = (scope: FastifyInstance): void => {
    const refuse = (): void => {
      const reason = reasonToRefuse();
      if (reason !== undefined) throw overloaded(reason);
    };
    // Before any look-up for the request.
    scope.addHook('onRequest', async () => refuse());
    // Counted only once admitted: requests refused for their key or account use no capacity.
    scope.addHook('preValidation', async (_, reply) => {
      refuseGone(reply);
      refuse();
      inFlight += 1;
      whenOver(reply, () => {
        inFlight -= 1;
      });
    });
  };
  return { isRefusing: () => reasonToRefuse() !== undefined, install };
}

function overloaded(reason: string): DomainError {
  const message = `${reason} in this process; retry in a moment.`;
  return new DomainError('OVERLOADED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
