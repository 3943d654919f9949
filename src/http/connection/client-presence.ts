/**
 * Whether the client of a request is still connected. If it disconnects while its request is being examined, no event
 * follows: resources taken for the request after that would never be released, and no one would see its answer.
 */
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/** Callbacks for the close of a connection. Answers that are queued behind others on their connection get no event. */
const onClose = new WeakMap<Socket, Set<() => void>>();

export function isGone({ raw, request }: FastifyReply): boolean {
  return raw.destroyed || request.raw.socket.destroyed;
}

export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
  readonly statusCode = 400;

  constructor() {
    super('The client has closed the connection');
  }
}

/** Throws if the client is gone; no one sees the answer. */
export function refuseGone(reply: FastifyReply): void {
  if (isGone(reply)) throw new ClientGoneError();
}

/** Calls `release` once: when the request is over, however it ends, or immediately if its client is gone. */
export function whenOver(reply: FastifyReply, release: () => void): void {
  if (isGone(reply)) {
    release();
    return;
  }
  const closing = closingOf(reply.request.raw.socket);
  const end = (): void => {
    if (closing.delete(end)) release();
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
