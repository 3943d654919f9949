/**
 * A load balancer as one stands in front of the ingress processes: sends each request to the next backend in rotation over
 * kept-alive connections, asks /readyz, and never repeats a request that may have arrived.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Backend {
  readonly port: number;
  /** Whether the operator lets it have requests; false drains it. */
  isWanted: boolean;
  isReady: boolean;
}

export interface Balancer {
  readonly url: string;
  readonly backends: Backend[];
  /** Answers that the balancer had to give itself: no backend, or a backend that broke off. */
  readonly failures: readonly string[];
  close(): Promise<void>;
}

const PROBE_MS = 100;

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const backends: Backend[] = ports.map((port) => ({ port, isWanted: true, isReady: false }));
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const failures: string[] = [];
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const usable = backends.filter((backend) => backend.isWanted && backend.isReady);
    turn += 1;
    const backend = usable[turn % usable.length];
    if (backend === undefined) refuse(outgoing, failures, `${incoming.method} ${incoming.url}: no backend`);
    else forward(incoming, outgoing, backend, agent, failures);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const probing = setInterval(() => {
    for (const backend of backends) void probe(backend);
  }, PROBE_MS);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    backends,
    failures,
    close: async () => {
      clearInterval(probing);
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { port }: Backend,
  agent: Agent,
  failures: string[],
): void {
  const { method, url, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers, agent }, (answer) => {
    const { connection: _, ...kept } = answer.headers;
    outgoing.writeHead(answer.statusCode!, kept);
    answer.pipe(outgoing);
  });
  onward.on('error', (error) => refuse(outgoing, failures, `${method} ${url}: ${error.message}`));
  incoming.pipe(onward);
}

function refuse(outgoing: ServerResponse, failures: string[], reason: string): void {
  failures.push(reason);
  if (!outgoing.headersSent) outgoing.writeHead(502, { 'content-type': 'text/plain' });
  outgoing.end(reason);
}

async function probe(backend: Backend): Promise<void> {
  try {
    backend.isReady = (await fetch(`http://127.0.0.1:${backend.port}/readyz`)).ok;
  } catch {
    backend.isReady = false;
  }
}
