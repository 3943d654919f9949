/**
 * A request that is answered before its body was read to the end. Closing its connection at once would reset it, and the
 * sender, still writing, would never see the answer; reading on for ever would let it send for nothing.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

const DRAINED_BYTES = 64 * 1024;
const DRAIN_MS = 1_000;

export function drainUnread(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw }) => {
    // Unless somebody began to read it, the platform would read the rest at full speed, however long it is.
    if (!raw.complete) raw.read(0);
  });
  app.addHook('onResponse', async ({ raw }) => {
    if (!raw.complete && !raw.destroyed) drain(raw);
  });
}

function drain(raw: IncomingMessage): void {
  let bytes = 0;
  const cut = () => raw.destroy();
  const timer = setTimeout(cut, DRAIN_MS);
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DRAINED_BYTES) cut();
  });
  const stop = () => clearTimeout(timer);
  raw.once('end', stop).once('close', stop).once('error', stop);
  raw.resume();
}
