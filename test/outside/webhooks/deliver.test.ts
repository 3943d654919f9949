import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, it, test } from 'vitest';
import { makeSender, type SenderOptions } from '../../../src/outside/webhooks/deliver.ts';
import type { OutgoingPost } from '../../../src/outside/webhooks/post.ts';
import { closedPort, openReceiver, type Receiver, type Reply } from './receiver.ts';

const secret = Buffer.alloc(32, 9);

function sender(change: Partial<SenderOptions> = {}) {
  return makeSender({
    allowPrivate: true,
    timeoutMs: 10_000,
    resolve: async () => ['127.0.0.1'],
    userAgent: 'Backsolve',
    now: Date.now,
    ...change,
  });
}

const never = new AbortController().signal;
const outgoing = (url: string): OutgoingPost => ({
  url,
  secrets: [secret],
  id: 'evt_5',
  body: Buffer.from('{"id":5,"text":"größer"}'),
});

async function withReceiver(reply: Reply, work: (receiver: Receiver) => Promise<void>): Promise<void> {
  const receiver = await openReceiver(reply);
  try {
    await work(receiver);
  } finally {
    await receiver.close();
  }
}

it('the sender posts the body with a signature that the official verifier accepts', async () => {
  await withReceiver(200, async (receiver) => {
    expect(await sender()(outgoing(`${receiver.url}?token=1`), never)).toEqual({ kind: 'answered', status: 200 });
    const [got] = receiver.received;
    expect(got!.path).toBe('/hook?token=1');
    expect(got!.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Backsolve' });
    const verified = new Webhook(secret.toString('base64')).verify(got!.body, { ...got!.headers });
    expect(verified).toEqual({ id: 5, text: 'größer' });
  });
});

test.each([204, 301, 400, 410, 429, 500, 503])('the sender reports the status %i', async (status) => {
  await withReceiver(status, async ({ url }) => {
    expect(await sender()(outgoing(url), never)).toEqual({ kind: 'answered', status });
  });
});

it('the sender does not follow a redirect', async () => {
  await withReceiver(200, async (inner) => {
    const redirect: Reply = (response) => response.writeHead(307, { location: inner.url }).end();
    await withReceiver(redirect, async (outer) => {
      expect(await sender()(outgoing(outer.url), never)).toEqual({ kind: 'answered', status: 307 });
      expect(inner.received).toEqual([]);
    });
  });
});

it('the sender gives up on a receiver that never answers', async () => {
  await withReceiver('hang', async ({ url }) => {
    const attempt = await sender({ timeoutMs: 50 })(outgoing(url), never);
    expect(attempt).toEqual({ kind: 'unanswered', reason: 'no answer within 50 ms' });
  });
});

it('the sender gives up on a name that never resolves', async () => {
  const attempt = await sender({ timeoutMs: 50, resolve: () => new Promise(() => undefined) })(
    outgoing('http://receiver.example/'),
    never,
  );
  expect(attempt).toEqual({ kind: 'unanswered', reason: 'no answer within 50 ms' });
});

it('the sender gives up on a receiver that sends its headers byte by byte', async () => {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const drip = setInterval(() => socket.write('H'), 5);
    socket.on('close', () => clearInterval(drip));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const attempt = await sender({ timeoutMs: 200 })(outgoing(`http://127.0.0.1:${port}/`), never);
  expect(attempt.kind).toBe('unanswered');
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

it('the sender cuts off an endless answer once its status is known', async () => {
  const cut = Promise.withResolvers<void>();
  const endless: Reply = (response) => {
    response.writeHead(200);
    response.on('close', cut.resolve);
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(4_096)));
      response.once('drain', pour);
    };
    pour();
  };
  await withReceiver(endless, async ({ url }) => {
    expect(await sender()(outgoing(url), never)).toEqual({ kind: 'answered', status: 200 });
    await cut.promise;
  });
});

it('an answer counts even if its body breaks off', async () => {
  const broken: Reply = (response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half', () => response.destroy());
  };
  await withReceiver(broken, async ({ url }) => {
    expect(await sender()(outgoing(url), never)).toEqual({ kind: 'answered', status: 200 });
  });
});

it('the reasons for a refused connection and an unknown name contain no addresses', async () => {
  const port = await closedPort();
  expect(await sender()(outgoing(`http://127.0.0.1:${port}/`), never)).toEqual({
    kind: 'unanswered',
    reason: 'the connection failed: ECONNREFUSED',
  });
  const resolve = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND x'), { code: 'ENOTFOUND' }));
  expect(await sender({ resolve })(outgoing('http://x.example/'), never)).toEqual({
    kind: 'unanswered',
    reason: 'the connection failed: ENOTFOUND',
  });
});

test.each([
  ['an address', (port: number) => `https://127.0.0.1:${port}/`],
  ['a mapped address', (port: number) => `https://[::ffff:127.0.0.1]:${port}/`],
  ['a decimal address', (port: number) => `https://2130706433:${port}/`],
  ['a name', (port: number) => `https://receiver.example:${port}/`],
])('the sender never connects to a private target given as %s', async (_, urlOf) => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const attempt = await sender({ allowPrivate: false })(outgoing(urlOf(port)), never);
  expect(attempt).toMatchObject({ kind: 'unanswered', reason: expect.stringContaining('public address') });
  expect(connections).toBe(0);
  await new Promise((resolve) => server.close(resolve));
});

it('the sender connects to the address that was checked and looks up a name only once', async () => {
  await withReceiver(204, async (receiver) => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      // A second lookup would lead to an address where nothing listens.
      return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    };
    const url = `http://receiver.example:${receiver.port}/hook`;
    expect(await sender({ resolve })(outgoing(url), never)).toEqual({ kind: 'answered', status: 204 });
    expect(asked).toEqual(['receiver.example']);
    expect(receiver.received[0]!.headers['host']).toBe(`receiver.example:${receiver.port}`);
  });
});

it('the signal aborts an attempt', async () => {
  await withReceiver('hang', async (receiver) => {
    const leaving = new AbortController();
    const attempt = sender()(outgoing(receiver.url), leaving.signal);
    await receiver.next();
    leaving.abort(new Error('leaving'));
    await expect(attempt).rejects.toThrow('leaving');
  });
});

it('a receiver that switches to another protocol has not answered, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => closed.resolve());
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const attempt = await sender()(outgoing(`http://127.0.0.1:${port}/`), never);
  expect(attempt).toEqual({
    kind: 'unanswered',
    reason: 'the receiver answered 101; switching protocols is not supported',
  });
  await closed.promise;
  await new Promise((resolve) => server.close(resolve));
});
