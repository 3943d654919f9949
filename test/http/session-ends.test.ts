/** Tests how sessions of the page end. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink, purgeSessions } from '../../src/application/accounts/browser-sessions.ts';
import { rotateKey } from '../../src/application/accounts/manage-keys.ts';
import { IDLE_HOURS, LIFETIME_DAYS } from '../../src/domain/accounts/browser-session.ts';
import { type NativeService, openNativeService } from './native-service.ts';
import { makeVisitors, SESSION_ENDED } from './session-browser.ts';

const HOUR_MS = 3_600_000;

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService();
});
afterAll(() => service.close());

const { openBrowser, openAccount, signIn } = makeVisitors(() => service);

describe('the end of a session', () => {
  const change = async (browser: { token(): string }, text: string) => {
    const { rows } = await sql<{ id: number }>`
      update browser_sessions set ${sql.raw(text)} where token_hash = sha256(${browser.token()}::text::bytea)
      returning id`.execute(service.db);
    expect(rows).toHaveLength(1);
  };
  type Browser = Awaited<ReturnType<typeof signIn>>;
  const expectEnded = async (browser: Browser) => {
    expect(await browser.send('GET', '/v1/models')).toMatchObject(SESSION_ENDED);
    expect(await browser.send('POST', '/v1/models', { name: 'no' })).toMatchObject(SESSION_ENDED);
    const asked = await browser.send('GET', '/session');
    expect(asked).toMatchObject({ status: 200, text: 'null', set: expect.stringContaining('Max-Age=0') });
  };

  it('Without a cookie there is no session', async () => {
    const browser = openBrowser();
    expect(await browser.send('GET', '/session')).toMatchObject({ status: 200, text: 'null', set: undefined });
    expect((await browser.send('DELETE', '/session')).status).toBe(204);
  });

  it('signing out ends it for everyone who has the cookie', async () => {
    const browser = await signIn();
    const cookie = browser.cookie();
    expect(await browser.send('DELETE', '/session')).toMatchObject({ status: 204, text: '' });
    browser.steal(cookie, browser.pageSecret());
    await expectEnded(browser);
    expect((await browser.send('DELETE', '/session')).status).toBe(204);
  });

  it(`${IDLE_HOURS} hours without a request`, async () => {
    const browser = await signIn();
    await change(browser, `last_used_at = now() - interval '${IDLE_HOURS} hours' + interval '1 minute'`);
    expect((await browser.send('GET', '/v1/models')).status).toBe(200);
    await change(browser, `last_used_at = now() - interval '${IDLE_HOURS} hours'`);
    await expectEnded(browser);
  });

  it(`${LIFETIME_DAYS} days, however often it was used`, async () => {
    const browser = await signIn();
    await change(browser, `expires_at = expires_at - interval '${LIFETIME_DAYS} days' + interval '1 minute'`);
    expect((await browser.send('GET', '/v1/models')).status).toBe(200);
    await change(browser, "expires_at = expires_at - interval '1 minute'");
    await expectEnded(browser);
  });

  it('the end of its key', async () => {
    const { db } = service;
    const [revoked, rotated, overlapping, expired] = [await signIn(), await signIn(), await signIn(), await signIn()];
    await sql`update api_keys set revoked_at = now() where key_id = ${revoked.keyId}`.execute(db);
    await rotateKey(db, rotated.keyId, 0);
    await rotateKey(db, overlapping.keyId, 60);
    await sql`update api_keys set expires_at = now() where key_id = ${expired.keyId}`.execute(db);
    for (const browser of [revoked, rotated, expired]) await expectEnded(browser);
    expect((await overlapping.send('GET', '/v1/models')).status).toBe(200);
    expect((await openBrowser().send('POST', '/session', { key: revoked.key })).status).toBe(401);
  });

  it('A key revoked on the page by its own session ends that session', async () => {
    const browser = await signIn();
    expect((await browser.send('POST', '/v1/keys', { scopes: ['admin'] })).status).toBe(201);
    const [own] = (await browser.send('GET', '/v1/keys')).body;
    expect((await browser.send('DELETE', `/v1/keys/${own.id}`)).status).toBe(204);
    await expectEnded(browser);
  });

  it('It never outlives its key', async () => {
    const { key, keyId } = await openAccount();
    await sql`update api_keys set expires_at = now() + interval '1 hour' where key_id = ${keyId}`.execute(service.db);
    const { body } = await openBrowser().send('POST', '/session', { key });
    expect(Date.parse(body.expiresAt) - Date.now()).toBeLessThanOrEqual(HOUR_MS + 60_000);
  });

  it('the account is disabled', async () => {
    const browser = await signIn();
    await sql`update accounts set disabled_at = now() where name = ${browser.account}`.execute(service.db);
    await expectEnded(browser);
  });

  it('The schedule removes what has ended, and nothing else', async () => {
    await purgeSessions(service.db);
    const [living, idle, old] = [await signIn(), await signIn(), await signIn()];
    await change(idle, `last_used_at = now() - interval '${IDLE_HOURS} hours'`);
    await change(old, 'expires_at = now()');
    await createSignInLink(service.db, living.account);
    await createSignInLink(service.db, living.account);
    await sql`
      update sign_in_links set expires_at = now() where token_hash = (select token_hash from sign_in_links limit 1)`.execute(
      service.db,
    );
    expect(await purgeSessions(service.db)).toEqual({ purged: 3 });
    expect(await purgeSessions(service.db)).toEqual({ purged: 0 });
    expect((await living.send('GET', '/v1/models')).status).toBe(200);
  });
});
