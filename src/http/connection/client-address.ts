/** Identifies clients that have not authenticated. */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * The client's IPv4 address, or the /64 of its IPv6 address, because a client that has one address of a /64 has them all.
 * Follows TRUST_PROXY; if a proxy reports something that is not an address, the proxy itself counts.
 */
export function clientAddress(request: FastifyRequest): string {
  return toNetwork(request.ip) ?? toNetwork(request.socket.remoteAddress ?? '') ?? 'unknown';
}

const MAPPED_IPV4 = /^(?:::ffff:|(?:0+:){5}ffff:)(\d+\.\d+\.\d+\.\d+)$/i;

/** 192.0.2.7 -> 192.0.2.7, 2001:db8::7 -> 2001:db8:0:0::/64, ::ffff:192.0.2.7 -> 192.0.2.7; undefined for anything else. */
export function toNetwork(text: string): string | undefined {
  switch (isIP(text)) {
    case 4:
      return text;
    case 6:
      return MAPPED_IPV4.exec(text)?.[1] ?? `${firstGroups(text)}::/64`;
    default:
      return undefined;
  }
}

/** The first four of the eight groups of an IPv6 address, without leading zeros. */
function firstGroups(address: string): string {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    // A trailing IPv4 address counts as two groups.
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    const written = tail === '' ? [] : tail.split(':');
    groups.push(...new Array<string>(8 - groups.length - after).fill('0'), ...written);
  }
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
