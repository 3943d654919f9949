/**
 * Graceful close. What is in flight is answered; what still arrives on open connections gets 503; every answer from then
 * on closes its connection, because an idle keep-alive connection would hold the process up.
 */
import type { FastifyInstance } from 'fastify';
import { sendError, unavailable } from '../errors.ts';
import { pathOf } from '../request-path.ts';

/** Returns whether the server is closing. */
export function refuseWhenClosing(app: FastifyInstance): () => boolean {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!isClosing) return;
    return sendError(reply, unavailable('This server is shutting down; try again.', { instance: pathOf(request) }));
  });
  app.addHook('onSend', async (_, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
  return () => isClosing;
}
