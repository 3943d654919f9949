/**
 * Refuses with 503 and Retry-After before a process runs out of memory or time: a bounded number of requests in flight, an
 * event loop that still turns, a heap with room left. Comes before authentication, so that a refusal costs next to nothing;
 * probes are not affected.
 */
import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../domain/errors.ts';

export interface LoadLimits {
  readonly requestsInFlight: number;
  /** 0 switches this guard off. */
  readonly eventLoopDelayMs: number;
  /** Share of the largest possible heap. */
  readonly heapShare: number;
}

/** The mean delay of so long counts: one long pause, as when a process starts or was frozen, is no overload. */
const SAMPLE_INTERVAL_MS = 3_000;
const RETRY_AFTER_SECONDS = 2;

/** To be installed around both dialects, once: the requests of both count together. */
export async function limitLoad(scope: FastifyInstance, limits: LoadLimits): Promise<void> {
  await scope.register(underPressure, {
    maxEventLoopDelay: limits.eventLoopDelayMs,
    maxHeapUsedBytes: limits.heapShare * getHeapStatistics().heap_size_limit,
    sampleInterval: SAMPLE_INTERVAL_MS,
    pressureHandler: (_request, _reply, type) => {
      throw overloaded(type === 'heapUsedBytes' ? 'Memory is running short' : 'The event loop is behind');
    },
  });
  let inFlight = 0;
  scope.addHook('onRequest', async (_, reply) => {
    if (inFlight >= limits.requestsInFlight) throw overloaded(`${inFlight} requests are under way`);
    inFlight += 1;
    reply.raw.once('close', () => {
      inFlight -= 1;
    });
  });
}

function overloaded(reason: string): DomainError {
  const message = `${reason} in this process; try again in a moment.`;
  return new DomainError('OVERLOADED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
