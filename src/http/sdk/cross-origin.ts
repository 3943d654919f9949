/**
 * Calls from browsers: the spreadsheet add-in runs in one. Holds for everything under the dialect's prefix, refusals and
 * unknown paths included, because a browser hides from its page what it may not read.
 */
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { pathOf } from '../request-path.ts';
import { SDK_PREFIX } from './paths.ts';

const PREFLIGHT_MAX_AGE_SECONDS = 600;
const READABLE_HEADERS = [
  'Idempotent-Replayed',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];

/** To be called first of all, so that no other hook answers without these headers. No origins: no headers. */
export async function allowCrossOrigin(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  const allowed = {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST'],
    exposedHeaders: READABLE_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    // Otherwise OPTIONS without the headers of a preflight would get a plain text.
    strictPreflight: false,
  };
  await app.register(cors, {
    delegator: (request, done) => {
      const isOurs = pathOf(request).startsWith(`${SDK_PREFIX}/`);
      done(null, isOurs ? allowed : { origin: false });
    },
  });
}
