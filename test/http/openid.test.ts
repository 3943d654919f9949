/** Signing in by an OpenID provider, a real one in this process: what is admitted, and every answer that must not be. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openIdOf, startOpenIdProvider, type Tampering, type TestProvider } from '../support/openid-provider.ts';
import { CALLBACK, makeSignIn } from '../support/openid-sign-in.ts';
import { makePeople } from '../support/people.ts';
import { type NativeService, openNativeService, type Send } from './native-service.ts';
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
    ...[false, 'false', 'no', '', 0, 1, null, {}, ['true']].map((verified): [string, object] => [
      `an address of which email_verified is ${JSON.stringify(verified)}`,
      { email: 'eve@example.com', email_verified: verified, groups: ['rig'] },
    ]),
  ])('A person with %s is refused', async (_, account) => {
    provider.accounts.set('eve', account);
    expect(await refusalOf('eve')).toBe('/page#sign-in-failed=domain');
  });

  it.each([true, 'true', undefined])('An address of which email_verified is %j is taken', async (verified) => {
    provider.accounts.set('vera', {
      name: 'Vera',
      email: 'vera@example.com',
      email_verified: verified,
      groups: ['rig'],
    });
    expect((await signIn('vera')).session).toMatchObject({ person: 'Vera' });
  });

  it.each(['https://evil.example/', '//evil.example', '/page@evil.example', '/page/../x', '/pages', '/page#token=x'])(
    'Nobody is sent anywhere but to the page: %s',
    async (returnTo) => {
      provider.accounts.set('ada', { name: 'Ada', email: 'ada@example.com', groups: ['rig'] });
      expect((await signIn('ada', { returnTo })).location).toMatch(/^\/page#token=[\w-]+$/);
    },
  );
});

describe('the end of what groups gave', () => {
  const KEY = { scopes: ['read', 'write'] };
  const inGroups = (subject: string, ...groups: string[]) =>
    provider.accounts.set(subject, { name: subject, email: `${subject}@example.com`, groups });
  const rigs = async (browser: { send: Send }) => {
    const { accounts } = (await browser.send('GET', '/v1/me')).body;
    const { id } = accounts.find(({ name }: { name: string }) => name === 'rigs');
    expect((await browser.send('POST', '/session', { account: id })).status).toBe(201);
    const { person } = (await browser.send('GET', '/v1/me')).body;
    return person.id as number;
  };
  let owner: { readonly send: Send };
  beforeAll(async () => {
    owner = { send: service.sendAs(await service.makeKey('rigs')) };
  });
  const memberOf = async (id: number) => (await owner.send('GET', `/v1/members/${id}`)).body;
  const enter = async (subject: string) => {
    const browser = (await signIn(subject)).browser as unknown as { readonly send: Send };
    return { ...browser, id: await rigs(browser) };
  };

  it('Leaving the groups ends keys, sessions and membership at the next sign-in, and after some days without one', async () => {
    inGroups('una', 'rig');
    const una = await enter('una');
    const { key } = (await una.send('POST', '/v1/me/keys', KEY)).body;
    expect((await service.sendAs(key)('GET', '/v1/models')).status).toBe(200);
    const { countsUntil, joinedAt } = await memberOf(una.id);
    expect((Date.parse(countsUntil) - Date.parse(joinedAt)) / 86_400_000).toBeCloseTo(RULES.groupDays, 2);
    await sql`update memberships set counts_until = now() where person_id = ${una.id}`.execute(service.db);
    const resting = await service.sendAs(key)('GET', '/v1/models');
    expect(resting).toMatchObject({ status: 401, body: { detail: expect.stringContaining('This key is suspended') } });
    const bySession = await openBrowser().send('POST', '/session', { key });
    expect(bySession).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('This key is suspended') },
    });
    // Whoever only guesses learns nothing.
    const guessed = await service.sendAs(key.replace(/.{8}$/, ''))('GET', '/v1/models');
    expect(guessed.body.detail).toContain('A valid API key is required');
    expect((await una.send('GET', '/v1/me')).status).toBe(401);
    await signIn('una');
    expect((await service.sendAs(key)('GET', '/v1/models')).status).toBe(200);
    inGroups('una');
    expect(await refusalOf('una')).toBe('/page#sign-in-failed=no-account');
    expect((await service.sendAs(key)('GET', '/v1/models')).body.detail).toContain('A valid API key is required');
    expect((await memberOf(una.id)).status).toBe(404);
  });

  it('A role that an owner has changed stays while the person is in a group of the account, and ends with the last one', async () => {
    inGroups('theo', 'rig');
    const theo = await enter('theo');
    expect(await memberOf(theo.id)).toMatchObject({ role: 'member', groupRole: 'member', edited: false });
    await owner.send('PATCH', `/v1/members/${theo.id}`, { role: 'member' });
    expect(await memberOf(theo.id)).toMatchObject({ edited: false });
    await owner.send('PATCH', `/v1/members/${theo.id}`, { role: 'reader' });
    inGroups('theo', 'leads');
    await signIn('theo');
    expect(await memberOf(theo.id)).toMatchObject({ role: 'reader', groupRole: 'owner', edited: true, byGroup: true });
    inGroups('theo');
    await refusalOf('theo');
    expect((await memberOf(theo.id)).status).toBe(404);
    inGroups('theo', 'rig');
    await signIn('theo');
    expect(await memberOf(theo.id)).toMatchObject({ role: 'member', edited: false });
  });

  it.each([{ now: [] }, { now: ['rig'] }])(
    'A sign-in by groups leaves an account its last owner, and says so: $now',
    async ({ now }) => {
      const own = await startOpenIdProvider(`http://${HOST}${CALLBACK}`);
      const [usual, usualProvider] = [service, provider];
      const second = await openNativeService({ deps: { openId: openIdOf(own, RULES) } });
      try {
        [service, provider] = [second, own];
        inGroups('ada', 'leads');
        const { id } = await enter('ada');
        inGroups('ada', ...now);
        const kept = await enter('ada');
        const seen = await kept.send('GET', `/v1/members/${id}`);
        expect(seen.body).toMatchObject({
          role: 'owner',
          groupRole: now.length === 0 ? null : 'member',
          byGroup: true,
        });
        expect(service.logLines.filter((line) => line.includes('membership.kept-as-last-owner'))).toHaveLength(1);
        // As soon as there is another owner, what the groups say counts.
        inGroups('bob', 'leads');
        await signIn('bob');
        if (now.length === 0) expect(await refusalOf('ada')).toBe('/page#sign-in-failed=no-account');
        else expect((await (await enter('ada')).send('GET', `/v1/members/${id}`)).body.role).toBe('member');
      } finally {
        [service, provider] = [usual, usualProvider];
        await second.close();
        await own.close();
      }
    },
  );

  it('An owner who has not signed in for long is no other owner', async () => {
    const send = service.sendAs(await service.makeKey('archive'));
    inGroups('old', 'rig');
    const old = (await signIn('old')).browser;
    const { person } = (await old.send('GET', '/v1/me')).body;
    await send('PATCH', `/v1/members/${person.id}`, { role: 'owner' });
    const { token } = await invite(send, { role: 'owner' });
    const ivy = openBrowser();
    await ivy.send('POST', '/session', { invitation: token, name: 'Ivy' });
    await sql`update memberships set counts_until = now() where person_id = ${person.id}`.execute(service.db);
    expect((await ivy.send('POST', '/v1/me/leave')).status).toBe(409);
  });

  it('A person whose name looks like that of a member gets a number behind it, and keeps it', async () => {
    provider.accounts.set('grace', { name: 'Grace Hopper', groups: ['rig'], email: 'grace@example.com' });
    provider.accounts.set('other', {
      name: 'Gr\u0430ce\u200b H\u043epper',
      groups: ['rig'],
      email: 'other@example.com',
    });
    await signIn('grace');
    expect((await signIn('other')).session.person).toBe('Gr\u0430ce\u200b H\u043epper 2');
    expect((await signIn('other')).session.person).toBe('Gr\u0430ce\u200b H\u043epper 2');
    provider.accounts.set('third', { name: 'grace hopper', email: 'third@example.com' });
    const { token } = await invite(owner.send, { role: 'reader' });
    expect((await signIn('third', { invitation: token })).session.person).toBe('grace hopper 3');
    provider.accounts.set('unseen', { name: '\u200b\u3164', groups: ['rig'], email: 'unseen@example.com' });
    expect((await signIn('unseen')).session.person).toBe('unseen@example.com');
  });
});

describe('groups in another form', () => {
  const groupsOf = (groups: unknown, more: object = {}) =>
    provider.accounts.set('gus', { name: 'Gus', email: 'gus@example.com', groups, ...more });
  const lastRefusal = () => service.logLines.findLast((line) => line.includes('session.refused'));

  it.each(['rig', ' rig ', '["rig","others"]'])('The text %j is read', async (groups) => {
    groupsOf(groups);
    const { browser } = await signIn('gus');
    expect((await browser.send('GET', '/v1/me')).body.accounts).toHaveLength(2);
  });

  it.each([['rig,leads'], ['others rig'], [{ rig: true }], [['rig', 7]], [3], [true]])(
    'What could be misread is refused, says what to do, and takes nothing away: %j',
    async (groups) => {
      groupsOf(['rig']);
      const { browser } = await signIn('gus');
      groupsOf(groups);
      expect(await refusalOf('gus')).toBe('/page#sign-in-failed=groups');
      expect(lastRefusal()).toMatch(/the groups are .*(OPENID_GROUPS_SEPARATOR|texts)/);
      expect((await browser.send('GET', '/v1/me')).status).toBe(200);
    },
  );

  it.each([{ _claim_names: { groups: 'src1' } }, { hasgroups: true }])(
    'Groups that the provider left out are refused and not taken for none: %j',
    async (more) => {
      groupsOf(undefined);
      provider.tampering = { claims: (claims) => ({ ...claims, ...more }) };
      expect(await refusalOf('gus')).toBe('/page#sign-in-failed=groups');
      expect(lastRefusal()).toContain('left out groups');
    },
  );

  it('Whoever sends none is in none', async () => {
    groupsOf(undefined);
    expect(await refusalOf('gus')).toBe('/page#sign-in-failed=no-account');
    groupsOf(null);
    expect(await refusalOf('gus')).toBe('/page#sign-in-failed=no-account');
    groupsOf('others and more');
    expect(await refusalOf('gus')).toBe('/page#sign-in-failed=no-account');
  });
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
