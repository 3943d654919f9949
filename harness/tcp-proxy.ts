/**
 * A TCP proxy that breaks connections on purpose: cut (both ends see the end), stalled (both ends stay open and nothing
 * arrives any more: a half-open connection), refused, or cut at the moment when a certain answer comes back.
 */
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** What happens to a new connection: carried to the target, accepted and never carried, or closed at once. */
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
  /** For connections that come from now on. */
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

  /** Where new connections go from now on, as when a virtual address moves to another machine. */
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

  /** `url` with this proxy in the place of the target. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.#port);
    return changed.href;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Ends every connection; both ends see it. Returns how many there were. */
  cut(): number {
    const pairs = [...this.#pairs];
    for (const pair of pairs) this.#end(pair);
    return pairs.length;
  }

  /** Existing connections carry nothing any more, in either direction, and stay open. Returns how many there were. */
  stall(): number {
    for (const pair of this.#pairs) pair.isStalled = true;
    return this.#pairs.size;
  }

  /**
   * Forwards the next client data that hold `request`; when the target answers them, ends the connection without passing
   * the answer on. Resolves when that has happened.
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

  /** One end has closed. Across a stalled connection neither end learns of the other's end. */
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
