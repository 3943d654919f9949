/** Tests what all routes share: routing errors, bodies, keys, pages, Prefer, headers, probes, the reference. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectTo } from '../../harness/database-handle.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { revokeKey } from '../../src/application/accounts/manage-keys.ts';
import { formatApiKey, makeApiKey } from '../../src/domain/accounts/api-key.ts';
import { problemSchema } from '../../src/http/wire/problem.ts';
import {
  type Answered,
  type NativeService,
  OBJECTIVES,
  openNativeService,
  prepareObjective,
  prepareTrial,
} from './native-service.ts';

/** Without a worker, so suggestions are never computed. */
let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({
    settings: { suggestWaitMs: 0, suggestWaitMaximumMs: 1_000, bodyLimitBytes: 3_000_000 },
  });
});
afterAll(() => service.close());

const KIND = 'urn:backsolve:problem:';
const JSON_TYPE = { 'content-type': 'application/json' };

function expectProblem(answered: Answered, status: number): void {
  expect({ status: answered.status, text: answered.text }).toMatchObject({ status });
  expect(answered.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(z.strictObject(problemSchema.shape).safeParse(answered.body).error).toBeUndefined();
  expect(answered.text).not.toMatch(/node_modules|\.ts:|select |stack/);
}

describe('routing', () => {
  it.each(['/v1', '/v2/models', '/v1/modells', '/v1/models/1/x', '/favicon.ico', '/v1/trials/1'])(
    'The unknown path %s gets 404',
    async (url) => {
      for (const send of [service.send, service.sendAs('')]) {
        const answered = await send('GET', url);
        expectProblem(answered, 404);
        expect(answered.body.instance).toBe(url);
      }
    },
  );

  it.each([
    ['PUT', '/v1/models', 'GET, HEAD, POST'],
    ['OPTIONS', '/v1/models', 'GET, HEAD, POST'],
    ['POST', '/v1/models/1', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/v1/trials/1/initialize-inverse', 'POST'],
    ['DELETE', '/v1/models/1/projects/1/output-cases/1', 'GET, HEAD'],
    ['POST', '/livez', 'GET, HEAD'],
    ['TRACE', '/v1/models', 'GET, HEAD, POST'],
    ['QUERY', '/v1/models/1', 'DELETE, GET, HEAD, PATCH'],
    ['POST', '/v1/openapi.json', 'GET, HEAD'],
  ] as const)('%s %s is refused with 405 and Allow', async (method, url, allow) => {
    const answered = await service.send(method, url, method === 'PUT' ? 'not even json' : undefined);
    expectProblem(answered, 405);
    expect(answered.headers.allow).toBe(allow);
  });

  it('HEAD is answered like GET without a body', async () => {
    const head = await service.send('HEAD', '/v1/models');
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('A trailing slash makes no difference', async () => {
    expect((await service.send('GET', '/v1/models/')).status).toBe(200);
  });

  it('A path that is not percent-encoded or too long is refused', async () => {
    expectProblem(await service.send('GET', '/v1/models/%zz'), 400);
    expectProblem(await service.send('GET', `/v1/models/${'1'.repeat(5_000)}`), 414);
  });
});

describe('a body', () => {
  const create = (body: string, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
    service.send('POST', '/v1/models', body, headers);

  it.each([
    ['is cut off', '{"name":"abcd"'],
    ['is no JSON', 'name=abcd'],
    ['is empty', ''],
    ['is blank', '  '],
    ['is NaN', '{"name":NaN}'],
    ['is an array', '[{"name":"abcd"}]'],
    ['is a string', '"abcd"'],
    ['is null', 'null'],
    ['is a number', '7'],
    ['sets the prototype', '{"name":"abcd","__proto__":{"x":1}}'],
    ['sets the prototype of the constructor', '{"name":"abcd","constructor":{"prototype":{"x":1}}}'],
    ['is nested and never closed', '['.repeat(30_000)],
    ['is nested deeply', `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['is nested deeply in an unknown field', `{"name":7,"x":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
  ])('A body that %s is refused with 400', async (_, body) => {
    const answered = await create(body);
    expectProblem(answered, 400);
    expect(answered.body.errors.length).toBeGreaterThan(0);
    expect(answered.text.length).toBeLessThan(2_000);
  });

  it('A body with invalid UTF-8 is refused with 400', async () => {
    const payload = Buffer.concat([Buffer.from('{"name":"abcd'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const headers = { ...JSON_TYPE, authorization: `Bearer ${service.key}` };
    const answered = await service.app.inject({ method: 'POST', url: '/v1/models', headers, payload });
    expect([answered.statusCode, answered.json().detail]).toEqual([400, 'The body is not valid UTF-8.']);
  });

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/jsonx', 'json', ''])(
    'A body of media type "%s" is refused with 415',
    async (type) => expectProblem(await create('{"name":"abcd"}', { 'content-type': type }), 415),
  );

  it('A body without a media type is refused with 415', async () => {
    const headers = { authorization: `Bearer ${service.key}`, 'content-length': '15' };
    const answered = await service.app.inject({
      method: 'POST',
      url: '/v1/models',
      headers,
      payload: Buffer.from('{"name":"abcd"}'),
    });
    expect(answered.statusCode).toBe(415);
  });

  it('An empty body may have any media type or none', async () => {
    const { projectUrl } = await prepareTrial(service.send);
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain;charset=UTF-8']) {
      const headers = { 'content-type': type, 'content-length': '0' };
      expect((await service.send('POST', `${projectUrl}/trials`, undefined, headers)).status).toBe(201);
    }
  });

  it('A body may state its charset', async () => {
    expect(
      (await create('{"name":"with charset"}', { 'content-type': 'application/json; charset=utf-8' })).status,
    ).toBe(201);
  });

  it('A body beyond the limit is refused with 413', async () => {
    expectProblem(await create(`{"name":"${'a'.repeat(3_000_000)}"}`), 413);
  });

  it('A body with a million elements is refused cheaply for its length', async () => {
    const { trialUrl, projectUrl } = await prepareTrial(service.send);
    const million = `[${new Array(1_000_000).fill('"').join(',').replaceAll('"', '1')}]`;
    const many = `[${new Array(100_000).fill('1').join(',')}]`;
    const loaded = await service.send(
      'POST',
      `${trialUrl}/objectives`,
      JSON.stringify(OBJECTIVES).replace('[10,-4,6]', many),
    );
    expectProblem(loaded, 400);
    expect(loaded.body.errors[0]).toMatchObject({ property: 'objectives' });
    expect(loaded.body.errors[0].message).toContain('at most 2500');
    const cases = await service.send(
      'POST',
      `${projectUrl}/output-cases`,
      `{"outputCount":3,"outputCases":${million}}`,
    );
    expect(cases.body.errors[0].message).toContain('at most 10000');
    const rows = await service.send(
      'POST',
      `${projectUrl}/output-cases`,
      `{"outputCount":3,"outputCases":[${million}]}`,
    );
    expect(rows.body.errors[0].property).toBe('outputCases[0]');
  });
});

describe('a key', () => {
  const denied = (headers: Readonly<Record<string, string>>) =>
    service.sendAs('')('GET', '/v1/models', undefined, headers);

  it('A key is accepted as bearer, with the scheme in any case, or as X-API-Key', async () => {
    const carriers: readonly Readonly<Record<string, string>>[] = [
      { authorization: `Bearer ${service.key}` },
      { authorization: `bearer ${service.key}` },
      { 'x-api-key': service.key },
    ];
    for (const headers of carriers) {
      expect((await service.sendAs('')('GET', '/v1/models', undefined, headers)).status).toBe(200);
    }
  });

  it('A missing, malformed, unknown or revoked key always gets the same 401', async () => {
    const revoked = await service.makeKey('revoked');
    await revokeKey(service.db, revoked.split('_')[1]!);
    const wrongSecret = formatApiKey({ keyId: service.key.split('_')[1]!, secret: makeApiKey().secret });
    const answers = await Promise.all([
      denied({}),
      denied({ authorization: 'Bearer' }),
      denied({ authorization: 'Bearer x' }),
      denied({ authorization: `Basic ${service.key}` }),
      denied({ authorization: service.key }),
      denied({ 'x-api-key': '' }),
      denied({ 'x-api-key': service.key.slice(0, -1) }),
      denied({ authorization: `Bearer ${formatApiKey(makeApiKey())}` }),
      denied({ authorization: `Bearer ${wrongSecret}` }),
      denied({ authorization: `Bearer ${revoked}` }),
    ]);
    for (const answered of answers) {
      expectProblem(answered, 401);
      expect(answered.headers['www-authenticate']).toBe('Bearer');
      expect(answered.text).toBe(answers[0]!.text);
    }
  });

  it('A key is required before the body is read', async () => {
    const answered = await service.sendAs('')('POST', '/v1/models', `{"name":"${'a'.repeat(3_000_000)}"}`);
    expectProblem(answered, 401);
    expectProblem(await service.sendAs('')('POST', '/v1/models', 'x', { 'content-type': 'text/plain' }), 401);
  });

  it('A key that may only read gets 403 for a write', async () => {
    const send = service.sendAs(await service.makeKey('test', ['read']));
    expect((await send('GET', '/v1/models')).status).toBe(200);
    expectProblem(await send('POST', '/v1/models', { name: 'abcd' }), 403);
  });

  it("finds nothing of another account: 404, and does not hold the other's names", async () => {
    const { model, projectUrl, trialUrl, trialId, objectiveUrl, set } = await prepareObjective(service.send);
    const inverse = (await service.send('GET', `${objectiveUrl}/inverses`)).body[0];
    const send = service.sendAs(await service.makeKey('stranger'));
    expect((await send('GET', '/v1/models')).body).toEqual([]);
    const urls = [
      `/v1/models/${model.id}`,
      `/v1/models/${model.id}/projects`,
      projectUrl,
      `${projectUrl}/output-cases`,
      `${projectUrl}/output-cases/${set.id}`,
      `${projectUrl}/trials`,
      trialUrl,
      `${trialUrl}/objectives`,
      objectiveUrl,
      `${objectiveUrl}/inverses`,
      `${objectiveUrl}/inverses/${inverse.id}`,
    ];
    for (const url of urls) expectProblem(await send('GET', url), 404);
    const writes: readonly (readonly ['POST' | 'PATCH' | 'PUT' | 'DELETE', string, unknown])[] = [
      ['PATCH', `/v1/models/${model.id}`, { name: 'mine now' }],
      ['DELETE', `/v1/models/${model.id}`, undefined],
      ['DELETE', projectUrl, undefined],
      ['POST', `${projectUrl}/output-cases`, { outputCount: 3, outputCases: [[1, 2, 3]] }],
      ['POST', `${projectUrl}/trials`, {}],
      ['PATCH', trialUrl, { status: 'completed' }],
      ['POST', `${trialUrl}/objectives`, OBJECTIVES],
      ['POST', `/v1/trials/${trialId}/initialize-inverse`, { ...OBJECTIVES, convergence: 0.1 }],
      ['POST', `${objectiveUrl}/inverses`, undefined],
      ['POST', `${objectiveUrl}/stop`, undefined],
      ['POST', `${objectiveUrl}/inverse-output`, { output: [1, 2, 3] }],
      ['PUT', `${objectiveUrl}/inverses/${inverse.id}/output`, { output: [1, 2, 3] }],
      ['DELETE', objectiveUrl, undefined],
    ];
    for (const [method, url, body] of writes) expectProblem(await send(method, url, body), 404);
    expect((await send('POST', '/v1/models', { name: model.name })).status).toBe(201);
  });
});

describe('lists', () => {
  it('Lists are paged, and the Link header leads from page to page', async () => {
    const send = service.sendAs(await service.makeKey('pages'));
    const made: number[] = [];
    for (let i = 0; i < 5; i++) made.push((await send('POST', '/v1/models', { name: `page ${i}` })).body.id);
    const seen: number[] = [];
    const sizes: number[] = [];
    let url: string | undefined = '/v1/models?limit=2';
    while (url !== undefined) {
      const page: Answered = await send('GET', url);
      expect(page.status).toBe(200);
      seen.push(...page.body.map((model: { id: number }) => model.id));
      sizes.push(page.body.length);
      url = /^<([^>]+)>; rel="next"$/.exec(String(page.headers.link ?? ''))?.[1];
    }
    expect([seen, sizes]).toEqual([made, [2, 2, 1]]);
    expect((await send('GET', '/v1/models')).headers.link).toBeUndefined();
    expect((await send('GET', '/v1/models?after=99999999999999999999')).body).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=ten',
    'limit=',
    'limit=1&limit=2',
    'after=0',
    'after=x',
  ])('The query ?%s is refused with 400', async (query) => {
    const answered = await service.send('GET', `/v1/models?${query}`);
    expectProblem(answered, 400);
    expect(answered.body.errors[0].property).toBe(query.split('=')[0]);
  });
});

describe('suggest without a worker', () => {
  it('Suggest answers 202 with a Location to poll, and the same inverse on a repeat', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    const first = await service.send('POST', `${objectiveUrl}/inverses`, undefined, { prefer: 'respond-async' });
    expect(first.status).toBe(202);
    expect(first.headers).toMatchObject({
      location: `${objectiveUrl}/inverses/${first.body.id}`,
      'preference-applied': 'respond-async',
      'retry-after': '1',
    });
    expect(first.body).toMatchObject({ status: 'active', iteration: 2, input: null, suggestTime: 0, computeTime: 0 });
    expect(first.body.results).toHaveLength(3);
    const again = await service.send('POST', `${objectiveUrl}/inverses`, '');
    expect([again.status, again.body.id, again.headers['preference-applied']]).toEqual([202, first.body.id, undefined]);
    const polled = await service.send('GET', String(first.headers.location));
    expect(polled.body).toMatchObject({ id: first.body.id, input: null, output: null });
    const embedded = (await service.send('GET', objectiveUrl)).body.inverses[1];
    expect(embedded).toMatchObject({ id: first.body.id, inputs: [], outputs: [] });
    const early = await service.send('POST', `${objectiveUrl}/inverse-output`, { output: [1, 2, 3] });
    expectProblem(early, 400);
  });

  it('Suggest waits as long as requested, up to the setting', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    const before = performance.now();
    const prefer = 'wait=3600, respond-async';
    const answered = await service.send('POST', `${objectiveUrl}/inverses`, undefined, { prefer });
    expect([answered.status, answered.headers['preference-applied']]).toEqual([202, 'respond-async, wait=1']);
    expect(performance.now() - before).toBeGreaterThan(900);
  });
});

describe('headers', () => {
  it('A sane request id is echoed and any other is replaced', async () => {
    const sent = await service.send('GET', '/v1/models', undefined, { 'x-request-id': 'run-7:a.b/c' });
    expect(sent.headers['x-request-id']).toBe('run-7:a.b/c');
    for (const id of ['a b', 'x'.repeat(129), '"', '']) {
      const answered = await service.send('GET', '/v1/models', undefined, { 'x-request-id': id });
      expect(answered.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('Headers keep answers out of caches and frames', async () => {
    for (const url of ['/v1/models', '/v1/models/x', '/v1/models/999999']) {
      expect((await service.send('GET', url)).headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
    }
  });

  it('Every answer has the headers of security, whether something is at its path or not', async () => {
    const urls = [
      '/v1/openapi.json',
      '/api/openapi.json',
      '/gone',
      '/v1/gone',
      '/v1/models/%zz',
      '/readyz',
      '/',
      '/session',
    ];
    for (const url of [...urls, '/page', '/docs', '/docs/guides/gone', '/page/assets/gone.js', '/v1/models']) {
      const { headers } = await service.send('GET', url);
      expect([url, headers]).toMatchObject([
        url,
        {
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
        },
      ]);
    }
  });

  it('One line per request is logged, with its id and without a key', async () => {
    await service.send('GET', '/v1/models', undefined, { 'x-request-id': 'logged-once' });
    const lines = service.logLines.filter((line) => line.includes('logged-once')).map((line) => JSON.parse(line));
    expect(lines).toEqual([
      expect.objectContaining({
        requestId: 'logged-once',
        msg: 'request.answered',
        method: 'GET',
        route: '/v1/models',
        status: 200,
      }),
    ]);
    expect(service.logLines.join('')).not.toContain(service.key);
  });
});

describe('without a key', () => {
  const send: NativeService['send'] = (...request) => service.sendAs('')(...request);

  it('The probes answer', async () => {
    expect(await send('GET', '/livez')).toMatchObject({ status: 200, body: { status: 'live' } });
    expect(await send('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  it('The document of each interface has the version of the package', async () => {
    for (const prefix of ['/v1', '/api']) {
      const { status, body } = await send('GET', `${prefix}/openapi.json`);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        openapi: '3.1.0',
        servers: [{ url: prefix }],
        info: { version: packageJson.version },
      });
    }
  });

  it('The reference mentions the preference wait only at the Prefer headers of suggestions, the history and the list of objectives', async () => {
    const { paths } = (await send('GET', '/v1/openapi.json')).body;
    const mentioned = Object.entries<Record<string, { parameters: { name: string }[] }>>(paths).flatMap(
      ([path, item]) =>
        Object.entries(item).flatMap(([method, { parameters, ...rest }]) => [
          ...(JSON.stringify(rest).includes('wait=') ? [`${method} ${path}`] : []),
          ...parameters
            .filter((one) => JSON.stringify(one).includes('wait='))
            .map(({ name }) => `${method} ${path} ${name}`),
        ]),
    );
    // Each under its nested and its flat path.
    const objective = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}';
    expect(mentioned.sort()).toEqual(
      [objective, '/objectives/{objective_id}']
        .flatMap((at) => [`get ${at}/history Prefer`, `post ${at}/inverses Prefer`, `post ${at}/suggestions Prefer`])
        .concat('get /objectives Prefer')
        .sort(),
    );
  });
});

describe('trouble', () => {
  it('A service that is not ready answers 503', async () => {
    const t = await openNativeService({ deps: { isDatabaseReady: () => Promise.reject(new Error('no database')) } });
    try {
      expect(await t.send('GET', '/readyz')).toMatchObject({ status: 503, body: { status: 'not ready' } });
      expect((await t.send('GET', '/livez')).status).toBe(200);
    } finally {
      await t.close();
    }
  });

  it('An unavailable database is 503 with Retry-After', async () => {
    const nobody = connectTo('postgres://nobody@127.0.0.1:1/nothing');
    const t = await openNativeService({ deps: { db: nobody } });
    try {
      const answered = await t.send('GET', '/v1/models');
      expectProblem(answered, 503);
      expect(answered.headers['retry-after']).toBe('5');
      expect(answered.body.type).toBe(`${KIND}unavailable`);
    } finally {
      await t.close();
      await nobody.destroy();
    }
  });

  it('An unexpected error is 500, reveals nothing and is logged once', async () => {
    const t = await openNativeService({
      deps: {
        noteKeyUse: () => {
          throw new TypeError('the inside of things');
        },
      },
    });
    try {
      const answered = await t.send('GET', '/v1/models');
      expectProblem(answered, 500);
      expect(answered.text).not.toContain('inside of things');
      expect(t.logLines.filter((line) => line.includes('inside of things'))).toHaveLength(1);
    } finally {
      await t.close();
    }
  });

  it('Requests beyond the limit of an account get 429 with Retry-After', async () => {
    const t = await openNativeService({ settings: { rateLimitPerMinute: 3 } });
    try {
      for (const left of [2, 1, 0]) {
        const answered = await t.send('GET', '/v1/models');
        expect(answered.status).toBe(200);
        expect(answered.headers['ratelimit-policy']).toBe('"default";q=3;w=60');
        expect(answered.headers.ratelimit).toMatch(new RegExp(`^"default";r=${left};t=\\d+$`));
      }
      const answered = await t.send('POST', '/v1/models', { name: 'over the limit' });
      expectProblem(answered, 429);
      expect(Number(answered.headers['retry-after'])).toBeGreaterThan(0);
      expect(answered.headers.ratelimit).toMatch(/^"default";r=0;t=\d+$/);
      expect((await t.sendAs(await t.makeKey('another'))('GET', '/v1/models')).status).toBe(200);
      expect((await t.send('GET', '/livez')).status).toBe(200);
    } finally {
      await t.close();
    }
  });

  it('Requests of an account beyond a tenth of its limit are admitted at the rate of the limit, and others are not held up', async () => {
    const t = await openNativeService({ settings: { rateLimitPerMinute: 1_200 } });
    try {
      const other = t.sendAs(await t.makeKey('another'));
      let pending = 160;
      const read = () => t.send('GET', '/v1/models').finally(() => pending--);
      const answers = Array.from({ length: pending }, read);
      await expect.poll(() => pending).toBeLessThanOrEqual(38);
      expect((await other('GET', '/v1/models')).status).toBe(200);
      expect(pending).toBeGreaterThan(0);
      expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
    } finally {
      await t.close();
    }
  });
});
