/** No log line at any level contains a secret, whatever goes wrong, and no dump of the database a usable key. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/application/accounts/browser-sessions.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { type Service, startService } from '../../src/composing/compose.ts';
import { formatApiKey, makeApiKey, parseApiKey } from '../../src/domain/accounts/api-key.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { openSharedEngine } from '../support/shared-engine.ts';

const PASSWORD = 'correct-horse-battery';
const ACCOUNT = { account: 'test', label: null, scopes: ['read', 'write', 'admin'], expiresAt: null } as const;

let database: TestDatabase;
let service: Service;
let key: string;
const lines: string[] = [];
const secrets = new Map<string, string>();

beforeAll(async () => {
  database = await createTestDatabase();
  const config = loadConfig({
    DATABASE_URL: database.url,
    PORT: '0',
    LOG_LEVEL: 'trace',
    ALLOW_REGISTRATION: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ENGINE_THREADS: '1',
    MAXIMUM_EVENT_LOOP_DELAY_MS: '0',
  });
  const log = makeLog({ level: 'trace', destination: { write: (line: string) => void lines.push(line) } });
  service = await startService(config, database.url, log, { ingress: true, worker: true, engine: openSharedEngine() });
  key = await createKey(service.db, ACCOUNT);
  remember('key', key);
  secrets.set('password', PASSWORD);
  const databasePassword = new URL(database.url).password;
  if (databasePassword !== '') secrets.set('database password', databasePassword);
  await drive();
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

function remember(name: string, text: string): void {
  secrets.set(`${name} text`, text);
  secrets.set(`${name} secret`, parseApiKey(text)!.secret);
}

async function send(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const auth = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
  const response = await fetch(`${service.url}${path}`, { method, headers: auth, ...(body !== undefined && { body }) });
  return { status: response.status, body: (await response.json().catch(() => undefined)) as Record<string, string> };
}

/** Sends requests that succeed, fail, crash and are cut off, with secrets wherever a client might put them. */
async function drive(): Promise<void> {
  const wrong = formatApiKey(makeApiKey());
  remember('unknown key', wrong);
  const statuses = [
    (await send('POST', '/api/models', JSON.stringify({ name: 'some model', password: PASSWORD, apiKey: key }))).status,
    (await send('POST', '/v1/models', JSON.stringify({ name: 'a model', password: PASSWORD, [key]: key }))).status,
    (await send('GET', '/v1/models', undefined, { authorization: `Bearer ${wrong}` })).status,
    (await send('GET', '/v1/models', undefined, { authorization: '', 'x-api-key': wrong })).status,
    (await send('GET', '/v1/models', undefined, { authorization: '', 'x-api-key': key })).status,
    (await send('GET', `/v1/models?api_key=${key}&password=${PASSWORD}`)).status,
    (await send('GET', `/v1/${key}/${PASSWORD}`)).status,
    (await send('POST', '/v1/models', `{"password": "${PASSWORD}", "key": "${key}"`)).status,
    (await send('POST', '/v1/models', JSON.stringify({ name: 7, password: PASSWORD, secret: key }))).status,
    (await send('POST', '/v1/models', JSON.stringify({ name: key }), { 'idempotency-key': 'once' })).status,
    (await send('POST', '/v1/models', key, { 'content-type': 'text/plain' })).status,
  ];
  expect(statuses).toEqual([201, 400, 401, 401, 200, 200, 404, 400, 400, 201, 415]);
  const owner = { company: 'c', firstName: 'f', lastName: 'l', email: 'f@l.example', timeZone: 'UTC', agreement: true };
  const registered = await send('POST', '/api/accounts/register', JSON.stringify({ ...owner, password: PASSWORD }), {
    'idempotency-key': crypto.randomUUID(),
  });
  expect(registered.status).toBe(201);
  remember('registered key', registered.body['apiKey']!);
  await send('POST', '/api/accounts/register', JSON.stringify({ ...owner, password: PASSWORD }));
  const hook = await send('POST', '/v1/webhooks', JSON.stringify({ url: 'http://127.0.0.1:1/' }));
  expect(hook.status).toBe(201);
  secrets.set('webhook secret', hook.body['secret']!.replace('whsec_', ''));
  await useSessions();
  await crash();
}

