/** The client against the real service: a whole search, every kind of answer and error, and their types. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import {
  Backsolve,
  BacksolveError,
  ForbiddenError,
  type History,
  type InputCase,
  IterationOpenError,
  type Model,
  NotBacksolveError,
  NotFoundError,
  type RunLine,
  StopReason,
  type Suggestion,
  TrialClosedError,
  UnauthenticatedError,
  ValidationFailedError,
} from '../../../clients/typescript/src/index.ts';
import { openFront } from '../../support/front.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { blackBox, prepareSearch } from './search.ts';

let service: TestService;
let url: string;
let client: Backsolve;

beforeAll(async () => {
  service = await startTestService();
  url = service.service.url!;
  client = new Backsolve({ url, key: service.key });
});
afterAll(() => service.close());

const errorOf = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a search', () => {
  it('reaches its targets, and its runs are read as JSON, as CSV and line by line', async () => {
    const { inObjective } = await prepareSearch(client);
    let runs = 0;
    for (let isSatisfied = false; !isSatisfied && runs < 20; runs++) {
      const { body: inverse } = await client.untilSuggested('suggestInverse', { path: inObjective });
      const { body: reported } = await client.call('loadInverseOutput', {
        path: inObjective,
        body: { output: blackBox(inverse.input!) },
      });
      isSatisfied = reported.status === 'converged';
    }
    expect((await client.call('getObjective', { path: inObjective })).body.stopReason).toBe(StopReason.SATISFIED);

    const { body: inverses } = await client.call('listInverses', { path: inObjective });
    const inputs = inverses.filter(({ iteration }) => iteration > 1).map(({ input }) => input);
    expect(inputs).toHaveLength(runs);
    const csv = await client.call('listInverses', { path: inObjective, accept: 'text/csv' });
    expectTypeOf(csv.body).toEqualTypeOf<string>();
    expect(csv.body.trim().split('\r\n').length).toBe(inverses.length + 1);
    const lines: RunLine[] = [];
    for await (const line of client.lines('listInverses', { path: inObjective })) lines.push(line);
    expect(lines.map(({ iteration }) => iteration)).toEqual(inverses.map(({ iteration }) => iteration));
    const text = await client.call('listInverses', { path: inObjective, accept: 'application/x-ndjson' });
    expectTypeOf(text.body).toEqualTypeOf<string>();
    expect(
      text.body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(lines);
  });

  it('A history that has not changed is answered without a body', async () => {
    const { inObjective } = await prepareSearch(client);
    const first = await client.call('getHistory', { path: inObjective, query: { after: 0 } });
    expectTypeOf(first).toEqualTypeOf<{ readonly status: 200; readonly body: History; readonly headers: Headers }>();
    const second = await client.call('getHistory', {
      path: inObjective,
      query: { after: 0 },
      ifNoneMatch: first.headers.get('etag')!,
    });
    expect(second).toMatchObject({ status: 304, body: undefined });
    expectTypeOf(second.status).toEqualTypeOf<200 | 304>();
    if (second.status === 304) expectTypeOf(second.body).toEqualTypeOf<undefined>();
  });

  it('A request that does not wait for its suggestion gets 202, and untilSuggested waits for that suggestion', async () => {
    const { inObjective } = await prepareSearch(client);
    const idempotencyKey = 'a "key" with \\ in it';
    const early = await client.call('suggestInverse', { path: inObjective, prefer: 'respond-async', idempotencyKey });
    expect(early).toMatchObject({ status: 202, body: { input: null } });
    const { status, body } = await client.untilSuggested('suggestInverse', {
      path: inObjective,
      prefer: 'respond-async',
      idempotencyKey,
    });
    expectTypeOf(status).toEqualTypeOf<201>();
    expectTypeOf(body).toEqualTypeOf<Suggestion>();
    expect(body.id).toBe(early.body.id);
    expect(body.input).toHaveLength(2);
    const error = (await errorOf(client.call('suggestInverse', { path: inObjective }))) as IterationOpenError;
    expect(error).toBeInstanceOf(IterationOpenError);
    expect(error).toMatchObject({ code: 'ITERATION_OPEN', status: 409, name: 'IterationOpenError' });
    expect(error.instance).toMatch(new RegExp(`/inverses/${body.id}$`));
  });

  it('Cases are added as CSV', async () => {
    const { inTrial } = await prepareSearch(client);
    const { status, body } = await client.call('addCases', {
      path: inTrial,
      query: { source: 'bench' },
      body: 'x1,x2,y1,y2\n1,1,2,0\n',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ added: 1 });
  });
});

describe('lists', () => {
  it('pages gives every item once, in order, over several pages', async () => {
    const { inProject } = await prepareSearch(client);
    const cases: InputCase[] = [];
    for await (const each of client.pages('listInputCases', { path: inProject, query: { limit: 2 } })) cases.push(each);
    expect(cases.map(({ input }) => input)).toEqual([
      [0, 0],
      [10, 1],
      [2, 9],
    ]);
  });

  it('Without options', async () => {
    const names: string[] = [];
    for await (const model of client.pages('listModels')) {
      expectTypeOf(model).toEqualTypeOf<Model>();
      names.push(model.name);
    }
    const { body } = await client.call('listModels', { query: { limit: 200 } });
    expect(names).toEqual(body.map(({ name }) => name));
    expect(names.length).toBeGreaterThan(0);
  });
});

describe('errors', () => {
  it('A request that is not valid names every violation', async () => {
    const error = await errorOf(
      client.call('createProject', {
        path: { model_id: 1 },
        body: { name: '', inputCount: 0, minimums: [], maximums: [], inputTypes: [] },
      }),
    );
    expect(error).toBeInstanceOf(ValidationFailedError);
    const { violations, message, requestId } = error as ValidationFailedError;
    expect(violations.map(({ pointer }) => pointer)).toEqual(expect.arrayContaining(['/name', '/inputCount']));
    expect(message).not.toBe('');
    expect(requestId).toMatch(/^[\w-]{8,}$/);
  });

  it('A record that is missing, a closed trial, an unknown key and a key without the scope have classes of their own', async () => {
    const { inTrial, model } = await prepareSearch(client);
    expect(await errorOf(client.call('getModel', { path: { model_id: 2 ** 40 } }))).toBeInstanceOf(NotFoundError);
    await client.call('updateTrial', { path: inTrial, body: { status: 'completed' } });
    const closed = client.call('loadObjectives', {
      path: inTrial,
      body: { objectives: [1, 1], objectiveTypes: ['exact', 'exact'], initialInput: [1, 1], initialOutput: [2, 0] },
    });
    expect(await errorOf(closed)).toBeInstanceOf(TrialClosedError);
    const stranger = new Backsolve({ url, key: 'bks_unknown' });
    expect(await errorOf(stranger.call('getAccount'))).toBeInstanceOf(UnauthenticatedError);
    const { body: reading } = await client.call('createKey', { body: { scopes: ['read'] } });
    const reader = new Backsolve({ url, key: reading.key });
    expect((await reader.call('getModel', { path: { model_id: model.id } })).body).toEqual(model);
    expect(await errorOf(reader.call('createModel', { body: { name: 'refused' } }))).toBeInstanceOf(ForbiddenError);
  });

  it('The key is in no error and in nothing that is printed', async () => {
    const key = 'bks_secret-of-this-test';
    const stranger = new Backsolve({ url, key });
    const refused = (await errorOf(stranger.call('getAccount'))) as Error;
    const nowhere = new Backsolve({ url: 'http://127.0.0.1:9', key, maximumRetries: 0 });
    const unreachable = (await errorOf(nowhere.call('getAccount'))) as Error;
    expect(unreachable.name).toBe('ConnectionError');
    for (const shown of [refused, unreachable, stranger]) {
      expect(inspect(shown, { depth: 10, showHidden: true })).not.toContain(key);
      expect(JSON.stringify(shown)).not.toContain(key);
    }
    for (const malformed of [`${key}\n`, `${key} `, `${key}\u00e9`, '']) {
      expect(() => new Backsolve({ url, key: malformed })).toThrow(/^The key must be an API key/);
    }
  });

  it('A number that JSON does not have is refused before it is sent as null', async () => {
    const { inObjective } = await prepareSearch(client);
    await client.untilSuggested('suggestInverse', { path: inObjective });
    for (const output of [
      [1, Number.NaN],
      [Number.POSITIVE_INFINITY, 1],
    ]) {
      await expect(client.call('loadInverseOutput', { path: inObjective, body: { output } })).rejects.toThrow(
        /JSON has no (NaN|Infinity)/,
      );
    }
    const exact = [0.1 + 0.2, 5e-324];
    const { body } = await client.call('loadInverseOutput', { path: inObjective, body: { output: exact } });
    expect(body.output).toEqual(exact);
  });

  it('Options that nothing reads are refused with the nearest one', async () => {
    const client = new Backsolve({ url: 'http://127.0.0.1:1', key: 'k' });
    await expect(client.call('listModels', { qurey: { limit: 1 } } as never)).rejects.toThrow(
      'listModels does not take qurey; did you mean query?',
    );
    expect(() => new Backsolve({ url: 'http://127.0.0.1:1', kye: 'k' } as never)).toThrow('did you mean key?');
  });

  it('A path parameter that is missing is named', async () => {
    // @ts-expect-error: model_id is required
    await expect(client.call('getModel', { path: {} })).rejects.toThrow(
      'getModel needs path.model_id, a number; it got nothing.',
    );
    // @ts-expect-error: there is no such operation
    await expect(client.call('constructor')).rejects.toThrow('There is no operation constructor');
  });
});

describe('without a key', () => {
  it('No key is sent, and a session of the page takes its part', async () => {
    const signedIn = await fetch(`${url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: service.key }),
    });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const { pageSecret } = (await signedIn.json()) as { pageSecret: string };
    const sent: Headers[] = [];
    // Adds what a browser and the page add.
    const inPage: typeof fetch = (input, init) => {
      sent.push(new Headers(init?.headers));
      return fetch(input, {
        ...init,
        headers: { ...init?.headers, cookie, 'x-page-secret': pageSecret, 'sec-fetch-site': 'same-origin' },
      });
    };
    const page = new Backsolve({ url, fetch: inPage });
    const { body } = await page.call('createModel', { body: { name: `by cookie ${crypto.randomUUID()}` } });
    expect((await page.call('getModel', { path: { model_id: body.id } })).body).toEqual(body);
    expect(sent.map((headers) => headers.has('authorization'))).toEqual([false, false]);
    await expect(new Backsolve({ url }).call('getAccount')).rejects.toThrow('A valid API key is required');
  });
});

describe('addresses', () => {
  it.each(['', '/', '/v1', '/v1/'])('The address may end in "%s"', async (end) => {
    const ended = new Backsolve({ url: `${url}${end}`, key: service.key });
    expect((await ended.call('getAccount')).status).toBe(200);
  });

  it('The service may be behind a prefix and at an IPv6 address', async () => {
    const front = await openFront(url, { host: '::1', prefix: '/tools/backsolve' });
    const prefixed = new Backsolve({ url: `${front.url}/tools/backsolve/`, key: service.key });
    const { inProject } = await prepareSearch(prefixed);
    let count = 0;
    for await (const _each of prefixed.pages('listInputCases', { path: inProject, query: { limit: 1 } })) count++;
    expect(count).toBe(3);
    expect(front.seen.at(-1)!.headers['user-agent']).toMatch(/^backsolve-client\//);
    await front.close();
  });

  it('A prefix that reaches the service is named', async () => {
    const error = (await errorOf(new Backsolve({ url: `${url}/wrong`, key: service.key }).call('getAccount'))) as Error;
    expect(error).toBeInstanceOf(NotBacksolveError);
    expect(error.message).toContain('it was asked for /wrong/v1/account instead of /v1/account');
  });

  it.each([
    ['backsolve.example', /not a valid address/],
    ['ftp://backsolve.example', /must begin with http/],
    ['http://me:secret@backsolve.example', /^The url must not hold a user or password; give the key as key\.$/],
    ['http://backsolve.example/?a=1', /must end with its path/],
  ])('%s is refused', (wrong, message) => {
    expect(() => new Backsolve({ url: wrong, key: 'k' })).toThrow(message);
  });
});

it('What the interface does not take does not compile', () => {
  const neverCalled = () => [
    // @ts-expect-error: a body is required
    client.call('createModel'),
    // @ts-expect-error: the name is a string
    client.call('createModel', { body: { name: 1 } }),
    // @ts-expect-error: a model has no size
    client.call('createModel', { body: { name: 'model', size: 1 } }),
    // @ts-expect-error: there is no such status
    client.call('updateTrial', { path: { model_id: 1, project_id: 1, trial_id: 1 }, body: { status: 'gone' } }),
    // @ts-expect-error: reading takes no Idempotency-Key
    client.call('getModel', { path: { model_id: 1 }, idempotencyKey: 'key' }),
    // @ts-expect-error: models are not written as CSV
    client.call('listModels', { accept: 'text/csv' }),
    // @ts-expect-error: a model is no list
    client.pages('getModel', { path: { model_id: 1 } }),
    // @ts-expect-error: models are not written in lines
    client.lines('listModels'),
    // @ts-expect-error: creating a model is no suggestion
    client.untilSuggested('createModel', { body: { name: 'model' } }),
  ];
  expect(neverCalled).toBeTypeOf('function');
  expectTypeOf<InstanceType<typeof NotFoundError>>().toExtend<BacksolveError>();
  expect(new NotFoundError({ code: 'NOT_FOUND', status: 404, detail: '' })).toBeInstanceOf(BacksolveError);
});
