/** Signing in by an OpenID provider, a real one in this process: what is admitted, and every answer that must not be. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openIdOf, startOpenIdProvider, type Tampering, type TestProvider } from '../support/openid-provider.ts';
import { CALLBACK, makeSignIn } from '../support/openid-sign-in.ts';
import { makePeople } from '../support/people.ts';
import { type NativeService, openNativeService } from './native-service.ts';
import { HOST } from './session-browser.ts';

const RULES = {
  groupRoles: [
    { group: 'rig', account: 'rigs', role: 'member' as const },
    { group: 'leads', account: 'rigs', role: 'owner' as const },
    { group: 'rig', account: 'archive', role: 'reader' as const },
  ],
  emailDomains: ['example.com'],
  groupDays: 7,
};

let provider: TestProvider;
let service: NativeService;
beforeAll(async () => {
  provider = await startOpenIdProvider(`http://${HOST}${CALLBACK}`);
  service = await openWith(provider.issuer);
});
afterAll(async () => {
  await service.close();
  await provider.close();
});
beforeEach(() => {
  provider.tampering = undefined;
});

function openWith(issuer: string): Promise<NativeService> {
  return openNativeService({ deps: { openId: openIdOf({ ...provider, issuer }, RULES) } });
}

const { openBrowser, invite } = makePeople(() => service);
const { goThere, comeBack, signIn, refusalOf } = makeSignIn(
  () => service,
  () => provider,
);

describe('a person whom the provider knows', () => {
  it('Groups give roles in accounts, and follow every change at the next sign-in', async () => {
    provider.accounts.set('ada', { name: 'Ada', email: 'ada@example.com', groups: ['rig', 'others'] });
    const { browser, session, location } = await signIn('ada', { returnTo: '/page/objectives/3?part=log' });
    expect(location).toMatch(/^\/page\/objectives\/3\?part=log#token=/);
    expect(session).toMatchObject({ person: 'Ada' });
    const { person, accounts } = (await browser.send('GET', '/v1/me')).body;
    expect(person).toMatchObject({ name: 'Ada', email: 'ada@example.com' });
    expect(accounts).toMatchObject([
      { name: 'archive', role: 'reader' },
      { name: 'rigs', role: 'member' },
    ]);
    // The account keeps an owner without Ada.
    provider.accounts.set('olga', { name: 'Olga', email: 'olga@example.com', groups: ['leads'] });
    await signIn('olga');
    provider.accounts.set('ada', { name: 'Ada', email: 'ada@example.com', groups: ['leads'] });
    const again = await signIn('ada');
    const now = (await again.browser.send('GET', '/v1/me')).body;
    expect(now.person.id).toBe(person.id);
    expect(now.accounts).toMatchObject([{ name: 'rigs', role: 'owner' }]);
    expect((await browser.send('GET', '/v1/me')).status).toBe(401);
    provider.accounts.set('ada', { name: 'Ada', email: 'ada@example.com', groups: [] });
    expect(await refusalOf('ada')).toBe('/page#sign-in-failed=no-account');
    expect((await again.browser.send('GET', '/v1/me')).status).toBe(401);
  });

  it('Somebody in no group needs an invitation, which signs in from then on', async () => {
    provider.accounts.set('bob', { name: 'Bob', email: 'bob@example.com' });
    expect(await refusalOf('bob')).toBe('/page#sign-in-failed=no-account');
    const { rows } = await sql`select from people where subject = 'bob'`.execute(service.db);
    expect(rows).toHaveLength(0);
    const { token, id } = await invite(service.send, { role: 'reader' });
    const { session } = await signIn('bob', { invitation: token });
    expect(session).toMatchObject({ person: 'Bob', role: 'reader' });
    expect((await signIn('bob')).session).toMatchObject({ account: session.account, role: 'reader' });
    await service.send('DELETE', `/v1/invitations/${id}`);
    provider.accounts.set('eve', { name: 'Eve', email: 'eve@example.com' });
    expect(await refusalOf('eve', { invitation: token })).toBe('/page#sign-in-failed=invitation');
  });

  it.each([
    ['another domain', { email: 'eve@elsewhere.example', groups: ['rig'] }],
    ['no address', { groups: ['rig'] }],
    ['an address that is not verified', { email: 'eve@example.com', email_verified: false, groups: ['rig'] }],
  ])('A person with %s is refused', async (_, account) => {
    provider.accounts.set('eve', account);
    expect(await refusalOf('eve')).toBe('/page#sign-in-failed=domain');
  });

  it.each(['https://evil.example/', '//evil.example', '/page@evil.example', '/page/../x', '/pages', '/page#token=x'])(
    'Nobody is sent anywhere but to the page: %s',
    async (returnTo) => {
      provider.accounts.set('ada', { name: 'Ada', email: 'ada@example.com', groups: ['rig'] });
      expect((await signIn('ada', { returnTo })).location).toMatch(/^\/page#token=[\w-]+$/);
    },
  );
});

describe('an answer that does not pass', () => {
  const hours = (count: number) => Math.floor(Date.now() / 1_000) + count * 3_600;
  const TAMPERED: readonly (readonly [string, Tampering])[] = [
    ['nonce', { claims: (claims) => ({ ...claims, nonce: 'another' }) }],
    ['missing nonce', { claims: ({ nonce: _, ...claims }) => claims }],
    ['audience', { claims: (claims) => ({ ...claims, aud: 'another client' }) }],
    ['issuer', { claims: (claims) => ({ ...claims, iss: 'https://elsewhere.example' }) }],
    ['expired clock', { claims: (claims) => ({ ...claims, exp: hours(-1), iat: hours(-2) }) }],
    ['clock that is not yet valid', { claims: (claims) => ({ ...claims, nbf: hours(1) }) }],
    ['signature', { hasWrongSignature: true }],
    ['missing subject', { claims: ({ sub: _, ...claims }) => claims }],
  ];
  beforeEach(() => {
    provider.accounts.set('ada', { name: 'Ada', email: 'ada@example.com', groups: ['rig'] });
  });

  it.each(TAMPERED)('A token with a wrong %s signs nobody in', async (_, tampering) => {
    provider.tampering = tampering;
    expect(await refusalOf('ada')).toBe('/page#sign-in-failed=refused');
    provider.tampering = undefined;
    await signIn('ada');
  });

  it('A wrong state signs nobody in', async () => {
    const { browser, cookie, url } = await goThere('ada');
    url.searchParams.set('state', 'another');
    expect(await comeBack(browser, url, cookie)).toBe('/page#sign-in-failed=refused');
  });

  it('A code counts once, in the browser that began, and for its own sign-in', async () => {
    const { browser, cookie, url } = await goThere('ada');
    expect(await comeBack(openBrowser(), url, 'other=1')).toBe('/page#sign-in-failed=over');
    const other = await goThere('ada');
    expect(await comeBack(browser, url, cookie)).toContain('#token=');
    expect(await comeBack(browser, url, cookie)).toBe('/page#sign-in-failed=over');
    // The used code, in another sign-in that is under way.
    other.url.searchParams.set('code', url.searchParams.get('code')!);
    expect(await comeBack(other.browser, other.url, other.cookie)).toBe('/page#sign-in-failed=refused');
  });

  it('A sign-in that took too long is over', async () => {
    const { browser, cookie, url } = await goThere('ada');
    await sql`update openid_sign_ins set expires_at = now() - interval '1 second'`.execute(service.db);
    expect(await comeBack(browser, url, cookie)).toBe('/page#sign-in-failed=over');
  });

  it('A person who says no is told so', async () => {
    const { browser, cookie, url } = await goThere('ada');
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    expect(await comeBack(browser, url, cookie)).toBe('/page#sign-in-failed=denied');
  });
});

describe('the service', () => {
  it('A provider that is down is a clear error, before and after the way there', async () => {
    const own = await startOpenIdProvider(`http://${HOST}${CALLBACK}`);
    own.accounts.set('ada', { name: 'Ada', email: 'ada@example.com', groups: ['rig'] });
    const [usual, usualProvider] = [service, provider];
    const second = await openWith(own.issuer);
    try {
      [service, provider] = [second, own];
      const { browser, cookie, url } = await goThere('ada');
      await own.close();
      expect(await comeBack(browser, url, cookie)).toBe('/page#sign-in-failed=unavailable');
      const third = await openWith(own.issuer);
      service = third;
      const refused = await openBrowser().send('POST', '/session/openid', {});
      expect(refused).toMatchObject({ status: 424, body: { type: 'urn:backsolve:problem:openid-unavailable' } });
      await third.close();
    } finally {
      [service, provider] = [usual, usualProvider];
      await second.close();
    }
  });

  it('No log line has a code, a token or a secret', async () => {
    provider.accounts.set('ada', { name: 'Ada', email: 'ada@example.com', groups: ['rig'] });
    const { browser, cookie, url } = await goThere('ada');
    await comeBack(browser, url, cookie);
    await comeBack(browser, url, cookie);
    const log = service.logLines.join('\n');
    for (const secret of [url.searchParams.get('code')!, cookie.split('=')[1]!, provider.clientSecret]) {
      expect(log).not.toContain(secret);
    }
  });

  it('Without a provider nothing is offered', async () => {
    expect((await openBrowser().send('GET', '/session/openid')).body).toEqual({ isOffered: true });
    const usual = service;
    service = await openNativeService();
    try {
      expect((await openBrowser().send('GET', '/session/openid')).body).toEqual({ isOffered: false });
      expect((await openBrowser().send('POST', '/session/openid', {})).status).toBe(404);
    } finally {
      await service.close();
      service = usual;
    }
  });
});
