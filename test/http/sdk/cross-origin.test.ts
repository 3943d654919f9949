/** Calls from a browser, as the spreadsheet add-in makes them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NativeService, openNativeService } from '../native-service.ts';

const ORIGIN = 'https://addin.example.com';
const PREFLIGHT = {
  origin: ORIGIN,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
};

describe('with origins in the settings', () => {
  let service: NativeService;
  beforeAll(async () => {
    service = await openNativeService({ settings: { corsOrigins: [ORIGIN, 'http://localhost:3000'] } });
  });
  afterAll(() => service.close());

  it('A preflight request is answered without a key', async () => {
    for (const url of ['/api/models', '/api/objectives/1/suggest-inverse', '/api/accounts/register']) {
      const answer = await service.sendAs('')('OPTIONS', url, undefined, PREFLIGHT);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'authorization,content-type',
        'access-control-max-age': '600',
      });
      expect(answer.headers.vary).toContain('Origin');
    }
  });

  it('Every answer may be read by the page, including refusals', async () => {
    const headers = { origin: ORIGIN };
    const cases = [
      [200, await service.send('GET', '/api/models', undefined, headers)],
      [201, await service.send('POST', '/api/models', { name: 'From a browser' }, headers)],
      [400, await service.send('POST', '/api/models', '{', headers)],
      [401, await service.sendAs('')('GET', '/api/models', undefined, headers)],
      [403, await service.sendAs('')('POST', '/api/accounts/register', {}, headers)],
      [404, await service.send('GET', '/api/nothing', undefined, headers)],
      [404, await service.send('GET', '/api/models/987654321', undefined, headers)],
      [405, await service.send('DELETE', '/api/models', undefined, headers)],
      [415, await service.send('POST', '/api/models', 'name', { ...headers, 'content-type': 'text/plain' })],
    ] as const;
    for (const [status, answer] of cases) {
      expect(answer.status).toBe(status);
      expect(answer.headers['access-control-allow-origin'], `with ${status}`).toBe(ORIGIN);
      expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
    }
  });

  it('Another origin is not allowed, and the native dialect allows none', async () => {
    const headers = { origin: 'https://elsewhere.example.com' };
    const other = await service.send('GET', '/api/models', undefined, headers);
    expect(other.headers).not.toHaveProperty('access-control-allow-origin');
    const native = await service.send('GET', '/v1/models', undefined, { origin: ORIGIN });
    expect(native.headers).not.toHaveProperty('access-control-allow-origin');
    const preflight = await service.send('OPTIONS', '/v1/models', undefined, PREFLIGHT);
    expect([preflight.status, preflight.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });
});

it('With * every origin is allowed', async () => {
  const service = await openNativeService({ settings: { corsOrigins: ['*'] } });
  const answer = await service.send('GET', '/api/models', undefined, { origin: ORIGIN });
  expect(answer.headers['access-control-allow-origin']).toBe('*');
  await service.close();
});

it('Without origins no answer has the headers, and OPTIONS is not supported', async () => {
  const service = await openNativeService();
  const answer = await service.send('GET', '/api/models', undefined, { origin: ORIGIN });
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  const preflight = await service.send('OPTIONS', '/api/models', undefined, PREFLIGHT);
  expect([preflight.status, preflight.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  await service.close();
});
