/** Keys of an account over HTTP: creation, lists, changes, rotation, revocation, and what a key must not do. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { MAXIMUM_KEYS } from '../../src/application/accounts/manage-account-keys.ts';
import { parseApiKey } from '../../src/domain/accounts/api-key.ts';
import { type Answered, type NativeService, openNativeService, type Send } from './native-service.ts';

const FUTURE = '2099-12-31T12:00:00.000Z';
const KEYS = '/v1/keys';

let service: NativeService;
/** Another process on the same database. */
let other: NativeService;
beforeAll(async () => {
  service = await openNativeService();
  other = await openNativeService({ deps: { db: service.db } });
});
afterAll(async () => {
  await other.close();
  await service.close();
});

let accounts = 0;
/** An account with one key, which has all scopes by default. */
async function openAccount(scopes?: Parameters<NativeService['makeKey']>[1]) {
  const account = `account ${++accounts}`;
  const text = await service.makeKey(account, scopes);
  const send = service.sendAs(text);
  const { rows } = await sql<{ id: number }>`
    select id from api_keys where key_id = ${parseApiKey(text)!.keyId}`.execute(service.db);
  const make = async (body: object = {}) => {
    const made = await send('POST', KEYS, { scopes: ['read', 'write', 'admin'], ...body });
    expect(made.status, made.text).toBe(201);
    return { ...made.body, url: `${KEYS}/${made.body.id}`, send: service.sendAs(made.body.key) };
  };
  return { account, text, id: rows[0]!.id, url: `${KEYS}/${rows[0]!.id}`, send, make };
}

const works = async (text: string) => (await service.sendAs(text)('GET', '/v1/models')).status === 200;
/** Moves the expiry of the account's keys into the past, by the database's clock. */
const passTime = (id: number) =>
  sql`update api_keys set expires_at = now() - interval '1 ms' where id = ${id}`.execute(service.db);
const expectRefusal = ({ status, body, text }: Answered, expected: number, detail: RegExp) => {
  expect({ status, text }).toMatchObject({ status: expected });
  expect(body.detail).toMatch(detail);
};

