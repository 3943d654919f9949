/**
 * A TCP proxy that breaks connections on purpose: cuts them (both ends notice), stalls them (both ends stay open and nothing
 * arrives, as on a half-open connection), refuses them, or cuts them when the answer to a certain request arrives.
 */
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** New connections are forwarded, accepted but never forwarded, or closed immediately. */
export type ProxyMode = 'forward' | 'stall' | 'refuse';

interface Pair {
  readonly client: Socket;
  readonly target: Socket | undefined;
  isStalled: boolean;
}

interface Drop {
  readonly request: string;
  readonly done: () => void;
  /** The connection on which the request was seen. */
  pair: Pair | undefined;
}

export class TcpProxy {
  /** For new connections. */
  mode: ProxyMode = 'forward';
  #target: { readonly host: string; readonly port: number };
  readonly #pairs = new Set<Pair>();
  readonly #drops = new Set<Drop>();
  #server: Server | undefined;
  #port = 0;

  /** @param targetUrl  any URL with a host and a port */
  constructor(targetUrl: string) {
    this.#target = targetOf(targetUrl);
  }

  /** Sends new connections to another target, as when a virtual IP address moves. */
  switchTo(targetUrl: string): void {
    this.#target = targetOf(targetUrl);
  }

  /** Listens on a free port of this machine. */
  async listen(): Promise<void> {
    const server = createServer((client) => this.#accept(client));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '127.0.0.1', port: 0 }, resolve);
    });
    this.#port = (server.address() as { port: number }).port;
  }

  /** Returns `url` with this proxy as its host and port. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.#port);
    return changed.href;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Closes every connection; both ends notice. Returns how many there were. */
  cut(): number {
    const pairs = [...this.#pairs];
    for (const pair of pairs) this.#end(pair);
    return pairs.length;
  }

  /** Stops forwarding on existing connections, which stay open. Returns how many there were. */
  stall(): number {
    for (const pair of this.#pairs) pair.isStalled = true;
    return this.#pairs.size;
  }

  /**
   * Forwards the next client data that contain `request`, and closes the connection instead of forwarding the answer. Resolves
   * once that has happened.
   */
  dropAnswerTo(request: string): Promise<void> {
    return new Promise((resolve) => {
      this.#drops.add({ request, done: resolve, pair: undefined });
    });
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    if (this.mode === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    const isStalled = this.mode === 'stall';
    const target = isStalled ? undefined : createConnection(this.#target);
    const pair: Pair = { client, target, isStalled };
    this.#pairs.add(pair);
    client.on('close', () => this.#ended(pair));
    client.on('data', (data) => {
      if (pair.isStalled) return;
      for (const drop of this.#drops) if (data.includes(drop.request)) drop.pair ??= pair;
      target?.write(data);
    });
    target?.setNoDelay(true);
    client.setNoDelay(true);
    target?.on('error', () => undefined);
    target?.on('close', () => this.#ended(pair));
    target?.on('data', (data) => {
      if (pair.isStalled) return;
      const drop = [...this.#drops].find((candidate) => candidate.pair === pair);
      if (drop === undefined) {
        client.write(data);
        return;
      }
      this.#drops.delete(drop);
      this.#end(pair);
      drop.done();
    });
  }

  /** One end has closed. On a stalled connection the other end does not learn of it. */
  #ended(pair: Pair): void {
    if (!pair.isStalled) this.#end(pair);
    else if (pair.client.destroyed && pair.target?.destroyed !== false) this.#pairs.delete(pair);
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.destroy();
    pair.target?.destroy();
  }
}

function targetOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}
