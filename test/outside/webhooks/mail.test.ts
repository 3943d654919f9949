/** E-mails to people, over a real SMTP server: who is asked, told and told no more, and what happens when the server does not take one. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries, deliverEvent, tidyEvents } from '../../../src/application/webhooks/deliver-events.ts';
import { renderEvent } from '../../../src/application/webhooks/render-event.ts';
import { renderMail } from '../../../src/application/webhooks/render-mail.ts';
import { makeMemoryWindow, makeRateLimiter } from '../../../src/http/fairness/rate-limiter.ts';
import { WrongKeys } from '../../../src/http/fairness/wrong-keys.ts';
import { sdkEvents } from '../../../src/http/sdk/events.wire.ts';
import { makeMailSender } from '../../../src/outside/webhooks/send-mail.ts';
import {
  type NativeService,
  NEVER,
  openNativeService,
  prepareObjective,
  prepareTrial,
} from '../../http/native-service.ts';
import { CERTIFICATE } from '../../support/localhost-certificate.ts';
import { type MailServer, openMailServer } from '../../support/mail-server.ts';
import { MAXIMUM_BYTES, send as sendEvent } from './outbox.ts';

const PUBLIC_URL = 'https://backsolve.example';
const FROM = 'Backsolve <backsolve@example.com>';
const TRUSTED = getCACertificates('default');
const clock = { ms: 1_000_000 };

let service: NativeService;
let server: MailServer;
beforeAll(async () => {
  setDefaultCACertificates([...TRUSTED, CERTIFICATE]);
  service = await openNativeService({
    hasWorker: true,
    settings: { hasMail: true, publicUrl: PUBLIC_URL },
    deps: { wrongKeys: new WrongKeys({ limit: 5, now: () => clock.ms }) },
  });
});
afterAll(async () => {
  setDefaultCACertificates(TRUSTED);
  await service.close();
});
beforeEach(async () => {
  clock.ms += 120_000;
  server = await openMailServer();
});
afterEach(async () => {
  await server.close();
  await sql`delete from webhooks`.execute(service.db);
  await sql`delete from events`.execute(service.db);
});

/** Sends what is due, or what will be due within `minutes`, through `url`, and returns the outcomes. */
async function deliver({ url = `smtp://localhost:${server.port}`, allowPlain = false, minutes = 0 } = {}) {
  await sql`update webhook_deliveries set visible_at = visible_at - make_interval(mins => ${minutes})`.execute(
    service.db,
  );
  const mail = makeMailSender({ url, from: FROM, allowPlain });
  const letters = { db: service.db, publicUrl: PUBLIC_URL, cell: undefined };
  const deps = {
    db: service.db,
    send: ({ kind, ...outgoing }: Parameters<typeof mail>[0], signal: AbortSignal) =>
      kind === 'mail' ? mail({ kind, ...outgoing }, signal) : sendEvent(outgoing, signal),
    bodyOf: (event: Parameters<typeof renderEvent>[1], delivery: Parameters<typeof renderMail>[1]) =>
      delivery.kind === 'mail'
        ? renderMail(letters, delivery)
        : renderEvent({ db: service.db, form: sdkEvents, maximumBytes: MAXIMUM_BYTES }, event),
  };
  const limits = { healthyLimit: 100, failingLimit: 100, perWebhook: 100, leaseMs: 60_000, workerName: 'test' };
  const outcomes = [];
  for (const delivery of (await claimDeliveries(service.db, limits)).toSorted((a, b) => a.id - b.id)) {
    outcomes.push(await deliverEvent(deps, delivery, new AbortController().signal));
  }
  return outcomes;
}

