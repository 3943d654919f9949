/** A web server in front of the service, such as a company's proxy: forwards requests, or answers them itself. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FrontAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Closes the connection after this many bytes of the body. */
  readonly cutAfter?: number;
  /** Sends nothing after the body, not even its end. */
  readonly staysOpen?: boolean;
}

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Front {
  readonly url: string;
  /** Every request, in order. */
  readonly seen: readonly Seen[];
  /** The next requests get these answers; later ones are forwarded. */
  answer(...answers: readonly FrontAnswer[]): void;
  close(): Promise<void>;
}

/** Fate of a request; lost ones end with their connection. `then` is called at that moment. */
export interface Fate {
  readonly kind: 'lost-request' | 'lost-answer';
  readonly then: () => void;
}

export interface FrontOptions {
  readonly host?: string;
  /** Removed from the start of every path. */
  readonly prefix?: string;
  /** Undefined for a request that is answered as usual. */
  readonly decide?: (method: string, path: string) => Fate | undefined;
}

export async function openFront(
  target: string,
  { host = '127.0.0.1', prefix = '', decide = () => undefined }: FrontOptions = {},
): Promise<Front> {
  const seen: Seen[] = [];
  const answers: FrontAnswer[] = [];
  const server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? '').slice(prefix.length);
    seen.push({ method: incoming.method ?? '', path, headers: incoming.headers });
    const answer = answers.shift();
    const fate = decide(incoming.method ?? '', path);
    const lose = () => {
      fate!.then();
      outgoing.destroy();
    };
    if (fate?.kind === 'lost-request') lose();
    else if (answer !== undefined) reply(outgoing, answer);
    else forward(incoming, outgoing, new URL(path, target), fate && lose);
  });
  await new Promise<void>((resolve) => server.listen({ host, port: 0 }, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    seen,
    answer: (...more) => void answers.push(...more),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, url: URL, lose?: () => void): void {
  const { method, headers } = incoming;
  const passed = request(url, { method, headers }, (answered) => {
    if (lose !== undefined) return lose();
    outgoing.writeHead(answered.statusCode!, answered.headers);
    answered.pipe(outgoing);
  });
  passed.on('error', () => outgoing.destroy());
  outgoing.on('close', () => passed.destroy());
  incoming.pipe(passed);
}

function reply(
  outgoing: ServerResponse,
  { status, headers = {}, body = '', cutAfter, staysOpen = false }: FrontAnswer,
): void {
  outgoing.writeHead(status, headers);
  if (staysOpen) outgoing.write(body);
  else if (cutAfter === undefined) outgoing.end(body);
  else outgoing.write(body.slice(0, cutAfter), () => outgoing.destroy());
}
