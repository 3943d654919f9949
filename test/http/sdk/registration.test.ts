import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NativeService, openNativeService, type Send } from '../native-service.ts';

const URL = '/api/accounts/register';
const BODY = {
  company: 'Example Works',
  firstName: 'Ada',
  lastName: 'Byron',
  email: 'ada@example.org',
  password: 'a very private text',
  timeZone: 'Europe/London',
  agreement: true,
};

describe('open registration', () => {
  let service: NativeService;
  let send: Send;
  beforeAll(async () => {
    service = await openNativeService({ settings: { isRegistrationOpen: true } });
    send = service.sendAs('');
  });
  afterAll(() => service.close());

  it('Registration answers with an account whose fields are strings', async () => {
    const { status, body } = await send('POST', URL, { ...BODY, email: ' Ada.Byron@Example.org ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      disabledAt: null,
      company: 'Example Works',
      name: 'Ada Byron',
      firstName: 'Ada',
      lastName: 'Byron',
      email: 'ada.byron@example.org',
      apiKey: expect.stringMatching(/^bks_\w{8}_\w{32}_\w{6}$/),
      timeZone: 'Europe/London',
      customerId: expect.stringMatching(/^\S+$/),
    });
  });

  it('Registered accounts are separate', async () => {
    const keys = [];
    for (const email of ['one@example.org', 'two@example.org']) {
      keys.push((await send('POST', URL, { ...BODY, email })).body.apiKey);
    }
    const model = await service.sendAs(keys[0]!)('POST', '/api/models', { name: 'Of the first' });
    expect((await service.sendAs(keys[1]!)('GET', `/api/models/${model.body.id}`)).status).toBe(404);
  });

  it('Registration gives no second key for an address in any case, nor for an account that a command created', async () => {
    await service.makeKey('operator@example.org');
    expect((await send('POST', URL, { ...BODY, email: 'twice@example.org' })).status).toBe(201);
    for (const email of ['TWICE@example.org', 'operator@example.org']) {
      const refused = await send('POST', URL, { ...BODY, email });
      expect([refused.status, refused.body.errors[0].property]).toEqual([400, 'email']);
      expect(refused.text).not.toContain('bks_');
    }
  });

  it('Simultaneous registrations create one account', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => send('POST', URL, { ...BODY, email: 'race@example.org' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  });

  describe('with an Idempotency-Key', () => {
    const named = () => ({ 'idempotency-key': crypto.randomUUID() });
    const person = () => ({ ...BODY, email: `${crypto.randomUUID()}@example.org` });

    it('A repeated registration takes effect once and returns the same working key', async () => {
      const [body, key] = [person(), named()];
      const first = await send('POST', URL, body, key);
      expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
      const again = await send('POST', URL, body, key);
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect((await service.sendAs(again.body.apiKey)('GET', '/api/models')).status).toBe(200);
    });

    it('Simultaneous registrations with one Idempotency-Key create one account with one key', async () => {
      const [body, key] = [person(), named()];
      const answers = await Promise.all([1, 2, 3, 4].map(() => send('POST', URL, body, key)));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]!.status).toBe(201);
    });

    it('A changed body, even only a changed password, is refused with 422, and another key or none as an existing account', async () => {
      const [body, key] = [person(), named()];
      await send('POST', URL, body, key);
      const other = await send('POST', URL, { ...body, password: 'guessed' }, key);
      expect([other.status, other.body.type]).toEqual([422, 'urn:backsolve:problem:idempotency-key-reused']);
      for (const headers of [named(), {}]) {
        const refused = await send('POST', URL, body, headers);
        expect([refused.status, refused.body.errors[0].property]).toEqual([400, 'email']);
      }
    });

    it('The key is returned again for 24 hours and no longer', async () => {
      const [body, key] = [person(), named()];
      await send('POST', URL, body, key);
      await sql`update idempotency_keys set created_at = now() - interval '24 hours'`.execute(service.db);
      expect((await send('POST', URL, body, key)).status).toBe(400);
    });

    it('An Idempotency-Key of fewer than 32 characters is refused and nothing happens', async () => {
      const body = person();
      const refused = await send('POST', URL, body, { 'idempotency-key': 'k'.repeat(31) });
      expect([refused.status, refused.body.errors[0].property]).toEqual([400, 'Idempotency-Key']);
      expect((await send('POST', URL, body, named())).status).toBe(201);
    });

    it('The database contains neither the API key nor the Idempotency-Key nor the password', async () => {
      const [body, key] = [person(), named()];
      const { body: account } = await send('POST', URL, body, key);
      const { rows } = await sql<{ row: string }>`
        select i::text || convert_from(fingerprint, 'latin1') as row from idempotency_keys i
        where account_id = ${account.id}`.execute(service.db);
      expect(rows).toHaveLength(1);
      const secrets = [account.apiKey, account.apiKey.split('_')[2], key['idempotency-key'], body.password];
      for (const secret of secrets) {
        for (const text of [secret, Buffer.from(secret).toString('base64').slice(0, -3)]) {
          expect(rows[0]!.row).not.toContain(text);
        }
      }
    });
  });

  it('Registration accepts what clients of an older version send', async () => {
    const { name, ...older } = { ...BODY, name: 'Grace Brewster Hopper', email: 'grace@example.org' };
    const { firstName: _, lastName: __, agreement: ___, ...rest } = older;
    const made = await send('POST', URL, { ...rest, name });
    expect(made.body).toMatchObject({ name, firstName: 'Grace', lastName: 'Brewster Hopper' });
    const only = await send('POST', URL, { ...BODY, lastName: null, timeZone: null, email: 'only@example.org' });
    expect(only.body).toMatchObject({ name: 'Ada', lastName: '', timeZone: 'UTC' });
  });

  it('Registration names everything missing or wrong and never shows a password', async () => {
    const empty = await send('POST', URL, {});
    const properties = (body: { errors: { property: string }[] }) => body.errors.map((error) => error.property);
    expect(properties(empty.body)).toEqual(['company', 'email', 'password', 'firstName']);
    const wrong = await send('POST', URL, { ...BODY, email: 'nowhere', password: 12_345_678, agreement: false });
    expect(properties(wrong.body)).toEqual(['email', 'password', 'agreement']);
    expect(wrong.text).not.toContain('12345678');
    expect(service.logLines.join('')).not.toContain(BODY.password);
  });

  it('The database contains no password', async () => {
    await send('POST', URL, { ...BODY, email: 'kept@example.org' });
    const rows = await service.db.selectFrom('accounts').selectAll().execute();
    expect(JSON.stringify(rows)).toContain('kept@example.org');
    expect(JSON.stringify(rows)).not.toContain(BODY.password);
  });
});

it('Registrations count for the address of the caller', async () => {
  const service = await openNativeService({ settings: { isRegistrationOpen: true, rateLimitPerMinute: 2 } });
  const send = service.sendAs('');
  const statuses = [];
  for (const email of ['a@x.org', 'b@x.org', 'c@x.org'])
    statuses.push((await send('POST', URL, { ...BODY, email })).status);
  expect(statuses).toEqual([201, 201, 429]);
  await service.close();
});

it('Registration is closed unless the settings open it, with or without a key', async () => {
  const service = await openNativeService();
  for (const send of [service.send, service.sendAs('')]) {
    const refused = await send('POST', URL, BODY);
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('closed');
  }
  expect(await service.db.selectFrom('accounts').select('name').execute()).toEqual([{ name: 'test' }]);
  await service.close();
});
