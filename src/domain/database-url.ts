/** Addresses of databases as libpq takes them: one or several hosts, and which of their servers will do. */

export type WantedSession = 'any' | 'read-write' | 'primary';

export interface DatabaseAddress {
  /** One URL per host, in order, each of one host and without target_session_attrs. */
  readonly urls: readonly string[];
  /** read-write: a server that takes writes; primary: one that is no standby. */
  readonly session: WantedSession;
}

const SHAPE = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?$/;
const SESSIONS: ReadonlySet<string> = new Set<WantedSession>(['any', 'read-write', 'primary']);

/** Undefined unless the text is such an address. Standbys are never wanted: everything that uses the database writes. */
export function readDatabaseUrl(text: string): DatabaseAddress | undefined {
  const [, scheme, authority, path, query = ''] = SHAPE.exec(text) ?? [];
  if (authority === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const session = parameters.get('target_session_attrs') ?? 'any';
  parameters.delete('target_session_attrs');
  const rest = parameters.size === 0 ? '' : `?${parameters}`;
  const user = authority.slice(0, authority.lastIndexOf('@') + 1);
  const hosts = authority.slice(user.length).split(',');
  const urls = hosts.map((host) => `${scheme}${user}${host}${path}${rest}`);
  const isWhole = hosts.length === 1 || hosts.every((host) => host !== '');
  if (!isWhole || !SESSIONS.has(session) || !urls.every((url) => URL.canParse(url))) return undefined;
  return { urls, session: session as WantedSession };
}