describe('a new key', () => {
  it('A new key works immediately, and no other answer contains its text', async () => {
    const { send, text } = await openAccount();
    const made = await send('POST', KEYS, {
      scopes: ['read'],
      label: 'auditors',
      expiresAt: '2099-12-31T14:00:00+02:00',
    });
    expect(made.status).toBe(201);
    expect(made.headers['location']).toBe(`${KEYS}/${made.body.id}`);
    const { key, ...record } = made.body;
    expect(record).toEqual({
      id: expect.any(Number),
      keyId: parseApiKey(key)!.keyId,
      label: 'auditors',
      scopes: ['read'],
      createdAt: expect.any(String),
      expiresAt: FUTURE,
      lastUsedAt: null,
      revokedAt: null,
      successorId: null,
      personId: null,
      personName: null,
      createdBy: parseApiKey(text)!.keyId,
    });
    expect(await works(key)).toBe(true);
    const read = await send('GET', made.headers['location'] as string);
    expect(read.body).toEqual(record);
    const listed = await send('GET', KEYS);
    expect(listed.body.map((each: { keyId: string }) => each.keyId)).toEqual([parseApiKey(text)!.keyId, record.keyId]);
    expect(listed.body[1]).toEqual(record);
    for (const answer of [read, listed]) expect(answer.text).not.toContain(parseApiKey(key)!.secret);
  });

  it('A new key has exactly the requested scopes, each once', async () => {
    const { make } = await openAccount();
    const { scopes, send } = await make({ scopes: ['write', 'read', 'write'] });
    expect(scopes).toEqual(['write', 'read']);
    expect((await send('GET', KEYS)).status).toBe(403);
  });

  it('A new key cannot have a scope that the requesting key lacks', async () => {
    const { send } = await openAccount(['admin', 'read']);
    const refused = await send('POST', KEYS, { scopes: ['read', 'write'] });
    expectRefusal(refused, 403, /lacks \(write\)/);
    expect((await send('POST', KEYS, { scopes: ['read', 'admin'] })).status).toBe(201);
    expect((await send('GET', KEYS)).body).toHaveLength(2);
  });

  test.each([
    ['no scopes', {}, ['scopes']],
    ['an empty list of scopes', { scopes: [] }, ['scopes']],
    ['an unknown scope', { scopes: ['read', 'root'] }, ['scopes[1]']],
    ['an empty label', { scopes: ['read'], label: '' }, ['label']],
    ['a label that is too long', { scopes: ['read'], label: 'x'.repeat(201) }, ['label']],
    ['a day as its expiry', { scopes: ['read'], expiresAt: '2099-12-31' }, ['expiresAt']],
    ['an expiry without an offset', { scopes: ['read'], expiresAt: '2099-12-31T12:00:00' }, ['expiresAt']],
    ['an expiry that is not a date', { scopes: ['read'], expiresAt: '2099-02-30T12:00:00Z' }, ['expiresAt']],
    ['an expiry after the year 9999', { scopes: ['read'], expiresAt: '9999-12-31T23:30:00-01:00' }, ['expiresAt']],
    ['an expiry in the past', { scopes: ['read'], expiresAt: '2001-01-01T00:00:00Z' }, ['expiresAt']],
    ['a number as its expiry', { scopes: ['read'], expiresAt: 4_102_444_800 }, ['expiresAt']],
    ['several violations', { scopes: 'all', label: 5 }, ['label', 'scopes']],
  ])('A new key with %s is refused', async (_, body, properties) => {
    const { send } = await openAccount();
    const refused = await send('POST', KEYS, body);
    expect({ status: refused.status, text: refused.text }).toMatchObject({ status: 400 });
    expect(refused.body.errors.map((error: { property: string }) => error.property).toSorted()).toEqual(properties);
  });

  it(`An account has at most ${MAXIMUM_KEYS} usable keys`, async () => {
    const { id, send, url } = await openAccount();
    await sql`
      insert into api_keys (account_id, key_id, secret_hash)
      select account_id, 'filler' || n, '' from api_keys, generate_series(2, ${MAXIMUM_KEYS}::int) n
      where id = ${id}`.execute(service.db);
    expectRefusal(await send('POST', KEYS, { scopes: ['read'] }), 400, /1000 usable keys/);
    expectRefusal(await send('POST', `${url}/rotate`, { overlapSeconds: 60 }), 400, /1000 usable keys/);
    const { rows } = await sql<{ id: number }>`
      insert into api_keys (account_id, key_id, secret_hash, expires_at)
      select account_id, 'expired1', '', now() from api_keys where id = ${id} returning id`.execute(service.db);
    const expired = `${KEYS}/${rows[0]!.id}`;
    for (const expiresAt of [null, FUTURE])
      expectRefusal(await send('PATCH', expired, { expiresAt }), 400, /1000 usable keys/);
    expect((await send('PATCH', expired, { label: 'old' })).body).toMatchObject({ label: 'old' });
    const leaked = (await send('GET', `${KEYS}?limit=1&after=${id}`)).body[0];
    expect((await send('POST', `${KEYS}/${leaked.id}/rotate`, { overlapSeconds: 0 })).status).toBe(201);
    const page = await send('GET', `${KEYS}?limit=2`);
    expect(page.body).toHaveLength(2);
    const next = /<(.*)>; rel="next"/.exec(String(page.headers['link']))![1]!;
    const [third] = (await send('GET', next)).body;
    expect(third.id).toBeGreaterThan(page.body[1].id);
    expect((await send('DELETE', `${KEYS}/${third.id}`)).status).toBe(204);
    expect((await send('PATCH', expired, { expiresAt: null })).status).toBe(200);
    expectRefusal(await send('POST', KEYS, { scopes: ['read'] }), 400, /1000 usable keys/);
  });
});

