/** Storage that takes requests and does not answer. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { makeS3Store } from '../../../src/outside/files/s3-store.ts';

const LIMIT_MS = 300;
/** Time limit of storage that answers. */
const LONG_MS = 30_000;

/** Objects that nothing holds any more are gone at the next turn. */
let collecting: NodeJS.Timeout;
beforeAll(() => {
  setFlagsFromString('--expose_gc');
  collecting = setInterval(runInNewContext('gc') as () => void, 50);
});
afterAll(() => clearInterval(collecting));

async function storeAt(listener: RequestListener, limitMs = LIMIT_MS) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return makeS3Store({ endpoint, bucket: 'files', region: 'us-east-1', accessKey: 'a', secretKey: 'b' }, limitMs);
}

it('A request that the storage takes and does not answer ends at the limit', async () => {
  const store = await storeAt(() => undefined);
  const timeout = expect.objectContaining({ name: 'TimeoutError' });
  await expect(store.get('a')).rejects.toEqual(timeout);
  await expect(store.put('a', Buffer.from('bytes'))).rejects.toEqual(timeout);
  await expect(store.remove('a')).rejects.toEqual(timeout);
});

it('So does one whose answer never comes to its end', async () => {
  const store = await storeAt((_, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('bytes');
  });
  await expect(store.get('a')).rejects.toMatchObject({ name: 'TimeoutError' });
});

it('Storage that is overloaded for a moment is asked again', async () => {
  let asked = 0;
  const store = await storeAt((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(++asked < 3 ? 503 : 200).end('kept'));
  }, LONG_MS);
  await store.put('a', Buffer.from('bytes'));
  expect(asked).toBe(3);
  expect(Buffer.from((await store.get('a'))!).toString()).toBe('kept');
});
