/**
 * A load balancer in front of ingress processes. It sends each request to the next ready backend over kept-alive
 * connections, probes /readyz, and never repeats a request that may have arrived.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Backend {
  readonly port: number;
  /** Whether the operator lets it receive requests; false drains it. */
  isWanted: boolean;
  isReady: boolean;
}

export interface Balancer {
  readonly url: string;
  readonly backends: Backend[];
  /** Requests that the balancer had to answer itself, because no backend was ready or the backend broke off. */
  readonly failures: readonly string[];
  close(): Promise<void>;
}

const PROBE_MS = 100;

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const backends: Backend[] = ports.map((port) => ({ port, isWanted: true, isReady: false }));
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const failures: string[] = [];
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    const usable = backends.filter((backend) => backend.isWanted && backend.isReady);
    requests += 1;
    const backend = usable[requests % usable.length];
    if (backend === undefined) refuse(outgoing, failures, `${incoming.method} ${incoming.url}: no backend is ready`);
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