describe('secrets with an Idempotency-Key', () => {
  const named = () => ({ 'idempotency-key': crypto.randomUUID() });

  it.each([
    ['a key is created once and its text is repeated', KEYS, { scopes: ['read'] }],
    ['a key is rotated once and its successor is repeated', 'rotate', { overlapSeconds: 600 }],
  ])('%s', async (_, path, body) => {
    const { send, url } = await openAccount();
    const headers = named();
    const target = path === KEYS ? KEYS : `${url}/${path}`;
    const first = await send('POST', target, body, headers);
    const again = await send('POST', target, body, headers);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', location: first.headers['location'] });
    expect(await works(again.body.key)).toBe(true);
    expect((await send('GET', KEYS)).body).toHaveLength(2);
  });

  it('The text of a key and the secret of a webhook are not in the database', async () => {
    const { send, url } = await openAccount();
    const secrets: string[] = [];
    for (const [target, body] of [
      [KEYS, { scopes: ['read'] }],
      [`${url}/rotate`, { overlapSeconds: 600 }],
      ['/v1/webhooks', { url: 'https://receiver.example/' }],
    ] as const) {
      const made = await send('POST', target, body, named());
      secrets.push(parseApiKey(made.body.key ?? '')?.secret ?? made.body.secret.replace('whsec_', ''));
    }
    const { rows } = await sql<{ text: string }>`select i::text as text from idempotency_keys i`.execute(service.db);
    const stored = rows.map(({ text }) => text).join('\n');
    expect(stored).toContain('sealed');
    for (const secret of secrets) {
      for (const text of [secret, Buffer.from(secret).toString('base64').slice(0, -3)])
        expect(stored).not.toContain(text);
    }
  });

  it('The text of a key is not repeated to another key of the account', async () => {
    const { send, make } = await openAccount();
    const helper = await make();
    const headers = named();
    const first = await send('POST', KEYS, { scopes: ['read'] }, headers);
    const foreign = await helper.send('POST', KEYS, { scopes: ['read'] }, headers);
    expectRefusal(foreign, 422, /only to the API key that first received it/);
    expect(foreign.text).not.toContain(parseApiKey(first.body.key)!.secret);
  });

  it('The refusal for a missing scope is not stored', async () => {
    const { send, make } = await openAccount();
    const narrow = await make({ scopes: ['admin'] });
    const headers = named();
    expect((await narrow.send('POST', KEYS, { scopes: ['read'] }, headers)).status).toBe(403);
    expect((await send('POST', KEYS, { scopes: ['read'] }, headers)).status).toBe(201);
  });
});

describe('a change', () => {
  it('A change sets and removes the label of a key', async () => {
    const { send, url, text } = await openAccount();
    expect((await send('PATCH', url, { label: 'the rig' })).body).toMatchObject({ label: 'the rig', expiresAt: null });
    expect((await send('PATCH', url, {})).body).toMatchObject({ label: 'the rig' });
    expect((await send('PATCH', url, { label: null })).body).toMatchObject({ label: null });
    expect(await works(text)).toBe(true);
  });

  it('A change moves the expiry of a key, even of one that has expired', async () => {
    const { send, make } = await openAccount();
    const key = await make({ expiresAt: FUTURE });
    await passTime(key.id);
    expect(await works(key.key)).toBe(false);
    expect((await send('PATCH', key.url, { expiresAt: FUTURE })).body).toMatchObject({ expiresAt: FUTURE });
    expect(await works(key.key)).toBe(true);
    expect((await send('PATCH', key.url, { expiresAt: null })).body).toMatchObject({ expiresAt: null });
  });

  it('A change of a fixed field, to a past expiry or of a revoked key is refused', async () => {
    const { send, make } = await openAccount();
    const key = await make();
    for (const field of ['scopes', 'keyId', 'key', 'revokedAt']) {
      const refused = await send('PATCH', key.url, { [field]: null });
      expect([refused.status, refused.body.errors[0].property]).toEqual([400, field]);
    }
    expectRefusal(await send('PATCH', key.url, { expiresAt: '2001-01-01T00:00:00Z' }), 400, /revoke it/);
    await send('DELETE', key.url);
    expectRefusal(await send('PATCH', key.url, { label: 'x' }), 409, /is revoked.*create a new one/);
  });

  it('A change cannot shorten the life of the last admin key', async () => {
    const { send, url, make } = await openAccount();
    expectRefusal(await send('PATCH', url, { expiresAt: FUTURE }), 409, /Create another one first/);
    // A key that ends at the same instant would leave none after it.
    const second = await make({ expiresAt: FUTURE });
    expect((await send('PATCH', url, { expiresAt: FUTURE })).status).toBe(409);
    expect((await send('PATCH', second.url, { expiresAt: '2098-01-01T00:00:00Z' })).status).toBe(200);
    await make();
    expect((await send('PATCH', url, { expiresAt: FUTURE })).status).toBe(200);
    // A later end loses nothing.
    expect((await send('PATCH', url, { expiresAt: null })).status).toBe(200);
  });
});

