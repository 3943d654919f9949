/**
 * Handles requests that are answered before their body was read completely. Closing the connection immediately would reset it,
 * and the sender, still writing, would never see the answer; reading everything would let it send data for nothing. So a short
 * remainder is read, and a long one is left unread until the sender has had time to see the answer.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

const SHORT_BYTES = 64 * 1024;
const PATIENCE_MS = 1_000;

export function drainUnread(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw }) => {
    // Unless reading has begun, Node would read the whole rest at full speed.
    if (!raw.complete) raw.read();
  });
  app.addHook('onResponse', async ({ raw }) => {
    if (!raw.complete && !raw.destroyed) drain(raw);
  });
}

function drain(raw: IncomingMessage): void {
  const timer = setTimeout(() => raw.destroy(), PATIENCE_MS);
  const stop = () => clearTimeout(timer);
  raw.once('end', stop).once('close', stop).once('error', stop);
  if (Number(raw.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= SHORT_BYTES) raw.resume();
}
