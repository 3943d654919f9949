/** The client when connections break, the service is overloaded or restarts, and when something else answers. */
import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  AnswerTooLargeError,
  Backsolve,
  BacksolveError,
  type BacksolveOptions,
  ConnectionError,
  NotBacksolveError,
  type Retry,
  TimeoutError,
  TooManyRequestsError,
  UnknownOperationError,
  VERSION,
  VersionError,
} from '../../../clients/typescript/src/index.ts';
import { readLines } from '../../../clients/typescript/src/lines.ts';
import { TcpProxy } from '../../../harness/tcp-proxy.ts';
import { type Front, type FrontAnswer, openFront } from '../../support/front.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { blackBox, prepareSearch } from './search.ts';

let service: TestService;
let url: string;
/** Waits next to nothing between attempts. */
const connect = (address: string, options: Partial<BacksolveOptions> = {}) =>
  new Backsolve({ url: address, key: service.key, firstDelayMs: 1, ...options });

beforeAll(async () => {
  service = await startTestService();
  url = service.service.url!;
});
afterAll(() => service.close());

const errorOf = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => undefined,
    (error: unknown) => error,
  );
const namesOfModels = async () =>
  (await connect(url).call('listModels', { query: { limit: 200 } })).body.map(({ name }) => name);

