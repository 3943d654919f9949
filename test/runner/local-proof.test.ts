/** A local service proves that it has its key before the key is sent. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { isProven, makeProvenFetch, proofFor } from '../../clients/typescript/src/solve/local-proof.ts';

const KEY = 'the key of the folder';

async function listen(answer: (port: number) => RequestListener): Promise<{ url: string; port: number }> {
  const server = createServer((request, response) => answer((server.address() as AddressInfo).port)(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

const nonceOf = (url: string | undefined) => new URL(url!, 'http://localhost').searchParams.get('nonce')!;

it('The service that has the key gets the request', async () => {
  const { url } = await listen((port) => (request, response) => {
    if (request.url!.startsWith('/proof'))
      response.writeHead(204, { 'backsolve-proof': proofFor(KEY, port, nonceOf(request.url)) }).end();
    else response.end(request.headers.authorization);
  });
  const answer = await makeProvenFetch(url, KEY)(`${url}/v1/models`, { headers: { authorization: `Bearer ${KEY}` } });
  expect(await answer.text()).toBe(`Bearer ${KEY}`);
  expect(await isProven(url, 'another key')).toBe(false);
});

it('Another program at its address gets no key, even one that passes the question on to the service', async () => {
  const genuine = await listen((port) => (request, response) => {
    response.writeHead(204, { 'backsolve-proof': proofFor(KEY, port, nonceOf(request.url)) }).end();
  });
  const received: string[] = [];
  const thieves: RequestListener[] = [
    (_, response) => void response.end('ready'),
    (_, response) => void response.writeHead(204, { 'backsolve-proof': 'é' }).end(),
    async ({ url }, response) => {
      const passedOn = await fetch(`${genuine.url}${url}`);
      response.writeHead(204, { 'backsolve-proof': passedOn.headers.get('backsolve-proof')! }).end();
    },
  ];
  for (const thief of thieves) {
    const { url } = await listen(() => (request, response) => {
      received.push(JSON.stringify([request.url, request.headers]));
      thief(request, response);
    });
    const sent = makeProvenFetch(url, KEY)(`${url}/v1/models`, { headers: { authorization: `Bearer ${KEY}` } });
    await expect(sent).rejects.toThrow('does not answer');
  }
  expect(received).toHaveLength(thieves.length);
  expect(received.join()).not.toContain(KEY);
});