/** Signs in by key and by link, twice with the same one, and uses and forges cookies. */
async function useSessions(): Promise<void> {
  const link = await createSignInLink(service.db, ACCOUNT.account);
  secrets.set('link key', link);
  const statuses: number[] = [];
  for (const credentials of [{ key }, { token: link }, { token: link }]) {
    const signedIn = await fetch(`${service.url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    statuses.push(signedIn.status);
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0];
    if (cookie === undefined) continue;
    secrets.set(`session key ${statuses.length}`, cookie.split('=')[1]!);
    const { pageSecret } = (await signedIn.json()) as { pageSecret: string };
    secrets.set(`page secret ${statuses.length}`, pageSecret);
    const headers = { cookie, 'x-page-secret': pageSecret };
    statuses.push((await fetch(`${service.url}/v1/models`, { headers })).status);
    statuses.push((await fetch(`${service.url}/v1/models`, { method: 'POST', headers })).status);
  }
  expect(statuses).toEqual([201, 200, 403, 201, 200, 403, 401]);
}

/** Makes the service fail with the statement and its values in the error. */
async function crash(): Promise<void> {
  await sql`alter table models rename to models_away`.execute(service.db);
  const crashed = await send('POST', '/api/models', JSON.stringify({ name: 'more models', password: PASSWORD }));
  expect(crashed.status).toBe(500);
  await sql`alter table models_away rename to models`.execute(service.db);
  await sql`alter table api_keys rename to api_keys_away`.execute(service.db);
  expect((await send('GET', '/v1/models')).status).toBe(500);
  await sql`alter table api_keys_away rename to api_keys`.execute(service.db);
  const url = new URL(database.url);
  url.port = '1';
  const log = makeLog({ level: 'trace', destination: { write: (line: string) => void lines.push(line) } });
  const config = loadConfig({ DATABASE_URL: url.href, PORT: '0', LOG_LEVEL: 'trace' });
  const away = await startService(config, url.href, log, { ingress: true, worker: true, engine: openSharedEngine() });
  const answer = await fetch(`${away.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(503);
  await away.close();
}

describe('the log', () => {
  it('The log has lines about what happened', () => {
    const events = new Set(lines.map((line) => JSON.parse(line).msg));
    expect([...events]).toEqual(
      expect.arrayContaining(['request.answered', 'request.failed', 'request.unavailable', 'listen.connection-lost']),
    );
  });

  it('The log contains no key or part of one, no password and no header with them', () => {
    const text = lines.join('');
    for (const [name, secret] of secrets) expect(text.includes(secret), name).toBe(false);
    expect(text).not.toMatch(/bearer /i);
    expect(text).not.toMatch(/"authorization":\s*"(?!\[removed\])/i);
    expect(text).not.toMatch(/whsec_/);
    expect(secrets.size).toBeGreaterThanOrEqual(11);
  });
});

describe('a dump of the database', () => {
  it('A dump of the database contains no usable key', async () => {
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public'`.execute(service.db);
    expect(tables.length).toBeGreaterThan(10);
    let dump = '';
    for (const { name } of tables) {
      const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(
        service.db,
      );
      dump += rows.map(({ text }) => text).join('\n');
    }
    // A client that names a model after its key stores the key itself.
    dump = dump.replaceAll(key, '');
    expect(dump).toContain(parseApiKey(key)!.keyId);
    for (const [name, text] of secrets) {
      if (!name.includes('key') && name !== 'password') continue;
      for (const encoding of ['utf8', 'hex', 'base64'] as const) {
        expect(dump.includes(Buffer.from(text).toString(encoding)), `${name} as ${encoding}`).toBe(false);
      }
    }
  });

  it('The stored hash does not work as a secret', async () => {
    const { rows } = await sql<{ keyId: string; hash: Buffer }>`
      select key_id as "keyId", secret_hash as hash from api_keys`.execute(service.db);
    for (const { keyId, hash } of rows) {
      expect(hash).toHaveLength(32);
      for (const secret of [
        hash.toString('hex').slice(0, 32),
        hash.toString('latin1'),
        hash.toString('base64').slice(0, 32),
      ]) {
        const forged = formatApiKey({ keyId, secret });
        const headers = { authorization: `Bearer ${encodeURIComponent(forged)}` };
        expect((await fetch(`${service.url}/v1/models`, { headers })).status).toBe(401);
      }
    }
  });
});
