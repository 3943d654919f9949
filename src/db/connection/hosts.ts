/**
 * Connections to one of several servers, as libpq makes them: the first host that answers and takes what is wanted. The one that
 * last did is tried first, so that a host that is down costs time once. When another one takes over, the connections to the earlier one are
 * closed: a server that stands still would keep their statements until they time out. Since all connections may wait for it, the host is
 * also checked without need of a new one.
 */
import pg from 'pg';
import { type DatabaseAddress, readDatabaseUrl, type WantedSession } from '../../domain/database-url.ts';

/** Time limit of a host that does not answer; a pool waits 5 s in all. */
const HOST_LIMIT_MS = 2_000;
/** Between two checks, each of which costs the server a connection. */
const CHECK_MS = 3_000;

/** Client for a URL of one or several hosts: the class to construct, and the option to construct it with. */
export interface HostClient {
  readonly Client: typeof pg.Client;
  readonly connectionString: string;
}

/** One per URL and user of it: it remembers the host. */
export function hostClient(url: string): HostClient {
  const address = readDatabaseUrl(url);
  const [connectionString] = address?.urls ?? [];
  if (address === undefined || connectionString === undefined) return { Client: pg.Client, connectionString: url };
  const isPlain = address.urls.length === 1 && address.session === 'any';
  return { Client: isPlain ? pg.Client : clientOf(new Hosts(address)), connectionString };
}

class Hosts {
  readonly #session: WantedSession;
  /** The one that last answered comes first. */
  #urls: readonly string[];
  readonly #open = new Set<pg.Client>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ urls, session }: DatabaseAddress) {
    this.#urls = urls;
    this.#session = session;
  }

  /** Rejects with what each host answered. */
  async find(config: pg.ClientConfig): Promise<pg.Client> {
    const errors: Error[] = [];
    for (const url of this.#urls) {
      const probe = new pg.Client({ ...config, connectionString: url, connectionTimeoutMillis: HOST_LIMIT_MS });
      // An error after the last statement is reported as an event only.
      probe.on('error', () => undefined);
      try {
        await probe.connect();
        await refuseUnwanted(probe, this.#session);
        if (this.#urls[0] !== url) this.#leaveAllBut(probe);
        this.#urls = [url, ...this.#urls.filter((other) => other !== url)];
        return probe;
      } catch (error) {
        errors.push(error as Error);
      } finally {
        await probe.end().catch(() => undefined);
      }
    }
    const reasons = errors.map(({ message }) => message).join('; ');
    throw new AggregateError(errors, `no host of the database can be used: ${reasons}`);
  }

  /** The client connects to the host that was found. */
  enter(client: pg.Client, config: pg.ClientConfig): void {
    if (this.#session === 'any') return;
    this.#open.add(client);
    client.once('end', () => this.#open.delete(client));
    this.#watch(config);
  }

  #watch(config: pg.ClientConfig): void {
    this.#timer ??= setTimeout(async () => {
      if (this.#open.size > 0) await this.find(config).catch(() => undefined);
      this.#timer = undefined;
      if (this.#open.size > 0) this.#watch(config);
    }, CHECK_MS).unref();
  }

  #leaveAllBut({ host, port }: pg.Client): void {
    for (const client of this.#open) {
      if (client.host !== host || client.port !== port) client.connection.stream.destroy();
    }
  }
}

/** The server is a standby, or takes no writes: as when one of the database's own sessions meets that. */
class UnwantedServer extends Error {
  readonly code = '25006';
}

async function refuseUnwanted(client: pg.Client, session: WantedSession): Promise<void> {
  if (session === 'any') return;
  const { rows } = await client.query<{ isStandby: boolean; isReadOnly: boolean }>(
    `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );
  const { isStandby, isReadOnly } = rows[0]!;
  if (session === 'primary' ? !isStandby : !isReadOnly) return;
  throw new UnwantedServer(`${client.host}:${client.port} ${isStandby ? 'is a standby' : 'takes no writes'}`);
}

type Connected = (error: Error) => void;

/** A client of `pg` knows one host, which it needs first when it connects. */
function clientOf(hosts: Hosts): typeof pg.Client {
  return class extends pg.Client {
    readonly #config: pg.ClientConfig;

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      this.#config = typeof config === 'object' ? config : {};
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const chosen = hosts.find(this.#config).then(({ host, port }) => {
        Object.assign(this, { host, port });
        hosts.enter(this, this.#config);
      });
      if (callback === undefined) return chosen.then(() => super.connect());
      chosen.then(
        () => super.connect(callback),
        (error: Error) => callback(error),
      );
      return undefined;
    }
  };
}
