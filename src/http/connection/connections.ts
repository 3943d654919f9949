/** Limits the number of connections and how long one may take to send its headers. */
import type { Server, Socket } from 'node:net';
import { Tally } from '../../domain/tally.ts';
import { toNetwork } from './client-address.ts';

export interface ConnectionLimits {
  readonly total: number;
  /** From one address; an IPv6 /64 counts as one. 0 means no limit, because a proxy connects for many clients. */
  readonly perAddress: number;
}

/** Longer than any honest client needs for its headers. */
export const HEADERS_TIME_MS = 15_000;
/** Interval of the check for connections that exceed it. */
export const CHECK_INTERVAL_MS = 1_000;

/** Connections beyond the limits are closed without an answer: an answer would cost what the limit saves. */
export function limitConnections(server: Server, { total, perAddress }: ConnectionLimits): void {
  server.maxConnections = total;
  if (perAddress === 0) return;
  const open = new Tally<string>();
  server.on('connection', (socket: Socket) => {
    const source = toNetwork(socket.remoteAddress ?? '') ?? 'unknown';
    if (open.of(source) >= perAddress) {
      socket.destroy();
      return;
    }
    open.add(source);
    socket.once('close', () => open.remove(source));
  });
}