describe('a rotation', () => {
  it('A rotation creates a successor like the old key, which works until the overlap ends', async () => {
    const { send, make } = await openAccount();
    const old = await make({ scopes: ['read'], label: 'the rig', expiresAt: FUTURE });
    const before = Date.now();
    const { status, headers, body } = await send('POST', `${old.url}/rotate`, { overlapSeconds: 3_600 });
    expect(status).toBe(201);
    expect(headers['location']).toBe(`${KEYS}/${body.id}`);
    expect(body).toMatchObject({ label: 'the rig', scopes: ['read'], expiresAt: FUTURE, successorId: null });
    expect(body.id).not.toBe(old.id);
    expect(body.predecessor).toMatchObject({ id: old.id, keyId: old.keyId, successorId: body.id });
    expect(Math.abs(Date.parse(body.predecessor.expiresAt) - before - 3_600_000)).toBeLessThan(60_000);
    expect((await send('GET', old.url)).body).toEqual(body.predecessor);
    expect([await works(old.key), await works(body.key)]).toEqual([true, true]);
    await passTime(old.id);
    expect([await works(old.key), await works(body.key)]).toEqual([false, true]);
  });

  it('A rotation without overlap ends the old key immediately', async () => {
    const { send, make } = await openAccount();
    const old = await make();
    const { body } = await send('POST', `${old.url}/rotate`, { overlapSeconds: 0 });
    expect([await works(old.key), await works(body.key)]).toEqual([false, true]);
  });

  it('A rotation does not extend a key that expires before the overlap ends', async () => {
    const { send, make } = await openAccount();
    const soon = new Date(Date.now() + 600_000).toISOString();
    const old = await make({ expiresAt: soon });
    const { body } = await send('POST', `${old.url}/rotate`, { overlapSeconds: 86_400 });
    expect([body.expiresAt, body.predecessor.expiresAt]).toEqual([soon, soon]);
  });

  it('A key is rotated once; if the new text is lost, the old key can rotate the successor', async () => {
    const { send, url } = await openAccount();
    const lost = await send('POST', `${url}/rotate`, { overlapSeconds: 600 });
    const second = await send('POST', `${url}/rotate`, { overlapSeconds: 600 });
    expectRefusal(second, 409, new RegExp(`successor is key ${lost.body.id} \\(${lost.body.keyId}\\)`));
    const found = await send('POST', `${KEYS}/${lost.body.id}/rotate`, { overlapSeconds: 0 });
    expect(found.body).toMatchObject({ expiresAt: null, scopes: ['read', 'write', 'admin'] });
    expect([await works(lost.body.key), await works(found.body.key)]).toEqual([false, true]);
  });

  it('A key that rotates itself has a minute to repeat the request', async () => {
    const { send, url } = await openAccount();
    const refused = await send('POST', `${url}/rotate`, { overlapSeconds: 59 });
    expect([refused.status, refused.body.errors[0].property]).toEqual([400, 'overlapSeconds']);
    expect((await send('POST', `${url}/rotate`, { overlapSeconds: 60 })).status).toBe(201);
  });

  it('A rotation does not give access to scopes that the requesting key lacks', async () => {
    const { url, make } = await openAccount();
    const narrow = await make({ scopes: ['admin'] });
    const refused = await narrow.send('POST', `${url}/rotate`, { overlapSeconds: 60 });
    expectRefusal(refused, 403, /lacks \(read and write\)/);
    expect(refused.text).not.toContain('bks_');
  });

  it('A rotation of a revoked or expired key is refused', async () => {
    const { send, make } = await openAccount();
    const [revoked, expired] = [await make(), await make()];
    await send('DELETE', revoked.url);
    await passTime(expired.id);
    expectRefusal(await send('POST', `${revoked.url}/rotate`, { overlapSeconds: 0 }), 409, /is revoked/);
    expectRefusal(await send('POST', `${expired.url}/rotate`, { overlapSeconds: 0 }), 409, /has expired/);
    expect((await send('GET', KEYS)).body).toHaveLength(3);
  });

  it('Simultaneous rotations create one successor', async () => {
    const { send, make } = await openAccount();
    // The first round opens the connections that the later ones use.
    for (let round = 1; round <= 3; round++) {
      const old = await make();
      const calls = [1, 2, 3, 4].map(() => send('POST', `${old.url}/rotate`, { overlapSeconds: 60 }));
      expect((await Promise.all(calls)).map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    }
  });

  test.each([
    [{}],
    [{ overlapSeconds: -1 }],
    [{ overlapSeconds: 0.5 }],
    [{ overlapSeconds: '60' }],
    [{ overlapSeconds: 2_592_001 }],
  ])('A rotation requires an overlap in whole seconds, not %j', async (body) => {
    const { send, url } = await openAccount();
    const refused = await send('POST', `${url}/rotate`, body);
    expect([refused.status, refused.body.errors[0].property]).toEqual([400, 'overlapSeconds']);
  });
});

describe('a revoked key', () => {
  it('A revoked key stops working immediately in every process and stays in the list', async () => {
    const { send, make } = await openAccount();
    const key = await make();
    const elsewhere: Send = other.sendAs(key.key);
    expect([(await key.send('GET', '/v1/models')).status, (await elsewhere('GET', '/api/models')).status]).toEqual([
      200, 200,
    ]);
    expect((await send('DELETE', key.url)).status).toBe(204);
    expect([(await key.send('GET', '/v1/models')).status, (await elsewhere('GET', '/api/models')).status]).toEqual([
      401, 401,
    ]);
    const { revokedAt } = (await send('GET', key.url)).body;
    expect(revokedAt).not.toBeNull();
    expect((await send('DELETE', key.url)).status).toBe(204);
    expect((await send('GET', key.url)).body).toMatchObject({ revokedAt });
  });

  it('A key may revoke itself if another admin key is left', async () => {
    const { send, url, text, make } = await openAccount();
    await make();
    expect((await send('DELETE', url)).status).toBe(204);
    expect(await works(text)).toBe(false);
  });

  it('The last admin key cannot be revoked', async () => {
    const { send, url, text, make } = await openAccount();
    await make({ scopes: ['read', 'write'] });
    const [expired, revoked] = [await make(), await make()];
    await passTime(expired.id);
    await send('DELETE', revoked.url);
    expectRefusal(await send('DELETE', url), 409, /Create another one first/);
    expect(await works(text)).toBe(true);
  });

  it('The successor of an expiring admin key cannot be revoked by it', async () => {
    const { send, url } = await openAccount();
    const successor = await send('POST', `${url}/rotate`, { overlapSeconds: 600 });
    const successorUrl = String(successor.headers['location']);
    expectRefusal(await send('DELETE', successorUrl), 409, /Create another one first/);
    expectRefusal(await send('PATCH', successorUrl, { expiresAt: FUTURE }), 409, /Create another one first/);
    expect((await service.sendAs(successor.body.key)('DELETE', url)).status).toBe(204);
  });

  it('An admin key is left even when two keys revoke each other, or themselves, at the same time', async () => {
    for (const isCrosswise of [true, false]) {
      const { send, url, text, make } = await openAccount();
      const second = await make();
      const calls = [
        send('DELETE', isCrosswise ? second.url : url),
        second.send('DELETE', isCrosswise ? url : second.url),
      ];
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 204)).toHaveLength(1);
      expect([await works(text), await works(second.key)].filter(Boolean)).toHaveLength(1);
    }
  });
});

it("another account's admin key changes nothing of a key, whatever it sends", async () => {
  const { url } = await openAccount();
  const stranger = await openAccount();
  for (const [method, path, body] of [
    ['GET', url],
    ['PATCH', url, { label: 'mine' }],
    ['DELETE', url],
    ['POST', `${url}/rotate`, { overlapSeconds: 0 }],
  ] as const) {
    expect((await stranger.send(method, path, body)).status).toBe(404);
  }
});

it('An id in the path is the number of the record and nothing else', async () => {
  const { send, text } = await openAccount();
  expect((await send('GET', `${KEYS}/${parseApiKey(text)!.keyId}`)).status).toBe(400);
  expect((await send('GET', `${KEYS}/999999`)).status).toBe(404);
});
