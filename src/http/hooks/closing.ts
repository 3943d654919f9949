/**
 * Graceful close. What is in flight is answered; what still arrives on open connections gets 503; every answer from then
 * on closes its connection, because an idle keep-alive connection would hold the process up.
 */
import type { FastifyInstance } from 'fastify';
import { sendError, unavailable } from '../errors.ts';
import { pathOf } from '../request-path.ts';

/**
 * Returns whether the server is closing. Connections that are left `graceMs` after that are cut, also those whose request
 * never arrives; without a grace the server waits for them.
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
    return sendError(reply, unavailable('This server is shutting down; try again.', { instance: pathOf(request) }));
  });
  app.addHook('onSend', async (_, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
  return () => isClosing;
}
