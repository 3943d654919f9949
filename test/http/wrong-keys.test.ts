/** Clients that guess keys are slowed down; others at the same address keep working. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { sql } from 'kysely';
import { afterEach, expect, it, vi } from 'vitest';
import { formatApiKey, makeApiKey, parseApiKey } from '../../src/domain/accounts/api-key.ts';
import { WrongKeys } from '../../src/http/fairness/wrong-keys.ts';
import type { HttpSettings } from '../../src/http/operation/deps.ts';
import { startTestService } from '../support/service.ts';
import { type NativeService, openNativeService } from './native-service.ts';

const LIMIT = 5;
const HOUR_MS = 3_600_000;

let opened: NativeService | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

/** The ingress with a stopped clock, and requests from any address. */
async function open(settings: Partial<HttpSettings> = {}) {
  const clock = { ms: 1_000_000 };
  const wrongKeys = new WrongKeys({ limit: LIMIT, now: () => clock.ms });
  const service = await openNativeService({ settings, deps: { wrongKeys } });
  opened = service;
  const from =
    (remoteAddress: string, headers: Record<string, string> = {}) =>
    async (key: string | undefined, url = '/v1/models') => {
      const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
      const response = await service.app.inject({ url, remoteAddress, headers: { ...headers, ...authorization } });
      return { status: response.statusCode, headers: response.headers, body: response.json() };
    };
  const away = async (work: () => Promise<void>) => {
    await sql`alter table api_keys rename to api_keys_away`.execute(service.db);
    await work();
    await sql`alter table api_keys_away rename to api_keys`.execute(service.db);
  };
  return { service, clock, from, away };
}

type Ask = ReturnType<Awaited<ReturnType<typeof open>>['from']>;

const forged = () => formatApiKey(makeApiKey());

async function exhaust(ask: Ask): Promise<void> {
  for (let count = 0; count < LIMIT; count++) expect((await ask(forged())).status).toBe(401);
}

it('Beyond the limit an address gets 429 with Retry-After, in both dialects and without a look-up', async () => {
  const { from, away, service } = await open();
  const ask = from('192.0.2.1');
  await exhaust(ask);
  await away(async () => {
    for (const url of ['/v1/models', '/api/models', '/v1/keys/1']) {
      const refused = await ask(forged(), url);
      expect(refused.status).toBe(429);
      expect(refused.headers['retry-after']).toBe('60');
      expect(refused.headers['www-authenticate']).toBeUndefined();
      expect(refused.body).toMatchObject({
        type: 'urn:backsolve:problem:too-many-wrong-keys',
        detail: expect.stringContaining('retry in 60 s'),
      });
    }
  });
  const warnings = service.logLines.filter((line) => line.includes('authentication.slowed'));
  expect(warnings.map((line) => JSON.parse(line))).toMatchObject([{ address: '192.0.2.1', limit: LIMIT }]);
});

it('Malformed keys count like forged ones', async () => {
  const { from } = await open();
  const ask = from('192.0.2.1');
  const malformed = [
    'nonsense',
    'bks_00000000_00000000000000000000000000000000_000000',
    '%00',
    'x'.repeat(4_000),
    forged(),
  ];
  for (const key of malformed) expect((await ask(key)).status).toBe(401);
  expect((await ask(forged())).status).toBe(429);
});

it('A request without a key does not count as a guess', async () => {
  const { from } = await open();
  const ask = from('192.0.2.1');
  for (let count = 0; count < 3 * LIMIT; count++) expect((await ask(undefined)).status).toBe(401);
  await exhaust(ask);
  expect((await ask(undefined)).status).toBe(401);
});

it('A recently used key keeps working at the address of a guesser', async () => {
  const { from, service, clock } = await open();
  const ask = from('192.0.2.1');
  expect((await ask(service.key)).status).toBe(200);
  clock.ms += HOUR_MS - 1;
  await exhaust(ask);
  expect((await ask(service.key)).status).toBe(200);
  // A key is known for an hour after its last use.
  clock.ms += HOUR_MS - 1;
  await exhaust(ask);
  expect((await ask(service.key)).status).toBe(200);
  clock.ms += HOUR_MS;
  await exhaust(ask);
  expect((await ask(service.key)).status).toBe(429);
});

it('A key that is new to the process waits for the end of the minute, and works from another address immediately', async () => {
  const { from, service, clock } = await open();
  const ask = from('192.0.2.1');
  await exhaust(ask);
  expect((await ask(service.key)).status).toBe(429);
  expect((await from('192.0.2.2')(service.key)).status).toBe(200);
  const newcomer = await service.makeKey('test');
  clock.ms += 59_999;
  const refused = await ask(newcomer);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  clock.ms += 1;
  expect((await ask(newcomer)).status).toBe(200);
  // A new minute with as many tries.
  await exhaust(ask);
  expect((await ask(forged())).status).toBe(429);
});

