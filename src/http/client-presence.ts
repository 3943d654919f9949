/**
 * Whether the client of a request is still there. One that went away while its request was being looked at makes no event
 * any more: what is taken for the request after that would never be given back, and work for it is work for nobody.
 */
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/** What is to be done when a connection closes. An answer that waits behind others on its connection is not told. */
const onClose = new WeakMap<Socket, Set<() => void>>();

export function isGone({ raw, request }: FastifyReply): boolean {
  return raw.destroyed || request.raw.socket.destroyed;
}

/** Throws when the client is gone. Nobody sees the answer. */
export function refuseGone(reply: FastifyReply): void {
  if (isGone(reply)) throw Object.assign(new Error('The client has closed the connection'), { statusCode: 400 });
}

/** Runs `give` once: when the request is over, however it ends, or now when its client is gone. */
export function whenOver(reply: FastifyReply, give: () => void): void {
  if (isGone(reply)) {
    give();
    return;
  }
  const closing = closingOf(reply.request.raw.socket);
  const end = (): void => {
    if (closing.delete(end)) give();
  };
  closing.add(end);
  reply.raw.once('close', end);
}

function closingOf(socket: Socket): Set<() => void> {
  const known = onClose.get(socket);
  if (known !== undefined) return known;
  const closing = new Set<() => void>();
  onClose.set(socket, closing);
  socket.once('close', () => {
    for (const end of closing) end();
  });
  return closing;
}
