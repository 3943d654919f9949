/** Tests that need real sockets: closing down, and requests that are not HTTP. */
import { Agent, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openNativeService, prepareObjective } from './native-service.ts';

async function listen(t: Awaited<ReturnType<typeof openNativeService>>): Promise<number> {
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  return (t.app.server.address() as AddressInfo).port;
}

async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

it('A closing server answers requests in flight and keeps no connection open', async () => {
  const arrived = Promise.withResolvers<void>();
  let isWatched = false;
  const t = await openNativeService({
    settings: { suggestWaitMaximumMs: 1_000 },
    deps: { noteKeyUse: () => isWatched && arrived.resolve() },
  });
  const agent = new Agent({ keepAlive: true });
  try {
    const { objectiveUrl } = await prepareObjective(t.send);
    const port = await listen(t);
    isWatched = true;
    const answered = new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${t.key}`, prefer: 'wait=1' };
      const options = { port, host: '127.0.0.1', path: `${objectiveUrl}/inverses`, method: 'POST', agent, headers };
      request(options, (response) => {
        response.resume();
        resolve({ status: response.statusCode, connection: response.headers.connection });
      })
        .on('error', reject)
        .end();
    });
    await arrived.promise;
    const closed = t.app.close();
    expect(await answered).toEqual({ status: 202, connection: 'close' });
    await closed;
  } finally {
    agent.destroy();
    await t.close();
  }
});

it('A closing server refuses new requests on open connections with 503', async () => {
  const t = await openNativeService();
  try {
    const port = await listen(t);
    const socket = await openSocket(port);
    // A partly received request keeps its connection from being idle.
    const second = await openSocket(port);
    second.write('GET /v1/models HTTP/1.1\r\nHost: x\r\n');
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toContain('200 OK');
    const closed = t.app.close();
    second.write('\r\n');
    const answer = await text(second);
    expect(answer).toContain('HTTP/1.1 503');
    expect(answer.toLowerCase()).toContain('retry-after: 5');
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(answer).toContain('"type":"urn:backsolve:problem:unavailable"');
    await closed;
  } finally {
    await t.close();
  }
});

it('A request that is not HTTP is answered with a problem, and the server continues', async () => {
  const t = await openNativeService();
  try {
    const port = await listen(t);
    const ask = async (raw: string): Promise<string> => {
      const socket = await openSocket(port);
      socket.write(raw);
      return text(socket);
    };
    expect(await ask('hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*"type":"urn:backsolve:problem:bad-request"/s);
    const longHeader = `GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`;
    expect(await ask(longHeader)).toMatch(/^HTTP\/1\.1 431 .*application\/problem\+json/s);
    expect(await ask('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain('200 OK');
  } finally {
    await t.close();
  }
});
