/**
 * Allows calls from browsers, in which the spreadsheet add-in runs. Applies to everything under the prefix of the dialect,
 * including refusals and unknown paths: otherwise the browser hides these answers from the page.
 */
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { pathOf } from '../operation/request-path.ts';
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

/** Call it before every hook that answers requests which the page may see: their answers need these headers. Without origins there are no headers. */
export async function allowCrossOrigin(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  const allowed = {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST'],
    exposedHeaders: READABLE_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    // Otherwise OPTIONS without the headers of a preflight would get plain text.
    strictPreflight: false,
  };
  await app.register(cors, {
    delegator: (request, done) => {
      const isOurs = pathOf(request).startsWith(`${SDK_PREFIX}/`);
      done(null, isOurs ? allowed : { origin: false });
    },
  });
}
