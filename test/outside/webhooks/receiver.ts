/** A real HTTP receiver on 127.0.0.1 with programmable answers, which hands out its requests in order. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A status to answer, a function that answers, or 'hang', which never answers. */
export type Reply = number | 'hang' | ((response: ServerResponse, received: Received) => void);

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** All requests so far. */
  readonly received: readonly Received[];
  reply: Reply;
  /** The next request that was not returned before. */
  next(): Promise<Received>;
  close(): Promise<void>;
}

/** `wantedPort` 0: any. */
export async function openReceiver(reply: Reply = 204, wantedPort = 0): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: ((one: Received) => void)[] = [];
  let handedOut = 0;
  const server = createServer(async (request, response) => {
    const one = await read(request);
    received.push(one);
    answer(receiver.reply, response, one);
    const waiter = waiting.shift();
    if (waiter !== undefined) {
      handedOut += 1;
      waiter(one);
    }
  });
  await new Promise<void>((resolve) => server.listen(wantedPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    reply,
    next: () => {
      const ready = received[handedOut];
      if (ready === undefined) return new Promise((resolve) => waiting.push(resolve));
      handedOut += 1;
      return Promise.resolve(ready);
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = request.headers as Record<string, string>;
  return { path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() };
}

function answer(reply: Reply, response: ServerResponse, received: Received): void {
  if (reply === 'hang') return;
  if (typeof reply === 'number') response.writeHead(reply).end();
  else reply(response, received);
}

/** A port of 127.0.0.1 on which nothing listens. */
export async function closedPort(): Promise<number> {
  const receiver = await openReceiver();
  await receiver.close();
  return receiver.port;
}
