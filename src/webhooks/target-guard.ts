/**
 * Which receivers may be called. A webhook's URL comes from a client, so it must not lead into the network that this
 * process lives in: only globally routable addresses pass. Names are judged by the addresses they resolve to at the
 * moment of sending, and the connection goes to a judged address, so that a second look-up can tell nothing else.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** IANA special-purpose IPv4 blocks that are not globally reachable, and multicast. */
const REFUSED_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** All that is handed out of IPv6, and the two notations of an IPv4 address in it: mapped, and NAT64 (RFC 6052). */
const TAKEN_IPV6: readonly (readonly [string, number])[] = [
  ['2000::', 3],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

/** What is special within those: protocol assignments (Teredo among them), documentation, 6to4 with its inner address. */
const REFUSED_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ...REFUSED_IPV4.map(([net, bits]) => [`::ffff:${net}`, 96 + bits] as const),
  ...REFUSED_IPV4.map(([net, bits]) => [`64:ff9b::${net}`, 96 + bits] as const),
];

const refusedIpv4 = toBlockList(REFUSED_IPV4, 'ipv4');
const takenIpv6 = toBlockList(TAKEN_IPV6, 'ipv6');
const refusedIpv6 = toBlockList(REFUSED_IPV6, 'ipv6');

function toBlockList(nets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [net, bits] of nets) list.addSubnet(net, bits, family);
  return list;
}

/** Whether an IP address may be called: globally routable unicast. Anything that is no address is not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedIpv4.check(address, 'ipv4');
    case 6:
      return !address.includes('%') && takenIpv6.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6');
    default:
      return false;
  }
}

/**
 * Why a URL cannot be a receiver, as the end of a sentence about it, or undefined when it can. A parsed one, so that nothing
 * else is judged than is called: the parser drops tabs and line breaks, and turns backslashes into slashes.
 */
export type JudgeUrl = (url: URL) => string | undefined;

const MAXIMUM_URL_LENGTH = 2_048;
const HOW_TO_ALLOW =
  'For development, the operator can allow private addresses and plain http with WEBHOOK_ALLOW_PRIVATE=true.';

/**
 * What is wrong with a URL as it stands; where a name leads is found out when something is sent. The URL parser has
 * brought 2130706433, 0x7f.1 and the like into dotted form by then.
 */
export function makeUrlJudge(options: { readonly allowPrivate: boolean }): JudgeUrl {
  return (url) => {
    if (url.href.length > MAXIMUM_URL_LENGTH) {
      return `takes at most ${MAXIMUM_URL_LENGTH} characters, percent-encoded where it must be.`;
    }
    const isPlain = url.protocol === 'http:';
    if (!isPlain && url.protocol !== 'https:') return 'must begin with https://.';
    if (url.username !== '' || url.password !== '') return 'must not carry a user name or a password.';
    if (url.hash !== '') return 'must not have a fragment (#).';
    if (options.allowPrivate) return undefined;
    const host = hostOf(url);
    const isLocalName = /(^|\.)localhost\.?$/.test(host);
    if (isLocalName || (isIP(host) !== 0 && !isPublicAddress(host))) {
      return `must lead to a public address, which ${host} is not. ${HOW_TO_ALLOW}`;
    }
    return isPlain ? `must begin with https://. ${HOW_TO_ALLOW}` : undefined;
  };
}

/** Host of a URL without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Time until a name server is asked again, and how often it is asked: together less than an attempt may take. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/**
 * Asks name servers directly. The system's look-up would hold one of libuv's few threads for as long as a name server
 * keeps silent: a handful of such names would hold up every other look-up of the process.
 *
 * @param servers  addresses with ports; the system's own unless given
 */
export function makeDnsResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [first] = answers;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
    return addresses;
  };
}

/** The system's look-up, which also knows local names such as localhost and those of a container network. */
export const resolveBySystem: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};

/** A receiver that may not be called; the message is shown to the owner of the webhook. */
export class TargetRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TargetRefused';
  }
}

export interface GuardOptions {
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
}

/**
 * The addresses to connect to, in the resolver's order; every one of them was judged. Throws TargetRefused when none may
 * be called, and whatever the resolver throws.
 */
export async function findTargets(url: URL, { allowPrivate, resolve }: GuardOptions): Promise<readonly string[]> {
  const fault = makeUrlJudge({ allowPrivate })(url);
  if (fault !== undefined) throw new TargetRefused(`the URL ${fault}`);
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const usable = allowPrivate ? addresses : addresses.filter(isPublicAddress);
  if (usable.length === 0) throw new TargetRefused(`${host} leads to no public address`);
  return usable;
}
