/** The limit on accounts that one address may create in an hour. */
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { startService } from '../../../src/composing/compose.ts';
import { makeLog } from '../../../src/log.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { startTestService } from '../../support/service.ts';

const BODY = {
  company: 'Example Works',
  firstName: 'Ada',
  lastName: 'Byron',
  password: 'a very private text',
  timeZone: 'Europe/London',
  agreement: true,
};

/** The whole service behind a proxy that names the client's address. */
async function open(settings: Readonly<Record<string, string>>) {
  const all = { ALLOW_REGISTRATION: 'true', TRUST_PROXY: 'loopback', MAXIMUM_EVENT_LOOP_DELAY_MS: '0', ...settings };
  const test = await startTestService({ worker: false, settings: all });
  onTestFinished(() => test.close());
  return { test, config: loadConfig({ PORT: '0', ...all }) };
}

async function register(origin: string, address: string, body: object = {}) {
  const email = `${crypto.randomUUID()}@example.org`;
  const response = await fetch(`${origin}/api/accounts/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ ...BODY, email, ...body }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as { detail: string } };
}

it('The limit of registrations is 10 per hour unless the settings say otherwise', async () => {
  const { test } = await open({});
  const { headers } = await register(test.service.url!, '192.0.2.1');
  expect(headers.get('ratelimit-policy')).toBe('"default";q=10;w=3600');
  expect(headers.get('ratelimit')).toMatch(/^"default";r=9;t=\d+$/);
});

it('Registrations beyond the limit get 429 with Retry-After, and refused attempts count', async () => {
  const { test } = await open({ REGISTRATION_LIMIT_PER_HOUR: '3' });
  const { url } = test.service;
  const statuses = [];
  for (const body of [{}, { company: 5 }, {}]) statuses.push((await register(url!, '192.0.2.1', body)).status);
  expect(statuses).toEqual([201, 400, 201]);
  const refused = await register(url!, '192.0.2.1');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
  expect(refused.body.detail).toMatch(/^Rate limit exceeded; retry in 3[56]\d\d s\.$/);
  expect((await register(url!, '192.0.2.2')).status).toBe(201);
});

it('The limit of registrations applies to all processes together and starts again after the hour', async () => {
  const { test, config } = await open({ REGISTRATION_LIMIT_PER_HOUR: '2' });
  const second = await startService(config, test.databaseUrl, makeLog({ level: 'silent' }), {
    ingress: true,
    worker: false,
  });
  onTestFinished(() => second.close());
  const statuses = [];
  for (const { url } of [test.service, second, test.service, second]) {
    statuses.push((await register(url!, '192.0.2.1')).status);
  }
  expect(statuses).toEqual([201, 201, 429, 429]);
  await sql`update rate_limits set expire = expire - 3600000`.execute(test.service.db);
  const third = await startService(config, test.databaseUrl, makeLog({ level: 'silent' }), {
    ingress: true,
    worker: false,
  });
  onTestFinished(() => third.close());
  expect((await register(third.url!, '192.0.2.1')).status).toBe(201);
});

it('The limit of registrations counts an IPv6 /64 as one address', async () => {
  const { test } = await open({ REGISTRATION_LIMIT_PER_HOUR: '1' });
  const statuses = [];
  for (const address of ['2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:1::1']) {
    statuses.push((await register(test.service.url!, address)).status);
  }
  expect(statuses).toEqual([201, 429, 201]);
});

it('Attempts while registration is closed do not count towards the limit', async () => {
  const { test } = await open({ ALLOW_REGISTRATION: 'false', REGISTRATION_LIMIT_PER_HOUR: '1' });
  const statuses = [];
  for (let count = 0; count < 3; count++) statuses.push((await register(test.service.url!, '192.0.2.1')).status);
  expect(statuses).toEqual([403, 403, 403]);
  expect((await sql`select from rate_limits`.execute(test.service.db)).rows).toEqual([]);
});

it('With a limit of 0 registrations, the limit of requests applies per address', async () => {
  const { test } = await open({ REGISTRATION_LIMIT_PER_HOUR: '0', RATE_LIMIT_PER_MINUTE: '2' });
  const statuses = [];
  for (let count = 0; count < 3; count++) statuses.push((await register(test.service.url!, '192.0.2.1')).status);
  expect(statuses).toEqual([201, 201, 429]);
});
