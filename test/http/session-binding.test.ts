/** Tests what programs on other ports of the host can do with cookies, which ignore ports: receive them, and add some of the same name. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { makeToken } from '../../src/domain/accounts/browser-session.ts';
import { type NativeService, openNativeService } from './native-service.ts';
import { HOST, makeVisitors } from './session-browser.ts';

const OWN = { 'sec-fetch-site': 'same-origin', origin: `http://${HOST}` };
const ENDED = { status: 401, body: { type: 'urn:backsolve:problem:session-ended' } };

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService();
});
afterAll(() => service.close());

const { openBrowser, signIn } = makeVisitors(() => service);

it('A cookie that was caught does nothing, whatever origin is forged', async () => {
  const browser = await signIn();
  const thief = openBrowser();
  thief.steal(browser.cookie());
  expect(await thief.send('GET', '/v1/models', undefined, OWN)).toMatchObject(ENDED);
  const made = await thief.send('POST', '/v1/keys', { scopes: ['read'] }, OWN);
  expect(made).toMatchObject(ENDED);
  expect(made.body.detail).toContain('X-Page-Secret');
  expect(await thief.send('GET', '/session', undefined, OWN)).toMatchObject({ text: 'null', given: [] });
  await thief.send('DELETE', '/session', undefined, OWN);
  expect((await browser.send('GET', '/v1/models')).status).toBe(200);
});

test.each(['a guess', 'the secret of another session', 'nothing'])('A cookie with %s is refused', async (kind) => {
  const [browser, other] = [await signIn(), await signIn()];
  const sent = { 'a guess': makeToken(), 'the secret of another session': other.pageSecret(), nothing: '' }[kind]!;
  const headers = { ...OWN, 'x-page-secret': sent };
  expect(await browser.send('GET', '/v1/models', undefined, headers)).toMatchObject(ENDED);
  expect(await browser.send('POST', '/session', { key: other.key }, headers)).toMatchObject({ status: 201 });
});

it('Signing in with a cookie that was caught does not end the session of the page', async () => {
  const [browser, other] = [await signIn(), await signIn()];
  const thief = openBrowser();
  thief.steal(browser.cookie());
  expect((await thief.send('POST', '/session', { key: other.key })).status).toBe(201);
  expect((await browser.send('GET', '/v1/models')).status).toBe(200);
});

test.each(['before', 'after'])(
  'A session of others, planted %s the own one, is neither read nor written',
  async (where) => {
    const [browser, attacker] = [await signIn(), await signIn()];
    const made = await browser.send('POST', '/v1/models', { name: 'own model' });
    expect(made.status, made.text).toBe(201);
    const own = browser.cookie();
    const planted = attacker.cookie();
    browser.steal(where === 'before' ? `${planted}; ${own}` : `${own}; ${planted}`, browser.pageSecret());
    const listed = await browser.send('GET', '/v1/models');
    expect(listed.body).toMatchObject([{ name: 'own model' }]);
    expect((await browser.send('POST', '/v1/models', { name: 'written' })).status).toBe(201);
    expect((await attacker.send('GET', '/v1/models')).body).toEqual([]);
    expect((await browser.send('GET', '/session')).body).toMatchObject({ account: browser.account });
  },
);

it('A dead cookie locks no one out and is removed from every path that it may have', async () => {
  const browser = await signIn();
  browser.steal(`bks_session_8080=${makeToken()}; bks_session_8080=; ${browser.cookie()}`, browser.pageSecret());
  const answer = await browser.send('GET', '/v1/models');
  expect(answer.status).toBe(200);
  const removed = ['/v1', '/v1/', '/v1/models', '/v1/models/'];
  expect(answer.given).toEqual(
    removed.map((path) => `bks_session_8080=; Path=${path}; Max-Age=0; HttpOnly; SameSite=Strict`),
  );
});

it('A session that another tab has just begun keeps its cookie when this tab still has the earlier secret', async () => {
  const browser = await signIn();
  const earlier = browser.pageSecret();
  await browser.send('POST', '/session', { key: browser.key });
  const headers = { ...OWN, 'x-page-secret': earlier };
  expect(await browser.send('GET', '/session', undefined, headers)).toMatchObject({ text: 'null', given: [] });
  expect((await browser.send('GET', '/v1/models')).status).toBe(200);
});

it('A session from before sessions were bound to their page has ended', async () => {
  const browser = await signIn();
  await sql`update browser_sessions set page_hash = null
    where token_hash = sha256(${browser.token()}::text::bytea)`.execute(service.db);
  expect(await browser.send('GET', '/v1/models')).toMatchObject(ENDED);
  expect((await browser.send('GET', '/session')).text).toBe('null');
});

it('Of both secrets only hashes are stored', async () => {
  const browser = await signIn();
  const { rows } = await sql<{ page: string; token: string }>`
    select encode(page_hash, 'hex') as page, encode(token_hash, 'hex') as token from browser_sessions
    where page_hash = sha256(${browser.pageSecret()}::text::bytea)`.execute(service.db);
  expect(rows).toHaveLength(1);
  expect(browser.token()).not.toBe(browser.pageSecret());
});
