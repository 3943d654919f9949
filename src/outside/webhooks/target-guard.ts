/**
 * Decides which receivers may be called. A webhook's URL comes from a client and must not lead into the network of this process: only
 * globally routable addresses pass. A name is checked by the addresses it resolves to at the moment of sending, and the
 * connection goes to a checked address, so that a second DNS lookup cannot change the target.
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

/** Allocated IPv6 space, and the two notations of an IPv4 address within IPv6: mapped and NAT64 (RFC 6052). */
const ALLOWED_IPV6: readonly (readonly [string, number])[] = [
  ['2000::', 3],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

/** Special-purpose blocks within those: protocol assignments such as Teredo, documentation, and 6to4, which embeds an address. */
const REFUSED_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ...REFUSED_IPV4.map(([net, bits]) => [`::ffff:${net}`, 96 + bits] as const),
  ...REFUSED_IPV4.map(([net, bits]) => [`64:ff9b::${net}`, 96 + bits] as const),
];

const refusedIpv4 = toBlockList(REFUSED_IPV4, 'ipv4');
const allowedIpv6 = toBlockList(ALLOWED_IPV6, 'ipv6');
const refusedIpv6 = toBlockList(REFUSED_IPV6, 'ipv6');

function toBlockList(nets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [net, bits] of nets) list.addSubnet(net, bits, family);
  return list;
}

/** Whether a text is an IP address that may be called: globally routable unicast. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedIpv4.check(address, 'ipv4');
    case 6:
      return !address.includes('%') && allowedIpv6.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6');
    default:
      return false;
  }
}

/**
 * Returns why a URL cannot be a receiver, as the end of a sentence, or undefined if it can. It takes a parsed URL, so
 * that the URL checked is the URL called: the parser drops tabs and line breaks and turns backslashes into slashes.
 */
export type JudgeUrl = (url: URL) => string | undefined;

const MAXIMUM_URL_LENGTH = 2_048;
/** Receivers that may have private addresses and plain http. */
export interface Permission {
  /** All of them. */
  readonly allowPrivate: boolean;
  /** Those with these host names or addresses, in lower case; default: none. */
  readonly allowedHosts?: ReadonlySet<string>;
}

/** Explains how the operator can lift the rules on public addresses and https. */
function unlessAllowed({ allowedHosts }: Permission): string {
  return allowedHosts === undefined
    ? ' unless the operator of the service allows private addresses (WEBHOOK_ALLOW_PRIVATE=true)'
    : ` unless the operator of the service allows evaluators there (ALLOW_PRIVATE_EVALUATORS)`;
}

function isAllowed({ allowPrivate, allowedHosts }: Permission, host: string): boolean {
  return allowPrivate || allowedHosts?.has(host) === true;
}

/**
 * Checks the URL only; the addresses of a name are checked before each attempt. The URL parser has already turned 2130706433,
 * 0x7f.1 and the like into dotted form.
 */
export function makeUrlJudge(permission: Permission): JudgeUrl {
  return (url) => {
    const host = hostOf(url);
    const mayBePrivate = isAllowed(permission, host);
    if (url.href.length > MAXIMUM_URL_LENGTH) {
      return `must have at most ${MAXIMUM_URL_LENGTH} characters, counted in percent-encoded form, has ${url.href.length}.`;
    }
    const schemes = mayBePrivate ? ['https:', 'http:'] : ['https:'];
    if (!schemes.includes(url.protocol)) {
      return `must begin with ${schemes.join('// or ')}//${url.protocol === 'http:' ? unlessAllowed(permission) : ''}.`;
    }
    if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password.';
    if (url.hash !== '') return 'must not contain a fragment (#).';
    if (mayBePrivate) return undefined;
    const isLocalName = /(^|\.)localhost\.?$/.test(host);
    if (isLocalName || (isIP(host) !== 0 && !isPublicAddress(host))) {
      return `must point to a public address, not to ${host}${unlessAllowed(permission)}.`;
    }
    return undefined;
  };
}

/** The host, without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Time limit of a query to a name server, and number of queries; together less than the time limit of an attempt. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/**
 * Asks name servers directly. The system's lookup holds one of libuv's few threads until the name server answers: a handful of
 * silent servers would block every other lookup of the process.
 *
 * @param servers  addresses with ports; default: those of the system
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

/** The system's lookup, which also knows localhost and the names of a container network. */
export const resolveBySystem: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};

/** The receiver may not be called. The message is shown to the owner of the webhook. */
export class TargetRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TargetRefused';
  }
}

export interface GuardOptions extends Permission {
  readonly resolve: Resolve;
  /** For hosts that may have private addresses; default: `resolve`. */
  readonly resolvePrivate?: Resolve;
}

/**
 * The addresses that may be connected to, in the resolver's order. Throws TargetRefused when there is none, and what the
 * resolver throws.
 */
export async function findTargets(url: URL, options: GuardOptions): Promise<readonly string[]> {
  const fault = makeUrlJudge(options)(url);
  if (fault !== undefined) throw new TargetRefused(`the URL ${fault}`);
  const host = hostOf(url);
  const mayBePrivate = isAllowed(options, host);
  const resolve = mayBePrivate ? (options.resolvePrivate ?? options.resolve) : options.resolve;
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const usable = mayBePrivate ? addresses : addresses.filter(isPublicAddress);
  if (usable.length === 0) {
    const unless = mayBePrivate ? '' : unlessAllowed(options);
    throw new TargetRefused(`${host} does not resolve to a public address${unless}`);
  }
  return usable;
}
