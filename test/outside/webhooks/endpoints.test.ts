import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { MAXIMUM_WEBHOOKS } from '../../../src/application/webhooks/manage-webhooks.ts';
import { EVENT_NAMES } from '../../../src/domain/webhooks/event.ts';
import { type Answered, type NativeService, openNativeService, prepareTrial } from '../../http/native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService();
});
afterAll(() => service.close());

const URL_GIVEN = 'https://receiver.example/hook';

const register = (body: object = {}) => service.send('POST', '/v1/webhooks', { url: URL_GIVEN, ...body });
const propertiesOf = (answered: Answered) =>
  answered.body.errors.map((error: { property: string }) => error.property).toSorted();

describe('a webhook', () => {
  it('A webhook is registered with a secret that is shown only once', async () => {
    const made = await register({ events: ['objective.satisfied'], description: 'our pipeline' });
    expect(made.status).toBe(201);
    expect(made.headers['location']).toBe(`/v1/webhooks/${made.body.id}`);
    const { secret, ...webhook } = made.body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject({
      url: URL_GIVEN,
      events: ['objective.satisfied'],
      description: 'our pipeline',
      enabled: true,
      failingSince: null,
      previousSecretUntil: null,
    });
    const read = await service.send('GET', `/v1/webhooks/${webhook.id}`);
    expect(read.body).toEqual(webhook);
    const listed = await service.send('GET', '/v1/webhooks');
    expect(listed.body).toContainEqual(webhook);
    expect(listed.text + read.text).not.toContain('whsec_');
  });

  it('subscribes to every event unless it names some', async () => {
    expect((await register()).body.events).toBeNull();
    expect((await register({ events: null })).body.events).toBeNull();
    expect((await register({ events: EVENT_NAMES })).body.events).toEqual(EVENT_NAMES);
  });

  it('A webhook is disabled, enabled and changed', async () => {
    const { id } = (await register()).body;
    const patch = (body: object) => service.send('PATCH', `/v1/webhooks/${id}`, body);
    expect((await patch({ enabled: false })).body).toMatchObject({ id, enabled: false, url: URL_GIVEN });
    const change = { enabled: true, url: 'https://other.example/', events: ['inverse.suggested'], description: 'x' };
    expect((await patch(change)).body).toMatchObject(change);
    expect((await patch({ events: null, description: null })).body).toMatchObject({ events: null, description: null });
    expect((await patch({})).body).toMatchObject({ enabled: true, url: 'https://other.example/' });
  });

  it('A webhook gets a new secret, and the same one again under the same Idempotency-Key', async () => {
    const { id, secret: old } = (await register()).body;
    const url = `/v1/webhooks/${id}/rotate-secret`;
    const named = { 'idempotency-key': crypto.randomUUID() };
    const rotated = await service.send('POST', url, { overlapSeconds: 3_600 }, named);
    expect(rotated.status).toBe(200);
    expect(rotated.body).toMatchObject({ id, url: URL_GIVEN, previousSecretUntil: expect.stringMatching(/Z$/) });
    expect(rotated.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.body.secret).not.toBe(old);
    const again = await service.send('POST', url, { overlapSeconds: 3_600 }, named);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([rotated.text, 'true']);
    const read = await service.send('GET', `/v1/webhooks/${id}`);
    expect(read.body).toEqual({ ...rotated.body, secret: undefined });
    for (const body of [
      {},
      { overlapSeconds: -1 },
      { overlapSeconds: 2_592_001 },
      { overlapSeconds: 0, secret: 'x' },
    ]) {
      expect((await service.send('POST', url, body)).status).toBe(400);
    }
  });

  it('A webhook is deleted permanently', async () => {
    const { id } = (await register()).body;
    expect((await service.send('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
    expect((await service.send('GET', `/v1/webhooks/${id}`)).status).toBe(404);
    expect((await service.send('DELETE', `/v1/webhooks/${id}`)).status).toBe(404);
  });

  test.each([
    ['no URL', {}, ['url']],
    ['a URL of another type', { url: 5 }, ['url']],
    ['a relative URL', { url: '/hook' }, ['url']],
    ['a URL without a host', { url: 'https://' }, ['url']],
    ['an empty URL', { url: '' }, ['url']],
    ['a NUL in the URL', { url: 'https://receiver.example/\u0000' }, ['url']],
    ['half of a surrogate pair in the URL', { url: 'https://receiver.example/\ud800' }, ['url']],
    ['a NUL in the description', { url: URL_GIVEN, description: 'a\u0000b' }, ['description']],
    ['a NUL in the name of an event', { url: URL_GIVEN, events: ['project.created\u0000'] }, ['events[0]']],
    ['plain http', { url: 'http://receiver.example/' }, ['url']],
    ['a private address', { url: 'https://10.0.0.1/' }, ['url']],
    ['a private address in hexadecimal', { url: 'https://0x7f000001/' }, ['url']],
    ['a mapped loopback address', { url: 'https://[::ffff:127.0.0.1]/' }, ['url']],
    ['credentials', { url: 'https://user:secret@receiver.example/' }, ['url']],
    ['an unknown event', { url: URL_GIVEN, events: ['project.created', 'project.exploded'] }, ['events[1]']],
    ['no event', { url: URL_GIVEN, events: [] }, ['events']],
    ['an empty description', { url: URL_GIVEN, description: '' }, ['description']],
    ['several faults', { url: 7, events: 'all', description: 5 }, ['description', 'events', 'url']],
  ])('is refused with %s', async (_, body, properties) => {
    const answered = await service.send('POST', '/v1/webhooks', body);
    expect({ status: answered.status, text: answered.text }).toMatchObject({ status: 400 });
    expect(propertiesOf(answered)).toEqual(properties);
  });

  it.each([
    ['tabs and line breaks', 'https://receiver.ex\tample/a\nb\r', 'https://receiver.example/ab'],
    ['backslashes', 'https:\\\\receiver.example\\a\\b', 'https://receiver.example/a/b'],
    ['spaces around it and within', '  https://receiver.example/a b ', 'https://receiver.example/a%20b'],
    ['capitals, a default port and dots', 'HTTPS://Receiver.Example:443/a/../b', 'https://receiver.example/b'],
    ['control characters', 'https://receiver.example/\u0001?\u007f', 'https://receiver.example/%01?%7F'],
    ['letters beyond ASCII', 'https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ])('with %s in its URL is stored with the URL that is called', async (_, url, href) => {
    const made = await register({ url });
    expect([made.status, made.body.url]).toEqual([201, href]);
    const { id } = (await register()).body;
    expect((await service.send('PATCH', `/v1/webhooks/${id}`, { url })).body.url).toBe(href);
    for (const each of [made.body.id, id]) await service.send('DELETE', `/v1/webhooks/${each}`);
  });

  it('A webhook accepts only changes of its own fields, and only to values that can be registered', async () => {
    const { id } = (await register()).body;
    const patch = (body: object) => service.send('PATCH', `/v1/webhooks/${id}`, body);
    expect(propertiesOf(await patch({ secret: 'whsec_own' }))).toEqual(['secret']);
    expect(propertiesOf(await patch({ url: 'https://127.0.0.1/' }))).toEqual(['url']);
    expect(propertiesOf(await patch({ url: 'https://receiver.example/\u0000' }))).toEqual(['url']);
    expect(propertiesOf(await patch({ description: '\u0000' }))).toEqual(['description']);
    expect(propertiesOf(await patch({ enabled: 'no' }))).toEqual(['enabled']);
  });

  it('of another account is not found', async () => {
    const { id } = (await register()).body;
    const stranger = service.sendAs(await service.makeKey('stranger'));
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { enabled: false }]] as const) {
      expect((await stranger(method, `/v1/webhooks/${id}`, body)).status).toBe(404);
    }
    expect((await stranger('GET', `/v1/webhooks/${id}/deliveries`)).status).toBe(404);
    expect((await stranger('GET', '/v1/webhooks')).body).toEqual([]);
    expect((await service.send('GET', `/v1/webhooks/${id}`)).body.enabled).toBe(true);
  });

  it('A webhook needs a key with the scope admin', async () => {
    const { id } = (await register()).body;
    const user = service.sendAs(await service.makeKey('test', ['read', 'write']));
    expect((await user('POST', '/v1/webhooks', { url: URL_GIVEN })).status).toBe(403);
    expect((await user('GET', '/v1/webhooks')).status).toBe(403);
    expect((await user('PATCH', `/v1/webhooks/${id}`, { enabled: false })).status).toBe(403);
    expect((await user('GET', `/v1/webhooks/${id}/deliveries`)).status).toBe(403);
    expect((await user('POST', `/v1/webhooks/${id}/rotate-secret`, { overlapSeconds: 0 })).status).toBe(403);
    const manager = service.sendAs(await service.makeKey('test', ['admin']));
    expect((await manager('GET', `/v1/webhooks/${id}`)).body).toMatchObject({ id, enabled: true });
    expect((await service.sendAs('')('GET', '/v1/webhooks')).status).toBe(401);
  });

  it(`is one of at most ${MAXIMUM_WEBHOOKS} of its account`, async () => {
    const send = service.sendAs(await service.makeKey('collector'));
    for (let k = 0; k < MAXIMUM_WEBHOOKS; k++) await send('POST', '/v1/webhooks', { url: URL_GIVEN });
    const refused = await send('POST', '/v1/webhooks', { url: URL_GIVEN });
    expect({ status: refused.status, detail: refused.body.detail }).toMatchObject({
      status: 400,
      detail: expect.stringContaining(`${MAXIMUM_WEBHOOKS} webhooks`),
    });
    const page = await send('GET', '/v1/webhooks?limit=20');
    expect(page.body).toHaveLength(20);
    expect(page.headers['link']).toContain('rel="next"');
  });
});

describe('the deliveries of a webhook', () => {
  it('The deliveries of a webhook are listed, read and sent again', async () => {
    const send = service.sendAs(await service.makeKey('owner'));
    const { id } = (await send('POST', '/v1/webhooks', { url: URL_GIVEN })).body;
    await prepareTrial(send);
    const deliveries = await send('GET', `/v1/webhooks/${id}/deliveries`);
    expect(deliveries.body).toMatchObject([
      { webhookId: id, event: 'project.created', status: 'waiting', attemptCount: 0, lastStatus: null },
      { webhookId: id, event: 'output_cases.loaded', status: 'waiting', deliveredAt: null, lastError: null },
    ]);
    const [first] = deliveries.body;
    expect(first.nextAttemptAt).toMatch(/Z$/);
    const url = `/v1/webhooks/${id}/deliveries/${first.id}`;
    expect((await send('GET', url)).body).toEqual(first);
    const repeated = await send('POST', `${url}/redeliver`);
    expect(repeated.status).toBe(202);
    expect(repeated.body).toMatchObject({ id: first.id, status: 'waiting', attemptCount: 0 });
  });

  it('The deliveries of a webhook are found only under their webhook', async () => {
    const send = service.sendAs(await service.makeKey('two'));
    const [one, other] = [
      await send('POST', '/v1/webhooks', { url: URL_GIVEN }),
      await send('POST', '/v1/webhooks', { url: URL_GIVEN }),
    ];
    await prepareTrial(send);
    const [delivery] = (await send('GET', `/v1/webhooks/${one.body.id}/deliveries`)).body;
    const wrong = `/v1/webhooks/${other.body.id}/deliveries/${delivery.id}`;
    expect((await send('GET', wrong)).status).toBe(404);
    expect((await send('POST', `${wrong}/redeliver`)).status).toBe(404);
    expect((await send('GET', `/v1/webhooks/${one.body.id}/deliveries/999999`)).status).toBe(404);
    expect((await send('GET', `/v1/webhooks/0/deliveries`)).status).toBe(400);
    expect((await service.send('POST', `/v1/webhooks/${one.body.id}/deliveries/${delivery.id}/redeliver`)).status).toBe(
      404,
    );
  });
});
