/**
 * Graceful close. Requests in flight are answered; new ones on open connections get 503. Every answer now closes its
 * connection, because an idle keep-alive connection would delay the exit of the process.
 */
import type { FastifyInstance } from 'fastify';
import { sendError, unavailable } from '../operation/errors.ts';
import { pathOf } from '../operation/request-path.ts';

/**
 * Returns a function that says whether the server is closing. After `graceMs` all remaining connections are cut, even if
 * their requests have not arrived; without `graceMs` the server waits for them.
 */
export function refuseWhenClosing(app: FastifyInstance, graceMs?: number): () => boolean {
  let isClosing = false;
  let cut: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    isClosing = true;
    if (graceMs !== undefined) cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
  });
  app.addHook('onClose', async () => clearTimeout(cut));
  app.addHook('onRequest', async (request, reply) => {
    if (!isClosing) return;
    return sendError(reply, unavailable('This server is shutting down; retry.', { instance: pathOf(request) }));
  });
  app.addHook('onSend', async (_, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
  return () => isClosing;
}
