/** Connections before they are requests: how many there may be, and how long one may take to say what it wants. */
import type { Server, Socket } from 'node:net';
import { toNetwork } from '../client-address.ts';

export interface ConnectionLimits {
  readonly total: number;
  /** From one address; an IPv6 network of 64 bits counts as one. 0 means any number, for addresses of trusted proxies. */
  readonly perAddress: number;
}

/** Longer than any honest client needs for its headers. */
export const HEADERS_TIME_MS = 15_000;
/** How often connections past their time are looked for. */
export const CHECK_INTERVAL_MS = 1_000;

/** Connections beyond the limits are closed at once: an answer would cost what the limit is to save. */
export function limitConnections(server: Server, { total, perAddress }: ConnectionLimits): void {
  server.maxConnections = total;
  if (perAddress === 0) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const source = toNetwork(socket.remoteAddress ?? '') ?? 'unknown';
    const count = (open.get(source) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    open.set(source, count);
    socket.once('close', () => {
      const left = open.get(source)! - 1;
      if (left > 0) open.set(source, left);
      else open.delete(source);
    });
  });
}