describe('a connection that breaks', () => {
  let proxy: TcpProxy;
  let retries: Retry[];
  let client: Backsolve;
  beforeEach(async () => {
    proxy = new TcpProxy(url);
    await proxy.listen();
    retries = [];
    client = connect(proxy.through(url), { onRetry: (retry) => retries.push(retry) });
  });
  afterEach(() => proxy.close());

  it('A POST whose answer is lost is sent again and not done twice', async () => {
    const dropped = proxy.dropAnswerTo('POST /v1/models ');
    const { status, headers } = await client.call('createModel', { body: { name: 'created once' } });
    await dropped;
    expect(status).toBe(201);
    expect(headers.get('idempotent-replayed')).toBe('true');
    expect((await namesOfModels()).filter((name) => name === 'created once')).toHaveLength(1);
    expect(retries.map(({ attempt, operationId, error }) => [attempt, operationId, error.name])).toEqual([
      [1, 'createModel', 'ConnectionError'],
    ]);
  });

  it('PUT, PATCH and DELETE whose answers are lost end well', async () => {
    const { body: model } = await client.call('createModel', { body: { name: 'short-lived' } });
    const path = { model_id: model.id };
    const patched = proxy.dropAnswerTo(`PATCH /v1/models/${model.id} `);
    expect((await client.call('updateModel', { path, body: { description: 'patched twice' } })).body.description).toBe(
      'patched twice',
    );
    await patched;
    const deleted = proxy.dropAnswerTo(`DELETE /v1/models/${model.id} `);
    expect((await client.call('deleteModel', { path })).status).toBe(204);
    await deleted;
    expect(retries).toHaveLength(2);
  });

  it('A claim whose answer is lost is made again and gets evaluations, and waits longer than timeoutMs', async () => {
    const { inProject, inTrial } = await prepareSearch(client);
    const objectives = [{ objectives: [10, -4], objectiveTypes: ['exact' as const, 'exact' as const] }];
    const { body: batch } = await client.call('createBatch', { path: inProject, body: { objectives } });
    const claim = { evaluator: 'lossy', batchId: batch.id, limit: 2 };
    const dropped = proxy.dropAnswerTo('POST /v1/evaluations/claim ');
    const { body } = await client.call('claimEvaluations', { body: claim });
    await dropped;
    expect(body.evaluations).toHaveLength(2);
    for (const { id, leaseToken, input } of body.evaluations) {
      const { body: reported } = await client.call('putEvaluationOutput', {
        path: { evaluation_id: id },
        body: { leaseToken, output: blackBox(input) },
      });
      expect(reported.state).toBe('done');
    }
    const { body: idle } = await client.call('createBatch', {
      path: inProject,
      body: { objectives, trialId: inTrial.trial_id },
    });
    await client.call('pauseBatch', { path: { batch_id: idle.id } });
    const nothing = await client.call('claimEvaluations', {
      body: { ...claim, batchId: idle.id, wait: 1 },
      timeoutMs: 500,
    });
    expect(nothing.body.evaluations).toEqual([]);
    expect(retries).toHaveLength(1);
  });

  it('A service that is away is asked until it is back', async () => {
    proxy.mode = 'refuse';
    client = connect(proxy.through(url), {
      onRetry: (retry) => {
        retries.push(retry);
        if (retry.attempt === 3) proxy.mode = 'forward';
      },
    });
    expect((await client.call('getAccount')).status).toBe(200);
    expect(retries).toHaveLength(3);
  });

  it('The retries end, by number and by time', async () => {
    proxy.mode = 'refuse';
    const few = connect(proxy.through(url), { maximumRetries: 2, onRetry: (retry) => retries.push(retry) });
    const error = (await errorOf(few.call('getAccount'))) as ConnectionError;
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/^No answer from http:\/\/127\.0\.0\.1:\d+: .*(ECONNRESET|UND_ERR_SOCKET|socket)/);
    expect(retries).toHaveLength(2);
    const short = connect(proxy.through(url), { retryForMs: 0, onRetry: (retry) => retries.push(retry) });
    expect(await errorOf(short.call('getAccount'))).toBeInstanceOf(ConnectionError);
    expect(retries).toHaveLength(2);
  });

  it('Where nothing has ever answered, connectForMs ends the retries; later it does not', async () => {
    proxy.mode = 'refuse';
    const options = { connectForMs: 0, maximumRetries: 2, onRetry: (retry: Retry) => retries.push(retry) };
    const wrong = connect(proxy.through(url), options);
    expect(await errorOf(wrong.call('getAccount'))).toBeInstanceOf(ConnectionError);
    expect(retries).toHaveLength(0);
    proxy.mode = 'forward';
    await wrong.call('getAccount');
    proxy.mode = 'refuse';
    proxy.cut();
    expect(await errorOf(wrong.call('getAccount'))).toBeInstanceOf(ConnectionError);
    expect(retries).toHaveLength(2);
  });

  it('An answer that never comes is given up after timeoutMs, unless the service was asked to wait', async () => {
    proxy.mode = 'stall';
    const hasty = connect(proxy.through(url), {
      timeoutMs: 50,
      maximumRetries: 1,
      onRetry: (retry) => retries.push(retry),
    });
    const error = (await errorOf(hasty.call('getAccount'))) as TimeoutError;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toMatch(/ did not answer getAccount within 0\.05 s\.$/);
    expect(retries.map((retry) => retry.error.name)).toEqual(['TimeoutError']);
    proxy.mode = 'forward';
    const { inObjective } = await prepareSearch(connect(url));
    const { body: glance } = await client.call('getHistory', { path: inObjective });
    expect(glance).toBeDefined();
    const etag = (await client.call('getHistory', { path: inObjective })).headers.get('etag')!;
    const waited = await client.call('getHistory', {
      path: inObjective,
      ifNoneMatch: etag,
      prefer: 'wait=1',
      timeoutMs: 500,
    });
    expect(waited.status).toBe(304);
    expect(retries).toHaveLength(1);
  });

  it('An aborted call rejects with the reason and leaves no connection, listener or retry behind', async () => {
    proxy.mode = 'stall';
    const controller = new AbortController();
    const call = client.call('getAccount', { signal: controller.signal });
    await expect.poll(() => proxy.connections).toBe(1);
    controller.abort('changed my mind');
    expect(await errorOf(call)).toBe('changed my mind');
    await expect.poll(() => proxy.connections).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(await errorOf(client.call('getAccount', { signal: controller.signal }))).toBe('changed my mind');
    expect(retries).toEqual([]);
  });

  it('A call aborted between attempts makes no further one', async () => {
    proxy.mode = 'refuse';
    const controller = new AbortController();
    const slow = connect(proxy.through(url), {
      firstDelayMs: 1e6,
      retryForMs: 1e9,
      onRetry: () => void setImmediate(() => controller.abort('enough')),
    });
    expect(await errorOf(slow.call('getAccount', { signal: controller.signal }))).toBe('enough');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('in front of the service', () => {
  let front: Front;
  beforeAll(async () => {
    front = await openFront(url);
  });
  afterAll(() => front.close());

  const HTML = { 'content-type': 'text/html; charset=utf-8' };
  const problem = (status: number, kind: string, headers: Readonly<Record<string, string>> = {}): FrontAnswer => ({
    status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', ...headers },
    body: JSON.stringify({
      type: `urn:backsolve:problem:${kind}`,
      detail: 'Later.',
      instance: '/v1/account',
      errors: [],
    }),
  });

  it.each([429, 502, 503, 504])(
    '%d of a proxy is followed by another attempt, a POST under the same key',
    async (status) => {
      const name = `after ${status}`;
      const before = front.seen.length;
      front.answer({ status, headers: HTML, body: '<html>' }, { status, headers: HTML, body: '<html>' });
      expect((await connect(front.url).call('createModel', { body: { name } })).status).toBe(201);
      const keys = front.seen.slice(before).map(({ headers }) => headers['idempotency-key']);
      expect(keys).toHaveLength(3);
      expect(new Set(keys).size).toBe(1);
      expect(keys[0]).toMatch(/^"[0-9a-f]{32}"$/);
    },
  );

  it('Every request has a key of its own', async () => {
    const before = front.seen.length;
    const client = connect(front.url);
    for (const name of ['first of two', 'second of two']) await client.call('createModel', { body: { name } });
    const [first, second] = front.seen.slice(before).map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
  });

  it('A request that is still running under its key is waited for', async () => {
    front.answer(problem(409, 'idempotency-key-in-use', { 'retry-after': '0' }));
    expect((await connect(front.url).call('createModel', { body: { name: 'in use' } })).status).toBe(201);
  });

  it('Retry-After is waited for, and a wait beyond the time of the retries is not begun', async () => {
    const retries: Retry[] = [];
    const client = connect(front.url, { retryForMs: 10_000, onRetry: (retry) => retries.push(retry) });
    const date = 'Sun, 22 Nov 2026 10:00:00 GMT';
    front.answer(
      problem(503, 'unavailable', { 'retry-after': date, date }),
      problem(429, 'too-many-requests', { 'retry-after': '3600' }),
    );
    const error = (await errorOf(client.call('getAccount'))) as TooManyRequestsError;
    expect(error).toBeInstanceOf(TooManyRequestsError);
    expect(error.retryAfterSeconds).toBe(3600);
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([0]);
  });

  it.each([400, 403, 413, 500])(
    '%d of a proxy is final, and says that it is not the answer of Backsolve',
    async (status) => {
      const before = front.seen.length;
      front.answer({ status, headers: HTML, body: '<html>' });
      const error = (await errorOf(connect(front.url).call('getAccount'))) as BacksolveError;
      expect(error).toBeInstanceOf(BacksolveError);
      expect(error).toMatchObject({ code: `HTTP_${status}`, status });
      expect(error.message).toContain(`answered ${status} and text/html`);
      expect(front.seen.length - before).toBe(1);
    },
  );

  it.each([
    ['a page', { status: 200, headers: HTML, body: '<html>' }],
    ['a page of a wrong address', { status: 404, headers: HTML, body: '<html>' }],
    ['a login', { status: 401, headers: { 'www-authenticate': 'Basic' } }],
    [
      'the JSON of something else',
      { status: 404, headers: { 'content-type': 'application/json' }, body: '{"error":"none"}' },
    ],
    ['JSON that is none', { status: 200, headers: { 'content-type': 'application/json' }, body: '<html>' }],
    ['null', { status: 404, headers: { 'content-type': 'application/json' }, body: 'null' }],
  ] as const)('Instead of the service, %s', async (_name, answer) => {
    front.answer(answer);
    const error = (await errorOf(connect(front.url).call('getAccount'))) as NotBacksolveError;
    expect(error).toBeInstanceOf(NotBacksolveError);
    expect(error.message).toMatch(
      /There is no Backsolve service at http:\S+, or its answer was replaced on the way\. Check the address/,
    );
  });

  it('A redirect is not followed, since the key would go elsewhere', async () => {
    front.answer({ status: 301, headers: { location: 'https://elsewhere.example/v1/account' } });
    const before = front.seen.length;
    const error = (await errorOf(connect(front.url).call('getAccount'))) as NotBacksolveError;
    expect(error).toBeInstanceOf(NotBacksolveError);
    expect(error.message).toMatch(
      /redirects to https:\/\/elsewhere\.example\/v1\/account; give the client the final address/,
    );
    expect(front.seen.length - before).toBe(1);
  });

  it('An operation that the service does not know', async () => {
    const { headers, body } = await connect(url).call('getAccount');
    expect([headers, body]).toBeDefined();
    const unknown = await service.call('GET', '/an-operation-to-come');
    front.answer({
      status: unknown.status,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify({ ...unknown.body, instance: '/v1/account' }),
    });
    const error = (await errorOf(connect(front.url).call('getAccount'))) as UnknownOperationError;
    expect(error).toBeInstanceOf(UnknownOperationError);
    expect(error.message).toMatch(/does not know the operation getAccount: it is older than this client/);
    const refused = await service.call('PUT', '/account', {});
    front.answer({
      status: refused.status,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify(refused.body),
    });
    expect(await errorOf(connect(front.url).call('getAccount'))).toBeInstanceOf(UnknownOperationError);
  });

  it('A problem of a later service keeps its code', async () => {
    front.answer(problem(409, 'moon-in-the-way'));
    const error = (await errorOf(connect(front.url).call('getAccount'))) as BacksolveError;
    expect(error.constructor).toBe(BacksolveError);
    expect(error.code).toBe('MOON_IN_THE_WAY');
  });

  it('An answer that breaks off is asked for again, but not in the middle of its lines', async () => {
    const json = { 'content-type': 'application/json', 'content-length': '1000' };
    front.answer({ status: 200, headers: json, body: '{"name": "half', cutAfter: 10 });
    expect((await connect(front.url).call('getAccount')).status).toBe(200);
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = '{"kind":"account"}\n{"kind":';
    // The second is ended in order by what is in front.
    front.answer({ status: 200, headers: { ...headers, 'content-length': '1000' }, body, cutAfter: 25 });
    front.answer({ status: 200, headers, body });
    const read: unknown[] = [];
    const readAll = async () => {
      for await (const line of connect(front.url).lines('exportAccount')) read.push(line);
    };
    expect(await errorOf(readAll())).toBeInstanceOf(ConnectionError);
    expect(await errorOf(readAll())).toBeInstanceOf(ConnectionError);
    expect(read).toEqual([{ kind: 'account' }, { kind: 'account' }]);
  });
});

describe('an answer that does not end', () => {
  const lines: FrontAnswer = {
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
    body: '{"kind":"account"}\n{"kind":"model"}\n',
    staysOpen: true,
  };
  let front: Front;
  let proxy: TcpProxy;
  beforeAll(async () => {
    front = await openFront(url);
    proxy = new TcpProxy(front.url);
    await proxy.listen();
  });
  afterAll(async () => {
    await proxy.close();
    await front.close();
  });

  it('A reader that stops early closes its connection', async () => {
    front.answer(lines);
    const { signal } = new AbortController();
    for await (const line of connect(proxy.through(url)).lines('exportAccount', { signal })) {
      expect(line).toEqual({ kind: 'account' });
      expect(proxy.connections).toBe(1);
      break;
    }
    await expect.poll(() => proxy.connections).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('A reader may abort, or give up when nothing more arrives', async () => {
    front.answer(lines, lines);
    const read = async (options: { readonly signal?: AbortSignal; readonly timeoutMs?: number }, onLine = () => {}) => {
      for await (const _line of connect(proxy.through(url)).lines('exportAccount', options)) onLine();
    };
    const controller = new AbortController();
    expect(await errorOf(read({ signal: controller.signal }, () => controller.abort('enough')))).toBe('enough');
    expect(await errorOf(read({ timeoutMs: 50 }))).toBeInstanceOf(TimeoutError);
    await expect.poll(() => proxy.connections).toBe(0);
  });
});

describe('an answer that is too large', () => {
  const MEGABYTE = 1_048_576;
  /** A few kilobytes, which decompress to 64 megabytes without a line break. */
  const bomb = (status: number, medium: string): FrontAnswer => ({
    status,
    headers: { 'content-type': medium, 'content-encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(64 * MEGABYTE, '1')),
  });
  let front: Front;
  beforeAll(async () => {
    front = await openFront(url);
  });
  afterAll(() => front.close());

  it('An answer and a line of one are read up to a bound after decompression, and not asked for again', async () => {
    const client = connect(front.url, { maximumAnswerBytes: MEGABYTE });
    const before = front.seen.length;
    front.answer(bomb(200, 'application/json'), bomb(200, 'application/x-ndjson'));
    const error = await errorOf(client.call('getAccount'));
    expect(error).toBeInstanceOf(AnswerTooLargeError);
    expect((error as Error).message).toContain('its answer has more than 1048576 bytes');
    expect(await errorOf(client.lines('exportAccount').next())).toMatchObject({
      name: 'AnswerTooLargeError',
      message: expect.stringContaining('a line of its answer'),
    });
    expect(front.seen.length).toBe(before + 2);
  });

  it('Of a refusal as much is read as tells what refused', async () => {
    front.answer(bomb(500, 'text/html'));
    expect(await errorOf(connect(front.url).call('getAccount'))).toMatchObject({ code: 'HTTP_500' });
  });

  it('Lines are joined across the pieces in which they arrive', async () => {
    const read: string[] = [];
    const tooLarge = () => new Error('too large');
    const chunks = async function* (...pieces: readonly string[]) {
      yield* pieces;
    };
    for await (const line of readLines(chunks('a', 'b\n\nc', 'd', '\n', 'e'), 2, tooLarge)) read.push(line);
    expect(read).toEqual(['ab', 'cd', 'e']);
    await expect(readLines(chunks('ab', 'c\n'), 2, tooLarge).next()).rejects.toThrow('too large');
  });
});

describe('a service of another version', () => {
  const served = (version: string) => ({
    status: 200,
    headers: { 'content-type': 'application/json', 'backsolve-version': version },
    body: '[]',
  });

  it.each(['0.2.0', '1.0.0', '0.0.9'])('%s is refused, with the client to install', async (version) => {
    const front = await openFront(url);
    front.answer(served(version));
    const error = (await errorOf(connect(front.url).call('listModels'))) as VersionError;
    await front.close();
    expect(error).toBeInstanceOf(VersionError);
    expect(error.version).toBe(version);
    const series = version.startsWith('0.') ? version.slice(0, 3) : '1';
    expect(error.message).toContain(`npm install backsolve-client@${series}, or run a service of version 0.1.`);
  });

  it('A later version of the same series, and one that a proxy hides, are understood', async () => {
    const front = await openFront(url);
    front.answer(served('0.1.7'), { ...served(''), headers: { 'content-type': 'application/json' } });
    const client = connect(front.url);
    expect((await client.call('listModels')).body).toEqual([]);
    expect((await client.call('listModels')).body).toEqual([]);
    await front.close();
  });

  it('The real one states its version with every answer, refusals included', async () => {
    expect((await connect(url).call('listModels')).headers.get('backsolve-version')).toBe(VERSION);
    const refused = await fetch(`${url}/v1/models`);
    expect([refused.status, refused.headers.get('backsolve-version')]).toEqual([401, VERSION]);
  });
});
