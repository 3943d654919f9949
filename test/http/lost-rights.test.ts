/** Whoever loses rights keeps none by what they made before: invitations, sign-in links, sessions, keys, requests under way. */
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAXIMUM_SESSIONS } from '../../src/domain/accounts/browser-session.ts';
import { MAXIMUM_OWN_KEYS, type Role } from '../../src/domain/people/people.ts';
import { makePeople, tokenIn } from '../support/people.ts';
import { type NativeService, openNativeService, prepareObjective, type Send } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService();
});
afterAll(() => service.close());

const { openBrowser, invite, accept, join } = makePeople(() => service);

let accounts = 0;
/** An account with an owner who stays. */
async function openTeam() {
  const name = `team ${++accounts}`;
  const send = service.sendAs(await service.makeKey(name));
  const olga = await join(send, 'owner', 'Olga');
  return { name, send, olga };
}

const makeReader = (send: Send, id: number) => send('PATCH', `/v1/members/${id}`, { role: 'reader' });
const remove = (send: Send, id: number) => send('DELETE', `/v1/members/${id}`);

async function expectClosed(token: string) {
  for (const [path, name] of [
    ['/session', { name: 'Bob' }],
    ['/session/invitation', {}],
  ] as const) {
    const answer = await openBrowser().send('POST', path, { invitation: token, ...name });
    expect(answer, answer.text).toMatchObject({ status: 401, body: { type: 'urn:backsolve:problem:link-ended' } });
  }
}

