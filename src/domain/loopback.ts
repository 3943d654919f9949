/** Addresses by which only programs on the same machine connect. */
import { BlockList, isIP } from 'node:net';

/** Whether a host name or address without brackets is loopback. A name other than localhost may resolve to any address. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8);
  loopback.addAddress('::1', 'ipv6');
  return isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}
