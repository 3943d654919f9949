/**
 * Refuses with 503 and Retry-After before a process runs out of memory or time: a bounded number of requests in flight, an
 * event loop that still turns, a heap with room left. Comes before authentication, so that a refusal costs next to nothing.
 * A process that would refuse is not ready.
 */
import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../domain/errors.ts';
import { refuseGone, whenOver } from '../client-presence.ts';

export interface LoadLimits {
  readonly requestsInFlight: number;
  /** 0 switches this guard off. */
  readonly eventLoopDelayMs: number;
  /** Share of the largest possible heap. */
  readonly heapShare: number;
}

/** The mean delay of so long counts: one long pause, as when a process was frozen, is no overload. */
const SAMPLE_INTERVAL_MS = 3_000;
/** The sample that counts was taken up to one interval ago and reaches back another: from then on none holds the start-up. */
const SETTLING_MS = 2 * SAMPLE_INTERVAL_MS;
const RETRY_AFTER_SECONDS = 2;

export interface LoadGuard {
  /** Whether a request that came now would be refused. */
  isRefusing(): boolean;
  /** To be installed around both dialects, once: the requests of both count together. */
  install(scope: FastifyInstance): void;
}

/** Measures from now on; `install` makes it refuse. */
export async function makeLoadGuard(app: FastifyInstance, limits: LoadLimits): Promise<LoadGuard> {
  // Without limits of its own it only measures.
  await app.register(underPressure, { sampleInterval: SAMPLE_INTERVAL_MS });
  const maximumDelayMs = limits.eventLoopDelayMs || Number.POSITIVE_INFINITY;
  const maximumHeapBytes = limits.heapShare * getHeapStatistics().heap_size_limit;
  let settledAt = Number.POSITIVE_INFINITY;
  app.addHook('onReady', async () => {
    settledAt = performance.now() + SETTLING_MS;
  });
  let inFlight = 0;
  const reasonToRefuse = (): string | undefined => {
    const { eventLoopDelay, heapUsed } = app.memoryUsage();
    if (eventLoopDelay > maximumDelayMs && performance.now() >= settledAt) return 'The event loop is behind';
    if (heapUsed > maximumHeapBytes) return 'Memory is running short';
    return inFlight >= limits.requestsInFlight ? `${inFlight} requests are under way` : undefined;
  };
  const install = (scope: FastifyInstance): void => {
    const refuse = (): void => {
      const reason = reasonToRefuse();
      if (reason !== undefined) throw overloaded(reason);
    };
    // Before anything is looked up for the request.
    scope.addHook('onRequest', async () => refuse());
    // Counted when it is let in: what is refused for its key or its account takes nobody's place.
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
  const message = `${reason} in this process; try again in a moment.`;
  return new DomainError('OVERLOADED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