describe('an invitation', () => {
  const GIVES = [{ role: 'owner' }, { role: 'reader' }, { opens: 'an account for each', maximumUses: 5 }];

  it.each(GIVES)('An owner who is a reader now admits nobody any more: %j', async (wanted) => {
    const { send } = await openTeam();
    const ada = await join(send, 'owner', 'Ada');
    const { id, token } = await invite(ada.send, wanted);
    expect((await send('GET', `/v1/invitations/${id}`)).body.isOpen).toBe(true);
    await makeReader(send, ada.id);
    await expectClosed(token);
    expect((await send('GET', `/v1/invitations/${id}`)).body).toMatchObject({ isOpen: false, uses: 0 });
    // The right counts, not what happened to it in between.
    await send('PATCH', `/v1/members/${ada.id}`, { role: 'owner' });
    await accept(token, 'Bob');
  });

  it('A key that is revoked, has expired or was rotated away admits nobody any more', async () => {
    const { send, olga } = await openTeam();
    const make = async (end: (id: number) => Promise<unknown>) => {
      const { key, id } = (await olga.send('POST', '/v1/me/keys', { scopes: ['read', 'write', 'admin'] })).body;
      const { token } = await invite(service.sendAs(key), { role: 'member' });
      const browser = openBrowser();
      await browser.send('POST', '/session', { key });
      const ofSession = await invite(browser.send as unknown as Send, { role: 'member' });
      await end(id);
      await expectClosed(token);
      await expectClosed(ofSession.token);
    };
    await make((id) => olga.send('DELETE', `/v1/me/keys/${id}`));
    await make((id) => sql`update api_keys set expires_at = now() where id = ${id}`.execute(service.db));
    await make((id) => olga.send('POST', `/v1/keys/${id}/rotate`, { overlapSeconds: 0 }));
    const ofAccount = await send('POST', '/v1/keys', { scopes: ['read', 'write', 'admin'] });
    const { token } = await invite(service.sendAs(ofAccount.body.key), { role: 'member' });
    await send('DELETE', `/v1/keys/${ofAccount.body.id}`);
    await expectClosed(token);
  });

  it('A key admits nobody with rights that it lacks, even if its person has them', async () => {
    const { olga } = await openTeam();
    const { key } = (await olga.send('POST', '/v1/me/keys', { scopes: ['read', 'admin'] })).body;
    expect((await service.sendAs(key)('POST', '/v1/invitations', { role: 'member' })).status).toBe(403);
    await accept((await invite(service.sendAs(key), { role: 'reader' })).token, 'Bob');
  });

  it('Two people who accept the last place at once, while its maker is demoted, make no owner afterwards', async () => {
    const { send } = await openTeam();
    const ada = await join(send, 'owner', 'Ada');
    const { token } = await invite(ada.send, { role: 'owner', maximumUses: 1 });
    const take = (name: string) => openBrowser().send('POST', '/session', { invitation: token, name });
    const [demoted, ...taken] = await Promise.all([makeReader(send, ada.id), take('Bob'), take('Eve')]);
    expect(demoted.status).toBe(200);
    expect(taken.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
    await expectClosed(token);
  });
});

describe('a sign-in link that an owner made for somebody', () => {
  const LOSSES: readonly (readonly [string, (send: Send, id: number) => Promise<unknown>])[] = [
    ['made a reader', makeReader],
    ['removed', remove],
  ];

  it.each(LOSSES)('An owner who is %s cannot use it, nor what was begun with it', async (_, lose) => {
    const { send, olga } = await openTeam();
    const mallory = await join(send, 'owner', 'Mallory');
    const linkFor = async () => tokenIn((await mallory.send('POST', `/v1/members/${olga.id}/sign-in-link`)).body.link);
    const [used, kept] = [await linkFor(), await linkFor()];
    const asOlga = openBrowser();
    expect((await asOlga.send('POST', '/session', { token: used })).body.person).toBe('Olga');
    // Nor what comes of it.
    expect((await asOlga.send('POST', `/v1/members/${olga.id}/sign-in-link`)).status).toBe(403);
    const own = tokenIn((await asOlga.send('POST', '/v1/me/sign-in-link')).body.link);
    const { token } = await invite(asOlga.send as unknown as Send, { role: 'owner' });
    const { body: key } = await asOlga.send('POST', '/v1/me/keys', { scopes: ['read'] });
    await lose(send, mallory.id);
    expect((await asOlga.send('GET', '/v1/me')).status).toBe(401);
    for (const link of [kept, own]) {
      expect((await openBrowser().send('POST', '/session', { token: link })).status).toBe(401);
    }
    await expectClosed(token);
    expect((await olga.send('GET', '/v1/me')).status).toBe(200);
    // A key belongs to its person, who sees who made it.
    expect(key.createdBy).toBe('Olga, by a sign-in link of Mallory');
    expect((await olga.send('GET', '/v1/me/keys')).body).toMatchObject([{ createdBy: key.createdBy }]);
  });

  it('A key that made it ends it, with its session', async () => {
    const { send, olga, name } = await openTeam();
    const { key, id } = (await send('POST', '/v1/keys', { scopes: ['read', 'write', 'admin'], label: 'ops' })).body;
    const linkFor = async () =>
      tokenIn((await service.sendAs(key)('POST', `/v1/members/${olga.id}/sign-in-link`)).body.link);
    const [used, kept] = [await linkFor(), await linkFor()];
    const browser = openBrowser();
    expect((await browser.send('POST', '/session', { token: used })).body.account).toBe(name);
    await send('DELETE', `/v1/keys/${id}`);
    expect((await browser.send('GET', '/v1/me')).status).toBe(401);
    expect((await openBrowser().send('POST', '/session', { token: kept })).status).toBe(401);
  });
});

describe('the last owner', () => {
  it('Two owners who demote each other leave one', async () => {
    const { olga, send } = await openTeam();
    const ada = await join(send, 'owner', 'Ada');
    const answers = await Promise.all([makeReader(olga.send, ada.id), makeReader(ada.send, olga.id)]);
    expect(answers.map(({ status }) => status).toSorted()[0]).toBe(200);
    const roles = (await send('GET', '/v1/members')).body.map(({ role }: { role: Role }) => role);
    expect(roles.toSorted()).toEqual(['owner', 'reader']);
  });

  it('One who leaves and one who is demoted at once leave an owner', async () => {
    const { olga, send } = await openTeam();
    const ada = await join(send, 'owner', 'Ada');
    await Promise.all([ada.send('POST', '/v1/me/leave'), makeReader(send, olga.id), remove(send, olga.id)]);
    const owners = (await send('GET', '/v1/members')).body.filter(({ role }: { role: Role }) => role === 'owner');
    expect(owners).toHaveLength(1);
  });
});

describe('a request under way', () => {
  it('A body that arrives after its sender was demoted does nothing', async () => {
    const { send } = await openTeam();
    const ada = await join(send, 'owner', 'Ada');
    const { key } = (await ada.send('POST', '/v1/me/keys', { scopes: ['read', 'write', 'admin'] })).body;
    for (const [url, body] of [
      ['/v1/invitations', { role: 'owner' }],
      ['/v1/keys', { scopes: ['admin'] }],
      ['/v1/models', { name: 'late' }],
    ] as const) {
      await send('PATCH', `/v1/members/${ada.id}`, { role: 'owner' });
      const text = JSON.stringify(body);
      const late = (async function* () {
        yield Buffer.from(text.slice(0, 3));
        await makeReader(send, ada.id);
        yield Buffer.from(text.slice(3));
      })();
      const answer = await service.app.inject({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        payload: Readable.from(late),
      });
      expect(answer.statusCode, answer.body).toBe(403);
    }
    expect((await send('GET', '/v1/models')).body).toHaveLength(0);
    expect((await send('GET', '/v1/invitations')).body.filter(({ isOpen }: { isOpen: boolean }) => isOpen)).toEqual([]);
  });

  it('A request that waits when its person may no longer read is refused', async () => {
    const { send } = await openTeam();
    const { loaded } = await prepareObjective(send);
    const ada = await join(send, 'member', 'Ada');
    const url = `${loaded.headers['location']}/history`;
    const etag = String((await ada.send('GET', url)).headers['etag']);
    const waiting = ada.send('GET', url, undefined, {
      'sec-fetch-site': 'same-origin',
      'if-none-match': etag,
      prefer: 'wait=20',
    });
    await send('PATCH', `/v1/members/${ada.id}`, { role: 'evaluator' });
    await send('PATCH', loaded.headers['location'] as string, { label: 'changed meanwhile' });
    expect((await waiting).status).toBe(403);
  });

  it('An evaluator who is removed reports nothing, and a claimed evaluation goes to another', async () => {
    const { send } = await openTeam();
    const { model, project } = await prepareObjective(send);
    const BATCH = { objectives: [{ objectives: [1, 2], objectiveTypes: ['minimize', 'minimize'] }] };
    await send('POST', `/v1/models/${model.id}/projects/${project.id}/batches`, BATCH);
    const rig = await join(send, 'evaluator', 'Rig');
    const { key } = (await rig.send('POST', '/v1/me/keys', { scopes: ['evaluate'] })).body;
    const program = service.sendAs(key);
    const { evaluations } = (await program('POST', '/v1/evaluations/claim', { evaluator: 'rig' })).body;
    const [{ id, leaseToken }] = evaluations;
    await remove(send, rig.id);
    for (const [method, path, body] of [
      ['POST', 'heartbeat', { leaseToken }],
      ['PUT', 'output', { leaseToken, output: [1, 2, 3] }],
      ['POST', 'release', { leaseToken }],
    ] as const) {
      expect((await program(method, `/v1/evaluations/${id}/${path}`, body)).status).toBe(401);
    }
    expect((await send('GET', `/v1/evaluations/${id}`)).body.state).not.toBe('completed');
  });
});

describe('the share of one person', () => {
  it(`Signing in ${MAXIMUM_SESSIONS + 10} times ends one's own oldest sessions and nobody else's`, async () => {
    const { send, olga } = await openTeam();
    const eve = await join(send, 'reader', 'Eve');
    const key = (await eve.send('POST', '/v1/me/keys', { scopes: ['read'] })).body.key;
    for (let i = 0; i < MAXIMUM_SESSIONS + 10; i++) {
      expect((await openBrowser().send('POST', '/session', { key })).status).toBe(201);
    }
    expect((await olga.send('GET', '/v1/me')).status).toBe(200);
    expect((await eve.send('GET', '/v1/me')).status).toBe(401);
    const { rows } = await sql`
      select from browser_sessions where person_id = ${eve.id}`.execute(service.db);
    expect(rows).toHaveLength(MAXIMUM_SESSIONS);
  });

  it(`A person has ${MAXIMUM_OWN_KEYS} keys at most, so that others can make theirs`, async () => {
    const { send } = await openTeam();
    const eve = await join(send, 'reader', 'Eve');
    const make = () => eve.send('POST', '/v1/me/keys', { scopes: ['read'] });
    const made = await Promise.all(Array.from({ length: MAXIMUM_OWN_KEYS + 5 }, make));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(MAXIMUM_OWN_KEYS);
    expect(made.filter(({ status }) => status === 400)).toHaveLength(5);
    expect((await send('POST', '/v1/keys', { scopes: ['read'] })).status).toBe(201);
    await eve.send('DELETE', `/v1/me/keys/${made.find(({ status }) => status === 201)!.body.id}`);
    expect((await make()).status).toBe(201);
  });
});
