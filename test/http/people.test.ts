/** Members, invitations, sessions and personal keys, and how access ends. What each role may do is in roles.test.ts. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/application/accounts/browser-sessions.ts';
import { makePeople, tokenIn } from '../support/people.ts';
import { type NativeService, openNativeService, prepareObjective, type Send } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

const { openBrowser, invite, accept, join } = makePeople(() => service);

const me = async ({ send }: { readonly send: Send }) => (await send('GET', '/v1/me')).body;

let accounts = 0;
/** An account of its own, by its key. */
async function openAccount(): Promise<{ readonly name: string; readonly send: Send }> {
  const name = `team ${++accounts}`;
  return { name, send: service.sendAs(await service.makeKey(name)) };
}

describe('an invitation', () => {
  it('An invitation says what it offers, and makes one member with its role', async () => {
    const { send, name } = await openAccount();
    const { token } = await invite(send, { role: 'reader', label: 'Ada' });
    const offer = await openBrowser().send('POST', '/session/invitation', { invitation: token });
    expect(offer.body).toMatchObject({ accountName: name, role: 'reader', opens: 'this account', label: 'Ada' });
    const ada = await accept(token, ' Ada ');
    expect(ada.answer).toMatchObject({ account: name, person: 'Ada', role: 'reader', scopes: ['read'] });
    const me = (await ada.send('GET', '/v1/me')).body;
    expect(me).toMatchObject({ person: { name: 'Ada', email: null }, actor: 'Ada', role: 'reader' });
    expect(me.accounts).toEqual([{ id: me.account.id, name, role: 'reader' }]);
    expect((await send('GET', '/v1/members')).body).toMatchObject([{ name: 'Ada', role: 'reader', byGroup: false }]);
    expect((await send('GET', '/v1/invitations')).body).toMatchObject([{ uses: 1, maximumUses: 1 }]);
  });

  it.each([
    ['used up', async () => undefined],
    ['revoked', async (send: Send, id: number) => send('DELETE', `/v1/invitations/${id}`)],
    [
      'expired',
      async (_: Send, id: number) =>
        sql`update invitations set expires_at = now() - interval '1 second' where id = ${id}`.execute(service.db),
    ],
  ])('An invitation that is %s admits nobody', async (why, end) => {
    const { send } = await openAccount();
    const { id, token } = await invite(send, { role: 'owner', maximumUses: why === 'used up' ? 1 : 5 });
    const first = await accept(token, 'Ada');
    await end(send, id);
    for (const path of ['/session', '/session/invitation']) {
      const body = { invitation: token, ...(path === '/session' && { name: 'Bob' }) };
      const answer = await openBrowser().send('POST', path, body);
      expect(answer.status).toBe(401);
      expect(answer.body.detail).toContain('Ask whoever invited you');
    }
    expect((await send('GET', '/v1/members')).body).toHaveLength(1);
    // Whoever accepted it stays.
    expect((await first.send('GET', '/v1/me')).status).toBe(200);
  });

  it('Twenty people at once get no more than the places that are left', async () => {
    const { send } = await openAccount();
    const { token } = await invite(send, { role: 'member', maximumUses: 5 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        openBrowser().send('POST', '/session', { invitation: token, name: `person ${i}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(15);
    expect((await send('GET', '/v1/members')).body).toHaveLength(5);
  });

  it.each(['ADA', 'A\u200bda', '\uff21da', '\u0410da', 'Ada\u00a0', 'A\u0501a'])(
    'Two members cannot have names that look the same: %j',
    async (name) => {
      const { send } = await openAccount();
      const { token } = await invite(send, { role: 'member', maximumUses: null });
      await accept(token, 'Ada');
      const taken = { status: 400, body: { errors: [{ property: 'name' }] } };
      expect(await openBrowser().send('POST', '/session', { invitation: token, name })).toMatchObject(taken);
      const bob = await accept(token, 'Bob');
      expect(await bob.send('PATCH', '/v1/me', { name })).toMatchObject(taken);
      const named = openBrowser();
      await named.send('POST', '/session', { token: await createSignInLink(service.db, (await me(bob)).account.name) });
      expect(await named.send('POST', '/session', { name })).toMatchObject(taken);
    },
  );

  it('Nobody has the name of a key of the account, and no key that of a member', async () => {
    const { send } = await openAccount();
    const { id } = (await send('POST', '/v1/keys', { scopes: ['read'], label: 'the rig' })).body;
    const { token } = await invite(send, { role: 'member' });
    for (const name of ['The R\u0456g', 'Sign-In Link']) {
      const answer = await openBrowser().send('POST', '/session', { invitation: token, name });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ property: 'name' }] } });
    }
    await accept(token, 'Ada');
    const taken = { status: 400, body: { errors: [{ property: 'label' }] } };
    expect(await send('POST', '/v1/keys', { scopes: ['read'], label: '\u0410da' })).toMatchObject(taken);
    expect(await send('PATCH', `/v1/keys/${id}`, { label: 'ADA' })).toMatchObject(taken);
    expect((await send('PATCH', `/v1/keys/${id}`, { label: 'the rig' })).status).toBe(200);
  });

  it('A name without anything to see is refused', async () => {
    const { send } = await openAccount();
    const { token } = await invite(send, { role: 'member' });
    for (const name of ['\u200b', '\u3164 \u2800', '\u{e0041}']) {
      const answer = await openBrowser().send('POST', '/session', { invitation: token, name });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ property: 'name' }] } });
    }
  });

  it('Names stay apart in every account of a person, whichever way they come there', async () => {
    const [first, second] = [await openAccount(), await openAccount()];
    const ada = await join(first.send, 'owner', 'Ada');
    await join(second.send, 'member', 'ada');
    const { token } = await invite(second.send, { role: 'member' });
    const refused = await ada.send('POST', '/session', { invitation: token });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ property: 'name' }] } });
    expect(refused.body.errors[0].message).toContain('change yours under People');
    await ada.send('PATCH', '/v1/me', { name: 'Ada L.' });
    expect((await ada.send('POST', '/session', { invitation: token })).status).toBe(201);
    await join(first.send, 'member', 'Cleo');
    // Cleo is a member of the account that Ada has left open in another tab.
    expect((await ada.send('PATCH', '/v1/me', { name: 'cleo' })).status).toBe(400);
    await ada.send('POST', '/session', { account: (await me(ada)).accounts[0].id });
    const course = await invite(ada.send, { opens: 'an account for each', maximumUses: 5 });
    const student = await openBrowser().send('POST', '/session', { invitation: course.token, name: 'ADA L.' });
    expect(student).toMatchObject({ status: 400, body: { errors: [{ property: 'name' }] } });
  });

  it('An invitation needs a name from whoever has none', async () => {
    const { send } = await openAccount();
    const { token } = await invite(send, { role: 'member' });
    const nameless = await openBrowser().send('POST', '/session', { invitation: token });
    expect(nameless).toMatchObject({ status: 400, body: { errors: [{ property: 'name' }] } });
  });

  it('A person who is signed in joins another account, and switches between both', async () => {
    const [first, second] = [await openAccount(), await openAccount()];
    const ada = await join(first.send, 'owner', 'Ada');
    const { token } = await invite(second.send, { role: 'reader' });
    const joined = await ada.send('POST', '/session', { invitation: token });
    expect(joined.body).toMatchObject({ account: second.name, person: 'Ada', role: 'reader', scopes: ['read'] });
    const { accounts: both, person } = (await ada.send('GET', '/v1/me')).body;
    expect(person.id).toBe(ada.id);
    expect(both.map(({ name }: { name: string }) => name)).toEqual([first.name, second.name]);
    const back = await ada.send('POST', '/session', { account: both[0].id });
    expect(back.body).toMatchObject({ account: first.name, role: 'owner' });
    expect((await first.send('GET', '/v1/sessions')).body).toHaveLength(1);
    expect((await second.send('GET', '/v1/sessions')).body).toHaveLength(0);
    const foreign = await openAccount();
    const { body } = await foreign.send('GET', '/v1/account');
    expect((await ada.send('POST', '/session', { account: body.id })).status).toBe(404);
  });

  it('Nobody invites, or makes, somebody with more rights', async () => {
    const { name } = await openAccount();
    const admin = service.sendAs(await service.makeKey(name, ['admin']));
    const refused = await admin('POST', '/v1/invitations', { role: 'member' });
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toContain('read and write');
    expect((await admin('POST', '/v1/invitations', {})).body.errors[0].property).toBe('role');
  });
});

describe('a member', () => {
  it('A changed role counts from the next request on, in sessions and keys', async () => {
    const { send } = await openAccount();
    const ada = await join(send, 'member', 'Ada');
    const made = await ada.send('POST', '/v1/me/keys', { scopes: ['read', 'write'], label: 'her script' });
    expect(made.body).toMatchObject({ personName: 'Ada', scopes: ['read', 'write'] });
    const program = service.sendAs(made.body.key);
    expect((await program('POST', '/v1/models', { name: 'by her script' })).status).toBe(201);
    expect((await send('PATCH', `/v1/members/${ada.id}`, { role: 'reader' })).body.role).toBe('reader');
    expect((await program('POST', '/v1/models', { name: 'refused' })).status).toBe(403);
    expect((await ada.send('POST', '/v1/models', { name: 'refused' })).status).toBe(403);
    expect((await program('GET', '/v1/models')).status).toBe(200);
    expect((await ada.send('POST', '/v1/me/keys', { scopes: ['write'] })).status).toBe(403);
  });

  it('A member who is removed has no session, key, link or invitation left, and a new invitation revives none', async () => {
    const { send } = await openAccount();
    await join(send, 'owner', 'Olga');
    const ada = await join(send, 'owner', 'Ada');
    const { key } = (await ada.send('POST', '/v1/me/keys', { scopes: ['read'] })).body;
    const { token } = await invite(ada.send, { role: 'member' });
    const { link } = (await send('POST', `/v1/members/${ada.id}/sign-in-link`)).body;
    expect((await send('DELETE', `/v1/members/${ada.id}`)).status).toBe(204);
    expect((await ada.send('GET', '/v1/me')).status).toBe(401);
    expect((await service.sendAs(key)('GET', '/v1/me')).status).toBe(401);
    expect((await openBrowser().send('POST', '/session', { key })).status).toBe(401);
    expect((await openBrowser().send('POST', '/session', { token: tokenIn(link) })).status).toBe(401);
    expect((await openBrowser().send('POST', '/session', { invitation: token, name: 'Bob' })).status).toBe(401);
    await join(send, 'owner', 'Ada');
    expect((await service.sendAs(key)('GET', '/v1/me')).status).toBe(401);
    expect((await ada.send('GET', '/v1/me')).status).toBe(401);
  });

  it('A request that waits when its person is removed is refused', async () => {
    const { send } = await openAccount();
    await join(send, 'owner', 'Olga');
    const { loaded } = await prepareObjective(send);
    const ada = await join(send, 'member', 'Ada');
    const url = `${loaded.headers['location']}/history`;
    const { headers } = await ada.send('GET', url);
    const etag = String(headers['etag']);
    const waiting = ada.send('GET', url, undefined, {
      'sec-fetch-site': 'same-origin',
      'if-none-match': etag,
      prefer: 'wait=20',
    });
    expect((await send('DELETE', `/v1/members/${ada.id}`)).status).toBe(204);
    await send('PATCH', loaded.headers['location'] as string, { label: 'changed meanwhile' });
    expect((await waiting).status).toBe(401);
  });

  it('The last owner stays, also when two leave at once', async () => {
    const { send } = await openAccount();
    const [ada, bob] = [await join(send, 'owner', 'Ada'), await join(send, 'owner', 'Bob')];
    const left = await Promise.all([ada, bob].map((each) => each.send('POST', '/v1/me/leave')));
    expect(left.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    const [last] = (await send('GET', '/v1/members')).body;
    for (const attempt of [
      send('DELETE', `/v1/members/${last.id}`),
      send('PATCH', `/v1/members/${last.id}`, { role: 'reader' }),
    ]) {
      expect((await attempt).body).toMatchObject({ status: 409, type: 'urn:backsolve:problem:last-owner' });
    }
  });

  it("An owner's link signs a member in, once and in this account only", async () => {
    const [first, second] = [await openAccount(), await openAccount()];
    const teacher = await join(first.send, 'owner', 'Tea');
    const { token } = await invite(second.send, { role: 'member' });
    await teacher.send('POST', '/session', { invitation: token });
    const { link } = (await second.send('POST', `/v1/members/${teacher.id}/sign-in-link`)).body;
    const intruder = openBrowser();
    expect((await intruder.send('POST', '/session', { token: tokenIn(link) })).body.person).toBe('Tea');
    expect((await openBrowser().send('POST', '/session', { token: tokenIn(link) })).status).toBe(401);
    const me = (await intruder.send('GET', '/v1/me')).body;
    expect(me.accounts).toHaveLength(1);
    const [{ id: home }] = (await teacher.send('GET', '/v1/me')).body.accounts;
    expect((await intruder.send('POST', '/session', { account: home })).status).toBe(403);
    expect((await intruder.send('GET', '/v1/me/accounts')).body).toHaveLength(1);
    expect((await intruder.send('PATCH', '/v1/me', { name: 'Mallory' })).status).toBe(403);
    // Nor does what the session makes.
    const { key } = (await intruder.send('POST', '/v1/me/keys', { scopes: ['read'] })).body;
    const again = openBrowser();
    await again.send('POST', '/session', { key });
    expect((await again.send('POST', '/session', { account: home })).status).toBe(403);
    const own = (await intruder.send('POST', '/v1/me/sign-in-link')).body;
    await again.send('POST', '/session', { token: tokenIn(own.link) });
    expect((await again.send('POST', '/session', { account: home })).status).toBe(403);
    // The person's own link and key do.
    const free = (await teacher.send('POST', '/v1/me/sign-in-link')).body;
    await again.send('POST', '/session', { token: tokenIn(free.link) });
    expect((await again.send('POST', '/session', { account: home })).status).toBe(201);
  });

  it('Only its person rotates or uses a personal key, and an owner may revoke it', async () => {
    const { send } = await openAccount();
    const [ada, bob] = [await join(send, 'owner', 'Ada'), await join(send, 'member', 'Bob')];
    const { id } = (await ada.send('POST', '/v1/me/keys', { scopes: ['read', 'admin'] })).body;
    expect((await send('POST', `/v1/keys/${id}/rotate`, { overlapSeconds: 60 })).status).toBe(403);
    expect((await bob.send('DELETE', `/v1/me/keys/${id}`)).status).toBe(404);
    const rotated = await ada.send('POST', `/v1/keys/${id}/rotate`, { overlapSeconds: 60 });
    expect(rotated.body).toMatchObject({ personName: 'Ada' });
    expect((await send('DELETE', `/v1/keys/${rotated.body.id}`)).status).toBe(204);
    expect((await ada.send('GET', '/v1/me/keys')).body).toHaveLength(2);
    expect((await send('GET', '/v1/me/keys')).status).toBe(403);
  });
});

describe('sessions', () => {
  it('An owner lists and ends all sessions, others their own', async () => {
    const { send } = await openAccount();
    const [ada, bob] = [await join(send, 'member', 'Ada'), await join(send, 'reader', 'Bob')];
    const all = (await send('GET', '/v1/sessions')).body;
    expect(all).toMatchObject([{ personName: 'Ada' }, { personName: 'Bob' }]);
    const [own] = (await ada.send('GET', '/v1/sessions')).body;
    expect(own).toMatchObject({ personName: 'Ada', isOwn: true });
    const ofBob = all[1].id;
    expect((await ada.send('DELETE', `/v1/sessions/${ofBob}`)).status).toBe(404);
    expect((await bob.send('GET', '/v1/me')).status).toBe(200);
    expect((await send('DELETE', `/v1/sessions/${ofBob}`)).status).toBe(204);
    expect((await bob.send('GET', '/v1/me')).status).toBe(401);
    expect((await ada.send('DELETE', `/v1/sessions/${own.id}`)).status).toBe(204);
    expect((await ada.send('GET', '/v1/me')).status).toBe(401);
  });

  it('Whoever signs in by a link of the service may take a name', async () => {
    const { name } = await openAccount();
    const browser = openBrowser();
    await browser.send('POST', '/session', { token: await createSignInLink(service.db, name) });
    const { body: nobody } = await browser.send('GET', '/v1/me');
    expect(nobody).toMatchObject({ person: null, actor: 'sign-in link', role: null });
    const named = await browser.send('POST', '/session', { name: 'Ada', email: 'ada@example.com' });
    expect(named.body).toMatchObject({ account: name, person: 'Ada', role: 'owner' });
    expect((await browser.send('POST', '/session', { name: 'Bob' })).status).toBe(403);
    expect((await browser.send('PATCH', '/v1/me', { name: 'Ada L.' })).body.person.name).toBe('Ada L.');
    const reader = openBrowser();
    await reader.send('POST', '/session', { key: await service.makeKey(name, ['read']) });
    expect((await reader.send('POST', '/session', { name: 'Eve' })).status).toBe(403);
  });

  it('An operator lets a member in again, with all accounts of the person', async () => {
    const [first, second] = [await openAccount(), await openAccount()];
    const ada = await join(first.send, 'owner', 'Ada');
    await ada.send('POST', '/session', { invitation: (await invite(second.send, { role: 'reader' })).token });
    const browser = openBrowser();
    const token = await createSignInLink(service.db, first.name, { person: 'ada' });
    expect((await browser.send('POST', '/session', { token })).body).toMatchObject({ person: 'Ada', role: 'owner' });
    expect((await browser.send('GET', '/v1/me')).body.accounts).toHaveLength(2);
    await expect(createSignInLink(service.db, first.name, { person: 'Eve' })).rejects.toThrow('There is no member Eve');
  });

  it('A page elsewhere cannot use a session to switch, join or take a name', async () => {
    const { send } = await openAccount();
    const ada = await join(send, 'owner', 'Ada');
    const { token } = await invite(send, { role: 'member' });
    for (const body of [{ account: 1 }, { invitation: token }, { name: 'Eve' }]) {
      const answer = await ada.send('POST', '/session', body, { 'sec-fetch-site': 'same-site' });
      expect(answer.status).toBe(403);
    }
  });
});
