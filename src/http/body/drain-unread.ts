/**
 * A request that was answered before its body was read to the end. Closing its connection at once would reset it, and the
 * sender, still writing, would never see the answer; reading on for ever would let it send for nothing.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

const DRAINED_BYTES = 256 * 1024;
const DRAIN_MS = 1_000;

export function drainUnread(app: FastifyInstance): void {
  app.addHook('onResponse', (request, _reply, done) => {
    const { raw } = request;
    if (!raw.complete && !raw.destroyed) drain(raw);
    done();
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