it('The id of a right key with another secret is a wrong key', async () => {
  const { from, service } = await open();
  const ask = from('192.0.2.1');
  await ask(service.key);
  const { keyId } = parseApiKey(service.key)!;
  const guess = () => ask(formatApiKey({ keyId, secret: makeApiKey().secret }));
  for (let count = 0; count < LIMIT; count++) expect((await guess()).status).toBe(401);
  expect((await guess()).status).toBe(429);
  expect((await ask(service.key)).status).toBe(200);
});

it('A revoked key is no longer known and is not looked up again and again', async () => {
  const { from, service } = await open();
  const ask = from('192.0.2.1');
  const key = await service.makeKey('test');
  expect((await ask(key)).status).toBe(200);
  await exhaust(ask);
  expect((await ask(key)).status).toBe(200);
  await sql`update api_keys set revoked_at = now() where key_id = ${parseApiKey(key)!.keyId}`.execute(service.db);
  expect((await ask(key)).status).toBe(401);
  expect((await ask(key)).status).toBe(429);
});

it('The addresses of an IPv6 /64 count as one', async () => {
  const { from } = await open();
  for (let count = 1; count <= LIMIT; count++) expect((await from(`2001:db8::${count}:1`)(forged())).status).toBe(401);
  expect((await from('2001:db8::ffff:ffff:ffff')(forged())).status).toBe(429);
  expect((await from('2001:db8:0:1::1')(forged())).status).toBe(401);
});

it('Behind a trusted proxy its clients are counted, and one without an address counts as the proxy', async () => {
  const { from } = await open({ trustProxy: ['10.0.0.1'] });
  const behind = (client: string) => from('10.0.0.1', { 'x-forwarded-for': client });
  await exhaust(behind('192.0.2.1'));
  expect((await behind('192.0.2.1')(forged())).status).toBe(429);
  expect((await behind('192.0.2.2')(forged())).status).toBe(401);
  for (let count = 1; count <= LIMIT; count++) expect((await behind(`nobody ${count}`)(forged())).status).toBe(401);
  expect((await behind('somebody')(forged())).status).toBe(429);
  // A client that is not a trusted proxy cannot count as another.
  await exhaust(from('198.51.100.1', { 'x-forwarded-for': '192.0.2.9' }));
  expect((await from('198.51.100.1', { 'x-forwarded-for': '192.0.2.10' })(forged())).status).toBe(429);
});

it('While the database is unavailable no client counts as a guesser', async () => {
  const { from, service, away } = await open();
  const ask = from('192.0.2.1');
  await away(async () => {
    for (let count = 0; count < 2 * LIMIT; count++) expect((await ask(service.key)).status).toBe(500);
  });
  expect((await ask(service.key)).status).toBe(200);
});

it('An unknown key id costs the same hash and comparison as a wrong secret', async () => {
  const { from, service } = await open();
  const ask = from('192.0.2.1');
  await ask(service.key);
  const wrongSecret = formatApiKey({ keyId: parseApiKey(service.key)!.keyId, secret: makeApiKey().secret });
  // The real functions run; the spies only count.
  const spies = [vi.spyOn(crypto, 'createHash'), vi.spyOn(crypto, 'timingSafeEqual')];
  syncBuiltinESMExports();
  const work = [];
  for (const key of [forged(), wrongSecret, forged()]) {
    for (const spy of spies) spy.mockClear();
    expect((await ask(key)).status).toBe(401);
    work.push(spies.map((spy) => spy.mock.calls.length));
  }
  for (const spy of spies) spy.mockRestore();
  syncBuiltinESMExports();
  // The first one also prepares the statements of its connection.
  expect(work[1]).toEqual(work[2]);
  expect(work[2]![1]).toBe(2);
});

it('A bounded number of addresses is remembered, the latest ones', () => {
  const wrongKeys = new WrongKeys({ limit: 1, now: () => 0 });
  const addressOf = (number: number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
  for (let number = 0; number <= 20_000; number++) wrongKeys.noteWrong(addressOf(number), 'nonsense');
  expect(wrongKeys.waitSeconds(addressOf(0), 'nonsense')).toBeUndefined();
  for (const number of [1, 20_000]) expect(wrongKeys.waitSeconds(addressOf(number), 'nonsense')).toBe(60);
});

it.each<{ settings: Record<string, string>; statuses: number[] }>([
  { settings: {}, statuses: [401, 401, 401, 401] },
  { settings: { WRONG_KEYS_PER_MINUTE: '2' }, statuses: [401, 401, 429, 429] },
  { settings: { WRONG_KEYS_PER_MINUTE: '0' }, statuses: [401, 401, 401, 401] },
])('The service with $settings answers four wrong keys with $statuses', async ({ settings, statuses }) => {
  const service = await startTestService({ worker: false, settings });
  const answers = [];
  for (let count = 0; count < 4; count++) {
    answers.push((await service.call('GET', '/models', undefined, { authorization: `Bearer ${forged()}` })).status);
  }
  await service.close();
  expect(answers).toEqual(statuses);
});
