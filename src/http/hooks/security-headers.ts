import type { FastifyInstance } from 'fastify';

/** For answers that are data: browsers must not sniff, frame, cache or run them. */
const API_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** On every answer of the server. */
export function addCommonHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    reply.header('referrer-policy', 'no-referrer');
  });
}

/** On the answers of one dialect. */
export function addApiHeaders(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (_, reply) => {
    reply.headers(API_HEADERS);
  });
}
