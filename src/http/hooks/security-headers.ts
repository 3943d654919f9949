import type { FastifyInstance } from 'fastify';

/**
 * On every answer of the server, also to unknown paths: browsers must not sniff, frame or run it, nor hand the page to a window that
 * opened it. Routes that serve pages replace the policy.
 */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
};

export function addCommonHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_, reply) => {
    reply.headers(COMMON_HEADERS);
  });
}

/** On the answers of one dialect, which are data of an account. */
export function forbidCaching(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (_, reply) => {
    reply.header('cache-control', 'no-store');
  });
}