const add = async (body: object) => {
  const answer = await service.send('POST', '/v1/recipients', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const listed = async () => (await service.send('GET', '/v1/recipients')).body;

/** The address in the newest e-mail, without its origin. */
function linkIn(act: 'confirm' | 'stop'): string {
  const { source } = server.mails.at(-1)!;
  return new RegExp(`${PUBLIC_URL}(/mail/${act}/[\\w-]+)`).exec(source)![1]!;
}
const follow = (path: string, method: 'GET' | 'POST' = 'POST') =>
  service.app.inject({
    method,
    url: path,
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    ...(method === 'POST' && { payload: 'List-Unsubscribe=One-Click' }),
  });

/** A person who has agreed. */
async function addConfirmed(body: object = {}) {
  const recipient = await add({ email: 'rig@example.com', ...body });
  await deliver();
  expect((await follow(linkIn('confirm'))).statusCode).toBe(200);
  return recipient;
}

const subjectOf = (source: string) => /^Subject: (.*)$/m.exec(source)![1]!.trim();

describe('a person', () => {
  it('is asked once, told nothing before they agree, and told afterwards with a link to the result', async () => {
    const recipient = await add({ email: 'rig@example.com' });
    expect(recipient).toMatchObject({
      confirmedAt: null,
      tells: ['ended', 'waiting'],
      objectiveId: null,
      enabled: true,
    });
    const { objectiveUrl } = await prepareObjective(service.send, NEVER);
    await service.send('POST', `${objectiveUrl}/stop`, {});
    await deliver();
    expect(server.mails.map(({ to, source }) => [to, subjectOf(source)])).toEqual([
      [['rig@example.com'], 'Backsolve: do you want to be told by e-mail?'],
    ]);
    const page = await follow(linkIn('confirm'), 'GET');
    expect(page.body).toContain('<button>Yes, tell me</button>');
    // A mail program that opens links agrees to nothing.
    expect((await listed())[0].confirmedAt).toBeNull();
    expect((await follow(linkIn('confirm'))).body).toContain('You will be told from now on.');
    expect((await listed())[0].confirmedAt).not.toBeNull();

    const other = await prepareObjective(service.send, NEVER);
    await service.send('POST', `${other.objectiveUrl}/stop`, {});
    expect(await deliver()).toEqual([{ kind: 'delivered', status: 250 }]);
    const { source, from, isEncrypted } = server.mails.at(-1)!;
    expect([from, isEncrypted]).toEqual(['backsolve@example.com', true]);
    expect(subjectOf(source)).toBe('linear: the search has stopped');
    expect(source).toContain(`${PUBLIC_URL}/page/objectives/${other.loaded.body.id}\r\n`);
    expect(source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
  });

  it('stops all e-mails by one click, and is asked again if somebody adds them again', async () => {
    await addConfirmed();
    const { objectiveUrl } = await prepareObjective(service.send, NEVER);
    await service.send('POST', `${objectiveUrl}/stop`, {});
    await deliver();
    const stop = linkIn('stop');
    expect((await follow(stop, 'GET')).body).toContain('No more e-mails');
    expect(await listed()).toHaveLength(1);
    expect((await follow(stop)).statusCode).toBe(200);
    expect(await listed()).toEqual([]);
    const again = await follow(stop);
    expect([again.statusCode, again.body.includes('No e-mails are sent to it.')]).toEqual([404, true]);
    expect(await add({ email: 'rig@example.com' })).toMatchObject({ confirmedAt: null });
  });

  it('is told of an input only if it waits, with all that wait together', async () => {
    await addConfirmed({ tells: ['waiting'] });
    const { objectiveUrl, loaded } = await prepareObjective(service.send, { ...NEVER, parallelism: 3 });
    const ask = async () => (await service.send('POST', `${objectiveUrl}/inverses`)).body;
    const [first] = [await ask(), await ask(), await ask()];
    expect(await deliver()).toEqual([]);
    const outcomes = await deliver({ minutes: 3 });
    expect(outcomes.map((outcome) => outcome.kind === 'delivered' && outcome.status)).toEqual([250, null, null]);
    const { source } = server.mails.at(-1)!;
    expect(subjectOf(source)).toBe('linear: 3 runs wait for outputs');
    expect(source).toContain(`${PUBLIC_URL}/page/objectives/${loaded.body.id}\r\n`);
    // One that a program runs has its output by then.
    await service.send('PUT', `${objectiveUrl}/inverses/${first.id}/output`, { output: [1, 2, 3] });
    const { id } = await ask();
    await service.send('PUT', `${objectiveUrl}/inverses/${id}/output`, { output: [1, 2, 4] });
    const before = server.mails.length;
    expect(await deliver({ minutes: 3 })).toEqual([{ kind: 'delivered', status: null }]);
    expect(server.mails).toHaveLength(before);
  });

  it('of one objective hears of that one alone, and of no objective of a batch', async () => {
    const [mine, other] = [await prepareObjective(service.send, NEVER), await prepareObjective(service.send, NEVER)];
    await addConfirmed({ objectiveId: mine.loaded.body.id });
    for (const { objectiveUrl } of [mine, other]) await service.send('POST', `${objectiveUrl}/stop`, {});
    expect(await deliver()).toHaveLength(1);
    expect(server.mails.at(-1)!.source).toContain(`/page/objectives/${mine.loaded.body.id}\r\n`);

    await addConfirmed({ email: 'boss@example.com' });
    const { projectUrl } = await prepareTrial(service.send);
    const batch = await service.send('POST', `${projectUrl}/batches`, {
      name: 'night',
      objectives: [{ objectives: [1, 2, 3], objectiveTypes: ['minimize', 'minimize', 'minimize'] }],
    });
    await sql`
      insert into events (account_id, name, resource_id) select account_id, 'objective.stopped', id from objectives where batch_id = ${batch.body.id}`.execute(
      service.db,
    );
    await service.send('POST', `/v1/batches/${batch.body.id}/cancel`, {});
    expect(await deliver({ minutes: 3 })).toEqual([]);
  });

  it('who is there already is told what is sent now, and not asked again once they have agreed', async () => {
    const { id } = await addConfirmed();
    expect(await add({ email: 'rig@example.com', tells: ['ended'] })).toMatchObject({ id, tells: ['ended'] });
    expect(await deliver()).toEqual([]);
    expect(await listed()).toHaveLength(1);
  });

  it('who does not agree within a week is removed', async () => {
    await add({ email: 'rig@example.com' });
    await sql`update webhooks set updated_at = now() - interval '8 days'`.execute(service.db);
    await tidyEvents(service.db);
    expect(await listed()).toEqual([]);
  });
});

describe('a mail server', () => {
  const failed = (error: string, isDead = false) => [{ kind: 'failed', error, isDead }];

  it('that is down is tried again until it is up, and the page says what is wrong', async () => {
    await add({ email: 'rig@example.com' });
    const { port } = server;
    await server.close();
    expect(await deliver()).toEqual(failed('the mail server could not be reached (ESOCKET)'));
    expect((await listed())[0]).toMatchObject({
      failingSince: expect.any(String),
      lastError: 'the mail server could not be reached (ESOCKET)',
    });
    server = await openMailServer({ port });
    expect(await deliver({ minutes: 1 })).toEqual([{ kind: 'delivered', status: 250 }]);
    expect((await listed())[0]).toMatchObject({ failingSince: null, lastError: null });
  });

  it('that greylists takes the e-mail at the next attempt, under the same id', async () => {
    await add({ email: 'rig@example.com' });
    server.refusals = new Map([['rig@example.com', { code: 451, text: '4.7.1 greylisted, try again' }]]);
    expect(await deliver()).toEqual(failed('the mail server does not take e-mails for this address now (451)'));
    server.refusals = new Map();
    expect(await deliver({ minutes: 1 })).toEqual([{ kind: 'delivered', status: 250 }]);
    expect(server.mails.at(-1)!.source).toMatch(/^Message-ID: <evt_\d+@backsolve\.example>$/m);
  });

  it('that knows no such mailbox ends the e-mails to it', async () => {
    await add({ email: 'gone@example.com' });
    server.refusals = new Map([['gone@example.com', { code: 550, text: '5.1.1 no such user' }]]);
    expect(await deliver()).toEqual(failed('the mail server refuses this address (550)', true));
    expect((await listed())[0]).toMatchObject({
      enabled: false,
      lastError: 'the mail server refuses this address (550)',
    });
    expect(await add({ email: 'gone@example.com' })).toMatchObject({ enabled: true });
  });

  it('without TLS, or with a certificate that nobody trusts, gets no e-mail and no password', async () => {
    await add({ email: 'rig@example.com' });
    const plain = await openMailServer({ offersTls: false });
    const url = `smtp://localhost:${plain.port}`;
    const noTls = failed('the mail server offers no TLS, or its certificate is not trusted');
    expect(await deliver({ url })).toEqual(noTls);
    setDefaultCACertificates(TRUSTED);
    expect(await deliver({ minutes: 1 })).toEqual(noTls);
    setDefaultCACertificates([...TRUSTED, CERTIFICATE]);
    expect([plain.mails, server.mails]).toEqual([[], []]);
    // The operator may say that it is on the same machine.
    expect(await deliver({ url, allowPlain: true, minutes: 30 })).toEqual([{ kind: 'delivered', status: 250 }]);
    expect(plain.mails[0]!.isEncrypted).toBe(false);
    await plain.close();
  });

  it('that asks for a password gets it, and a wrong one is named', async () => {
    await add({ email: 'rig@example.com' });
    const strict = await openMailServer({ user: { name: 'rig', password: 'p@ss' } });
    expect(await deliver({ url: `smtp://rig:wrong@localhost:${strict.port}` })).toEqual(
      failed('the mail server refuses the user or the password of SMTP_URL'),
    );
    const outcomes = await deliver({ url: `smtp://rig:p%40ss@localhost:${strict.port}`, minutes: 1 });
    expect(outcomes).toEqual([{ kind: 'delivered', status: 250 }]);
    await strict.close();
  });
});

describe('recipients', () => {
  it('are refused where the operator has not set up e-mail, and beyond a number within an hour', async () => {
    const none = await openNativeService();
    const refused = await none.send('POST', '/v1/recipients', { email: 'rig@example.com' });
    expect([refused.status, refused.body.type]).toEqual([501, 'urn:backsolve:problem:mail-not-set-up']);
    await none.close();
    const policy = { limit: 2, windowSeconds: 3_600 };
    const now = () => 0;
    const limited = await openNativeService({
      settings: { hasMail: true, publicUrl: PUBLIC_URL },
      deps: { mailLimiter: makeRateLimiter(policy, makeMemoryWindow(policy.limit, now), now) },
    });
    const send = (email: string) => limited.send('POST', '/v1/recipients', { email });
    expect([(await send('a@example.com')).status, (await send('b@example.com')).status]).toEqual([201, 201]);
    expect((await send('c@example.com')).body.type).toBe('urn:backsolve:problem:too-many-recipients');
    await limited.close();
  });

  it('are no webhooks, and those of another account or its objectives cannot be named', async () => {
    const { id } = await add({ email: 'rig@example.com' });
    expect((await service.send('GET', '/v1/webhooks')).body).toEqual([]);
    for (const [method, path, body] of [
      ['GET', `/v1/webhooks/${id}`, undefined],
      ['PATCH', `/v1/webhooks/${id}`, { enabled: false }],
      ['DELETE', `/v1/webhooks/${id}`, undefined],
      ['GET', `/v1/webhooks/${id}/deliveries`, undefined],
      ['POST', `/v1/webhooks/${id}/rotate-secret`, { overlapSeconds: 0 }],
    ] as const) {
      expect((await service.send(method, path, body)).status, path).toBe(404);
    }
    const { loaded } = await prepareObjective(service.send, NEVER);
    const stranger = service.sendAs(await service.makeKey('stranger'));
    const foreign = await stranger('POST', '/v1/recipients', { email: 'a@example.com', objectiveId: loaded.body.id });
    expect([foreign.status, foreign.body.detail]).toEqual([404, `There is no objective ${loaded.body.id}.`]);
    expect((await stranger('DELETE', `/v1/recipients/${id}`)).status).toBe(404);
    expect((await service.send('DELETE', `/v1/recipients/${id}`)).status).toBe(204);
  });

  it('An address or a list of kinds that cannot be is refused with what to send', async () => {
    for (const [body, property] of [
      [{ email: 'rig' }, 'email'],
      [{ email: 'a@b.example\r\nBcc: c@d.example' }, 'email'],
      [{ email: 'rig@example.com', tells: [] }, 'tells'],
    ] as const) {
      const { status, body: problem } = await service.send('POST', '/v1/recipients', body);
      expect([status, problem.errors[0].property]).toEqual([400, property]);
    }
  });

  it('Names with line breaks and signs stay in their line of the e-mail', async () => {
    await addConfirmed();
    const { objectiveUrl, loaded } = await prepareObjective(service.send, NEVER);
    await sql`update objectives set label = ${'Grün\r\nBcc: x@example.com\n\nhttps://evil.example'} where id = ${loaded.body.id}`.execute(
      service.db,
    );
    await service.send('POST', `${objectiveUrl}/stop`, {});
    await deliver();
    const { source, to } = server.mails.at(-1)!;
    expect(to).toEqual(['rig@example.com']);
    expect(source).not.toMatch(/^Bcc:/m);
    expect(source).toContain('Problem: Grün Bcc: x@example.com https://evil.example\r\n');
  });

  it('Who tries wrong links of e-mails has to wait', async () => {
    for (let i = 0; i < 5; i++) expect((await follow(`/mail/stop/${i + 1}-${'0'.repeat(40)}`)).statusCode).toBe(404);
    expect((await follow(`/mail/stop/9-${'0'.repeat(40)}`)).statusCode).toBe(429);
  });
});
