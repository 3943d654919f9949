/** Tests which hosts requests may name, over real connections: the rule is against pages of other sites (DNS rebinding). */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../harness/free-port.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let metricsPort: number;
beforeAll(async () => {
  metricsPort = await findFreePort();
  const settings = { ALLOW_REGISTRATION: 'true', CORS_ORIGINS: '*', METRICS_PORT: String(metricsPort) };
  service = await startTestService({ worker: false, settings });
});
afterAll(() => service.close());

const NAMES = { ALLOWED_HOSTS: 'backsolve.example.com, RIG7.local' };

async function ask(url: string, host: string, { method = 'GET', headers = {} as object } = {}) {
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request(url, { method, headers: { ...headers, host } }, resolve)
      .on('error', reject)
      .end();
  });
  return { status: response.statusCode!, headers: response.headers, text: await text(response) };
}

const statusFor = async (url: string, host: string) => (await ask(url, host)).status;

test.each([
  ['GET', '/readyz'],
  ['GET', '/'],
  ['GET', '/page'],
  ['GET', '/docs'],
  ['GET', '/session'],
  ['POST', '/session'],
  ['GET', '/v1/models'],
  ['GET', '/v1/openapi.json'],
  ['POST', '/api/accounts/register'],
  ['OPTIONS', '/api/models'],
  ['GET', '/nothing/here'],
])('On loopback %s %s is refused for a name of another site', async (method, path) => {
  const headers = { origin: 'http://rebound.example', 'access-control-request-method': 'POST' };
  const answer = await ask(`${service.service.url}${path}`, 'Rebound.Example:8080', { method, headers });
  expect(answer).toMatchObject({
    status: 421,
    headers: {
      'content-type': expect.stringContaining('application/problem+json'),
      'x-content-type-options': 'nosniff',
    },
  });
  const { detail } = JSON.parse(answer.text);
  expect(detail).toContain('"rebound.example"');
  expect(detail).toContain('ALLOWED_HOSTS');
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
});

test('The port of the metrics refuses it as well', async () => {
  const url = `http://127.0.0.1:${metricsPort}/metrics`;
  expect([await statusFor(url, 'rebound.example'), await statusFor(url, 'localhost')]).toEqual([421, 200]);
});

test.each([
  'localhost',
  'LOCALHOST:3000',
  'localhost.',
  '127.0.0.1',
  '127.0.0.1:1',
  '127.3.2.1',
  '[::1]:9090',
  '10.1.2.3',
])('On loopback the host %s is allowed', async (host) => {
  expect(await statusFor(`${service.service.url}/readyz`, host)).toBe(200);
});

test.each(['localhost.rebound.example', '127.0.0.1.rebound.example', 'rebound.example@localhost', 'localhost:1:2'])(
  'On loopback the host "%s" is refused',
  async (host) => {
    expect(await statusFor(`${service.service.url}/readyz`, host)).toBe(421);
  },
);

test('ALLOWED_HOSTS adds names; other names are refused, and probes by address go on', async () => {
  const own = await startTestService({ worker: false, settings: { ...NAMES, HOST: '0.0.0.0' } });
  const url = `http://127.0.0.1:${new URL(own.service.url!).port}/readyz`;
  const statuses = await Promise.all(
    ['backsolve.example.com', 'rig7.local:8080', '192.0.2.7:8080', 'localhost', 'other.example'].map((host) =>
      statusFor(url, host),
    ),
  );
  expect(statuses).toEqual([200, 200, 200, 200, 421]);
  await own.close();
});

test.each([
  ['elsewhere than on loopback, by default', { HOST: '0.0.0.0' }],
  ['on loopback with ALLOWED_HOSTS=*', { ALLOWED_HOSTS: '*' }],
])('Every host is allowed %s', async (_, settings) => {
  const own = await startTestService({ worker: false, settings });
  const url = `http://127.0.0.1:${new URL(own.service.url!).port}/readyz`;
  expect(await statusFor(url, 'any.example')).toBe(200);
  await own.close();
});
