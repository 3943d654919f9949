/** Sessions of the page: signing in by key and by link, and what a cookie may do and where. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { findFreePort } from '../../harness/free-port.ts';
import { execute } from '../../harness/one-statement.ts';
import { createSignInLink } from '../../src/application/accounts/browser-sessions.ts';
import { parseApiKey, SCOPES } from '../../src/domain/accounts/api-key.ts';
import { LIFETIME_DAYS, MAXIMUM_SESSIONS } from '../../src/domain/accounts/browser-session.ts';
import { WrongKeys } from '../../src/http/fairness/wrong-keys.ts';
import { startTestService } from '../support/service.ts';
import { readValue, scrape } from '../telemetry/scrape.ts';
import { type NativeService, openNativeService, prepareTrial } from './native-service.ts';
import { type Headers, HOST, makeVisitors, SESSION_ENDED } from './session-browser.ts';

const HOUR_MS = 3_600_000;

let service: NativeService;
let clock = 0;
beforeAll(async () => {
  service = await openNativeService({
    settings: { trustProxy: ['10.0.0.1'] },
    deps: { wrongSignIns: new WrongKeys({ limit: 10, now: () => clock }) },
  });
});
afterAll(() => service.close());

const { openBrowser, openAccount, signIn } = makeVisitors(() => service);

const CROSS_SITE = { status: 403, body: { type: 'urn:backsolve:problem:cross-site-write' } };

describe('signing in by key', () => {
  it('answers with account, scopes and end, and from then on the cookie is the key', async () => {
    const before = Date.now();
    const { account, keyId, answer, send } = await signIn(['read', 'write']);
    const shown = {
      account,
      scopes: ['read', 'write'],
      keyId,
      person: null,
      role: null,
      expiresAt: expect.any(String),
    };
    expect(answer.body).toEqual({ ...shown, pageSecret: expect.stringMatching(/^\w{41}$/) });
    const days = (Date.parse(answer.body.expiresAt) - before) / (24 * HOUR_MS);
    expect(days).toBeCloseTo(LIFETIME_DAYS, 2);
    expect((await send('GET', '/session')).body).toEqual(shown);
    expect(await send('POST', '/v1/models', { name: 'made on the page' })).toMatchObject({ status: 201 });
    const listed = await send('GET', '/v1/models');
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(['made on the page']);
    expect((await send('GET', '/v1/account')).body).toMatchObject({ name: account });
  });

  it('gives each account its own data', async () => {
    const [one, two] = [await signIn(), await signIn()];
    const made = await one.send('POST', '/v1/models', { name: 'of one' });
    expect((await two.send('GET', '/v1/models')).body).toEqual([]);
    expect((await two.send('GET', `/v1/models/${made.body.id}`)).status).toBe(404);
    expect((await one.send('GET', `/v1/models/${made.body.id}`)).status).toBe(200);
  });

  it('gives the scopes of the key and no more', async () => {
    const reader = await signIn(['read']);
    expect((await reader.send('GET', '/v1/models')).status).toBe(200);
    expect((await reader.send('POST', '/v1/models', { name: 'no' })).body).toMatchObject({
      type: 'urn:backsolve:problem:forbidden',
    });
    expect((await reader.send('GET', '/v1/keys')).status).toBe(403);
    const admin = await signIn(['admin']);
    expect((await admin.send('GET', '/v1/keys')).status).toBe(200);
    expect((await admin.send('GET', '/v1/models')).status).toBe(403);
    expect((await admin.send('POST', '/v1/keys', { scopes: ['read'] })).status).toBe(403);
  });

  test.each([
    ['nothing', {}, 400, 'send either'],
    ['both', { key: 'a', token: 'b' }, 400, 'send either'],
    ['an unknown field', { password: 'a' }, 400, 'password'],
    ['no text', { key: 7 }, 400, 'key: must be a string'],
    ['a malformed key', { key: 'bks_nonsense' }, 401, 'This API key is not valid'],
    ['a malformed token', { token: 'nonsense' }, 401, 'npx backsolve page'],
  ])('refuses %s with a problem that says what is wrong', async (_, body, status, detail) => {
    clock += 60_000;
    const browser = openBrowser();
    const answer = await browser.send('POST', '/session', body);
    expect(answer).toMatchObject({ status, set: undefined });
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.body.detail).toContain(detail);
    if (status === 401) expect(answer.body.errors).toMatchObject([{ pointer: `/${Object.keys(body)[0]}` }]);
  });

  it('ends the earlier session of the browser', async () => {
    const browser = await signIn();
    const stolen = openBrowser();
    stolen.steal(browser.cookie(), browser.pageSecret());
    const { key } = await openAccount();
    expect((await browser.send('POST', '/session', { key })).status).toBe(201);
    expect(await stolen.send('GET', '/v1/models')).toMatchObject(SESSION_ENDED);
    expect((await browser.send('GET', '/v1/models')).status).toBe(200);
  });

  it(`ends the oldest session of a key beyond ${MAXIMUM_SESSIONS}, and of no other`, async () => {
    const first = await signIn();
    const other = openBrowser();
    await other.send('POST', '/session', { key: await service.makeKey(first.account) });
    await sql`
      insert into browser_sessions (token_hash, page_hash, account_id, key_id, scopes, expires_at)
      select sha256(n::text::bytea), s.page_hash, s.account_id, s.key_id, s.scopes, s.expires_at
      from (select s.* from browser_sessions s join api_keys k on k.id = s.key_id and k.key_id = ${first.keyId}) s,
        generate_series(2, ${MAXIMUM_SESSIONS}::int) n`.execute(service.db);
    expect((await first.send('GET', '/v1/models')).status).toBe(200);
    expect((await openBrowser().send('POST', '/session', { key: first.key })).status).toBe(201);
    expect((await first.send('GET', '/v1/models')).status).toBe(401);
    expect((await other.send('GET', '/v1/models')).status).toBe(200);
  });
});

describe('signing in by link', () => {
  const linkTo = (account: string) => createSignInLink(service.db, account);

  it('gives all scopes of the account that the link was made for', async () => {
    const { account } = await openAccount(['read']);
    const browser = openBrowser();
    const answer = await browser.send('POST', '/session', { token: await linkTo(account) });
    expect(answer).toMatchObject({ status: 201, body: { account, scopes: SCOPES, keyId: null } });
    expect((await browser.send('GET', '/v1/keys')).body).toHaveLength(1);
    const made = await browser.send('POST', '/v1/keys', { scopes: ['read', 'write', 'evaluate', 'admin'] });
    expect(made.status).toBe(201);
  });

  it('works once, whoever is first', async () => {
    const { account } = await openAccount();
    const token = await linkTo(account);
    const tries = await Promise.all([1, 2, 3].map(() => openBrowser().send('POST', '/session', { token })));
    expect(tries.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    const refused = tries.find(({ status }) => status === 401)!;
    expect(refused.body).toMatchObject({ type: 'urn:backsolve:problem:link-ended' });
    expect(refused.set).toBeUndefined();
  });

  it('works for 15 minutes', async () => {
    const { account } = await openAccount();
    const [early, late] = [await linkTo(account), await linkTo(account)];
    const age = (text: string) =>
      sql`update sign_in_links set expires_at = expires_at - ${text}::interval where used_at is null`.execute(
        service.db,
      );
    await age('14 minutes 50 seconds');
    expect((await openBrowser().send('POST', '/session', { token: early })).status).toBe(201);
    await age('10 seconds');
    expect((await openBrowser().send('POST', '/session', { token: late })).status).toBe(401);
  });

  it('stands in the log of corrections in place of a key', async () => {
    const { account } = await openAccount();
    const browser = openBrowser();
    await browser.send('POST', '/session', { token: await linkTo(account) });
    const { trialUrl } = await prepareTrial(browser.send);
    const corrected = await browser.send('POST', `${trialUrl}/cases/1/corrections`, {
      output: [1, 2, 3],
      reason: 'read off the wrong gauge',
    });
    expect(corrected.status, corrected.text).toBe(200);
    const log = await browser.send('GET', `${trialUrl}/corrections`);
    expect(log.body.map(({ correctedBy }: { correctedBy: string }) => correctedBy)).toEqual(['sign-in link']);
  });
});

describe('writes by cookie', () => {
  const write = (browser: Pick<ReturnType<typeof openBrowser>, 'send'>, headers: Headers) =>
    browser.send('POST', '/v1/models', { name: `model ${crypto.randomUUID()}` }, headers);

  test.each<[string, Headers, number]>([
    ['from the page itself', { 'sec-fetch-site': 'same-origin' }, 201],
    ['from a browser that only says the origin', { origin: `http://${HOST}` }, 201],
    [
      'from a page on another port of the host',
      { 'sec-fetch-site': 'same-site', origin: 'http://rig.example:3000' },
      403,
    ],
    ['from another port, without Sec-Fetch-Site', { origin: 'http://rig.example:3000' }, 403],
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
    ['from another site that forges the origin', { 'sec-fetch-site': 'cross-site', origin: `http://${HOST}` }, 403],
    ['from the address bar', { 'sec-fetch-site': 'none' }, 403],
    ['from a page without an origin', { origin: 'null' }, 403],
    ['over https', { origin: `https://${HOST}` }, 403],
    ['that say nothing', {}, 403],
  ])('%s', async (_, headers, status) => {
    const browser = await signIn();
    const answer = await write(browser, headers);
    expect(answer.status, answer.text).toBe(status);
    const models = (await browser.send('GET', '/v1/models', undefined, headers)).body;
    expect(models).toHaveLength(status === 201 ? 1 : 0);
    if (status === 403) expect(answer.body.detail).toContain(`Origin: http://${HOST}`);
  });

  it('Signing in or out from another page is refused, and programs may sign in', async () => {
    const { key, ...browser } = await signIn();
    const forgeries: Headers[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }];
    for (const forged of forgeries) {
      expect(await openBrowser().send('POST', '/session', { key }, forged)).toMatchObject(CROSS_SITE);
      expect(await browser.send('DELETE', '/session', undefined, forged)).toMatchObject(CROSS_SITE);
    }
    expect(await browser.send('DELETE', '/session', undefined, {})).toMatchObject(CROSS_SITE);
    expect((await browser.send('GET', '/v1/models')).status).toBe(200);
    expect((await openBrowser().send('POST', '/session', { key }, {})).status).toBe(201);
  });
});

describe('what a cookie does not do', () => {
  it('It counts for nothing under /api', async () => {
    const { key, ...browser } = await signIn();
    expect(await browser.send('GET', '/api/models')).toMatchObject({
      status: 401,
      body: { type: 'urn:backsolve:problem:unauthenticated' },
    });
    const authorization = `Bearer ${key}`;
    expect((await browser.send('GET', '/api/models', undefined, { authorization })).status).toBe(200);
  });

  it('A key in a header goes first, right or wrong, and needs no proof of the page', async () => {
    const browser = await signIn();
    const other = await openAccount();
    await browser.send('POST', '/v1/models', { name: 'of the session' });
    const withKey: Headers[] = [{ authorization: `Bearer ${other.key}` }, { 'x-api-key': other.key }];
    for (const headers of withKey) {
      expect((await browser.send('GET', '/v1/models', undefined, headers)).body).toEqual([]);
    }
    const authorization = `Bearer ${other.key}`;
    expect((await browser.send('POST', '/v1/models', { name: 'of the key' }, { authorization })).status).toBe(201);
    expect(await browser.send('GET', '/v1/models', undefined, { authorization: 'Bearer nonsense' })).toMatchObject({
      status: 401,
      body: { type: 'urn:backsolve:problem:unauthenticated' },
    });
  });

  it('The password of a proxy is no key: beside it the cookie counts', async () => {
    const browser = await signIn();
    expect((await browser.send('GET', '/v1/models', undefined, { authorization: 'Basic dTpw' })).status).toBe(200);
  });

  it('A token is no key, and a key is no token', async () => {
    const { key, ...browser } = await signIn();
    const authorization = `Bearer ${browser.token()}`;
    expect((await openBrowser().send('GET', '/v1/models', undefined, { authorization })).status).toBe(401);
    browser.steal(`bks_session_8080=${key}`, browser.pageSecret());
    expect(await browser.send('GET', '/v1/models')).toMatchObject(SESSION_ENDED);
    expect((await openBrowser().send('POST', '/session', { token: key })).status).toBe(401);
  });
});

describe('the cookie', () => {
  const ATTRIBUTES = /^(\S+)=\w{41}; Path=\/; Max-Age=(\d+); HttpOnly; SameSite=Strict(; Secure)?$/;

  test.each<[string, Parameters<typeof openBrowser>[0], string, string | undefined]>([
    ['over http', {}, 'bks_session_8080', undefined],
    ['over http on the usual port', { host: 'rig.example' }, 'bks_session_80', undefined],
    ['at an IPv6 address', { host: '[::1]:9090' }, 'bks_session_9090', undefined],
    [
      'behind a proxy that is trusted',
      { address: '10.0.0.1', over: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'backsolve.example' } },
      '__Host-bks_session',
      '; Secure',
    ],
    ['behind one that is not', { over: { 'x-forwarded-proto': 'https' } }, 'bks_session_8080', undefined],
  ])('%s', async (_, where, name, secure) => {
    const browser = await signIn(undefined, where);
    const [, given, seconds, flag] = ATTRIBUTES.exec(browser.answer.set!)!;
    expect([given, flag]).toEqual([name, secure]);
    expect(Number(seconds)).toBeGreaterThan(LIFETIME_DAYS * 86_400 - 60);
    expect(Number(seconds)).toBeLessThanOrEqual(LIFETIME_DAYS * 86_400);
    const origin = secure === undefined ? `http://${where!.host ?? HOST}` : 'https://backsolve.example';
    expect((await browser.send('POST', '/v1/models', { name: 'by cookie' }, { origin })).status).toBe(201);
    const out = await browser.send('DELETE', '/session');
    expect(out).toMatchObject({ status: 204, set: expect.stringMatching(new RegExp(`^${name}=; Path=/; Max-Age=0;`)) });
  });

  it('belongs to one port: the cookie of another service on the host is not looked at', async () => {
    const browser = await signIn();
    const elsewhere = openBrowser({ host: 'rig.example:9090' });
    elsewhere.steal(browser.cookie(), browser.pageSecret());
    expect(await elsewhere.send('GET', '/v1/models')).toMatchObject({
      status: 401,
      body: { type: 'urn:backsolve:problem:unauthenticated' },
    });
  });

  it('No answer may be kept by a cache', async () => {
    const browser = await signIn();
    const answers = [browser.answer, await browser.send('GET', '/session'), await browser.send('DELETE', '/session')];
    for (const { headers } of answers) expect(headers['cache-control']).toBe('no-store');
  });
});

describe('guesses', () => {
  it('After ten failures an address has to wait, except with keys that were right here', async () => {
    clock += 60_000;
    const address = '203.0.113.7';
    const known = await signIn(undefined, { address });
    const fresh = await openAccount();
    const from = (other: string) => openBrowser({ address: other });
    for (let count = 0; count < 5; count++) {
      expect((await from(address).send('POST', '/session', { key: 'bks_wrong' })).status).toBe(401);
      expect((await from(address).send('POST', '/session', { token: 'wrong' })).status).toBe(401);
    }
    const slowed = await from(address).send('POST', '/session', { key: fresh.key });
    expect(slowed).toMatchObject({ status: 429, body: { type: 'urn:backsolve:problem:too-many-wrong-keys' } });
    expect(slowed.headers['retry-after']).toBe('60');
    const token = await createSignInLink(service.db, fresh.account);
    expect((await from(address).send('POST', '/session', { token })).status).toBe(429);
    expect((await from(address).send('POST', '/session', { key: known.key })).status).toBe(201);
    expect((await known.send('GET', '/v1/models')).status).toBe(200);
    expect((await from('203.0.113.8').send('POST', '/session', { key: fresh.key })).status).toBe(201);
    clock += 60_000;
    expect((await from(address).send('POST', '/session', { token })).status).toBe(201);
  });

  it('Wrong secrets of pages count like wrong keys; sessions that were right here go on', async () => {
    const guarded = await openNativeService({ deps: { wrongKeys: new WrongKeys({ limit: 3, now: () => 0 }) } });
    type Secrets = Pick<ReturnType<typeof openBrowser>, 'cookie' | 'pageSecret'>;
    const get = async (secret: string, { cookie }: Pick<Secrets, 'cookie'>) => {
      const headers = { host: HOST, cookie: cookie(), 'x-page-secret': secret };
      return (await guarded.app.inject({ url: '/v1/models', headers })).statusCode;
    };
    const visitors = makeVisitors(() => guarded);
    const [known, unknown] = [await visitors.signIn(), await visitors.signIn()];
    expect(await get(known.pageSecret(), known)).toBe(200);
    for (let count = 0; count < 3; count++) expect(await get(`wrong${count}`, known)).toBe(401);
    expect(await get('wrong', known)).toBe(429);
    expect(await get(known.pageSecret(), known)).toBe(200);
    expect(await get(unknown.pageSecret(), unknown)).toBe(429);
    await guarded.close();
  });
});

it('Sign-ins and refusals are logged, without the secrets', async () => {
  clock += 60_000;
  const { key, ...browser } = await signIn(undefined, { address: '198.51.100.9' });
  await browser.send('DELETE', '/session');
  const token = await createSignInLink(service.db, browser.account);
  await openBrowser().send('POST', '/session', { token });
  await openBrowser({ address: '198.51.100.9' }).send('POST', '/session', { token });
  const lines = service.logLines.filter((line) => line.includes('session.')).map((line) => JSON.parse(line));
  expect(lines.slice(-4)).toMatchObject([
    { msg: 'session.started', by: 'key', keyId: browser.keyId },
    { msg: 'session.ended', accountId: expect.any(Number) },
    { msg: 'session.started', by: 'link', keyId: null },
    { msg: 'session.refused', by: 'link', address: '198.51.100.9' },
  ]);
  const all = service.logLines.join('');
  for (const secret of [key, parseApiKey(key)!.secret, token]) expect(all).not.toContain(secret);
});

describe('the whole service', () => {
  it('records the use of sessions and of their keys when it stops, and counts sign-ins', async () => {
    const port = await findFreePort();
    const whole = await startTestService({ worker: false, settings: { METRICS_PORT: String(port) } });
    const { url, db } = whole.service;
    const signIn = (credentials: object) =>
      fetch(`${url}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(credentials),
      });
    const signedIn = await signIn({ key: whole.key });
    expect(signedIn.status).toBe(201);
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const { pageSecret } = (await signedIn.json()) as { pageSecret: string };
    expect(cookie).toContain(`bks_session_${new URL(url!).port}=`);
    await sql`update browser_sessions set last_used_at = now() - interval '1 hour'`.execute(db);
    const origin = url!;
    const made = await fetch(`${url}/v1/models`, {
      method: 'POST',
      headers: { cookie, 'x-page-secret': pageSecret, origin, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'by cookie' }),
    });
    expect(made.status).toBe(201);
    const use = () =>
      execute<{ is_recent: boolean; is_key_used: boolean }>(
        whole.databaseUrl,
        `select s.last_used_at > now() - interval '30 minutes' as is_recent, k.last_used_at is not null as is_key_used
          from browser_sessions s join api_keys k on k.id = s.key_id`,
      );
    for (let count = 0; count < 11; count++) await signIn({ token: 'wrong' });
    const samples = await scrape(port);
    const count = (by: string, outcome: string) => readValue(samples, 'backsolve_sign_ins_total', { by, outcome });
    expect([count('key', 'signed-in'), count('link', 'refused'), count('link', 'slowed')]).toEqual([1, 10, 1]);
    await whole.service.close();
    expect(await use()).toEqual([{ is_recent: true, is_key_used: true }]);
    await whole.close();
  });
});
