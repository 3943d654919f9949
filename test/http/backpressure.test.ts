import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OBJECTIVES, openNativeService, prepareObjective, prepareTrial } from './native-service.ts';

const CALM = { requestsInFlight: 1_000, eventLoopDelayMs: 0, heapShare: 1 };
/** Any delay is too much. */
const BEHIND = { ...CALM, eventLoopDelayMs: 1e-6 };
const account = { openObjectives: 0, queuedSuggestions: 0, cases: 0, cells: 0, storedBytes: 0, storedRows: 0 };

function expectOverload(answer: { status: number; headers: Record<string, unknown>; body: { type: string } }): void {
  expect(answer.status).toBe(503);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(answer.body.type).toBe('urn:backsolve:problem:overloaded');
}

afterEach(() => {
  vi.useRealTimers();
});

/** A service whose clock moves only with `pass`, which blocks the event loop before the last millisecond. */
async function openWithClock(load: typeof CALM) {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const service = await openNativeService({ settings: { load } });
  const pass = async (ms: number) => {
    // Earlier samples of the delay are read, and forgotten, by then: each replaces the one before.
    await vi.advanceTimersByTimeAsync(ms - 1);
    const until = process.hrtime.bigint() + 50_000_000n;
    while (process.hrtime.bigint() < until);
    // The delay is measured when the loop checks its timers, once between two of these.
    await turnOfTheLoop();
    await turnOfTheLoop();
    await vi.advanceTimersByTimeAsync(1);
  };
  return { ...service, pass };
}

describe('a process under load', () => {
  it('A process serves a limited number of requests at a time, answers the others with 503, and recovers', async () => {
    const service = await openNativeService({ settings: { load: { ...CALM, requestsInFlight: 3 } } });
    for (let round = 0; round < 3; round++) {
      const answers = await service.db.transaction().execute(async (trx) => {
        // Admitted requests wait behind this lock until the others have been refused.
        await sql`lock table models in access exclusive mode`.execute(trx);
        let refused = 0;
        const asked = Array.from({ length: 10 }, async (_, i) => {
          const answer = await service.send('GET', i % 2 === 0 ? '/v1/models' : '/api/models');
          if (answer.status !== 200) refused += 1;
          return answer;
        });
        await expect.poll(() => refused).toBe(7);
        return asked;
      });
      const settled = await Promise.all(answers);
      expect(settled.filter(({ status }) => status === 200)).toHaveLength(3);
      for (const answer of settled) if (answer.status !== 200) expectOverload(answer);
    }
    for (let request = 0; request < 5; request++) expect((await service.send('GET', '/v1/models')).status).toBe(200);
    await service.close();
  });

  it('Refused, failed and aborted requests no longer count once they are over', async () => {
    const service = await openNativeService({
      settings: { load: { ...CALM, requestsInFlight: 1 } },
      waiting: { maximumWaiting: 1 },
    });
    const { objectiveUrl, loaded } = await prepareObjective(service.send);
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = service.app.server.address() as { port: number };
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', prefer: 'wait=100' };
    const suggestIn = [
      `${objectiveUrl}/inverses`,
      `${objectiveUrl}/suggestions`,
      `/api/objectives/${loaded.body.id}/suggest-inverse`,
    ];
    for (const path of suggestIn) {
      const leaver = new AbortController();
      const url = `http://127.0.0.1:${port}${path}`;
      const waiting = fetch(url, { method: 'POST', headers, body: '{}', signal: leaver.signal });
      await expect.poll(() => countJobs(service)).toBe(1);
      expect((await service.send('GET', '/readyz')).status).toBe(503);
      leaver.abort();
      await expect(waiting).rejects.toThrow();
      await expect.poll(async () => (await service.send('GET', '/v1/models')).status).toBe(200);
      expect((await service.send('GET', '/readyz')).status).toBe(200);
      expect((await service.sendAs('')('GET', '/v1/models')).status).toBe(401);
      expect((await service.send('POST', '/v1/models', '{')).status).toBe(400);
      await sql`delete from suggestion_jobs`.execute(service.db);
      await sql`delete from inverses where iteration > 1`.execute(service.db);
    }
    await service.close();
  });

  it.each([
    ['its event loop is delayed', BEHIND],
    ['its heap is nearly full', { ...CALM, heapShare: 1e-6 }],
  ])('A process answers 503 before it checks the key while %s, and is live but not ready', async (_, load) => {
    const service = await openWithClock(load);
    await service.pass(6_000);
    expectOverload(await service.send('GET', '/v1/models'));
    expectOverload(await service.sendAs('')('POST', '/v1/models', {}));
    expectOverload(await service.send('GET', '/api/models'));
    expect((await service.send('GET', '/livez')).status).toBe(200);
    expect((await service.send('GET', '/readyz')).status).toBe(503);
    await service.close();
  });

  it('Delays during the start do not count as overload', async () => {
    const service = await openWithClock(BEHIND);
    await service.pass(3_000);
    await service.pass(2_999);
    expect((await service.send('GET', '/v1/models')).status).toBe(200);
    expect((await service.send('GET', '/readyz')).status).toBe(200);
    await service.pass(1);
    expectOverload(await service.send('GET', '/v1/models'));
    await service.close();
  });

  it('A process lets a limited number of requests wait for suggestions, serves those that do not wait, and writes nothing for the others', async () => {
    const service = await openNativeService({ waiting: { maximumWaiting: 2 } });
    const objectives: Awaited<ReturnType<typeof prepareObjective>>[] = [];
    for (let i = 0; i < 4; i++) objectives.push(await prepareObjective(service.send));
    const suggest = (i: number, prefer: string) =>
      service.send('POST', `${objectives[i]!.objectiveUrl}/inverses`, {}, { prefer });
    const waiting = [suggest(0, 'wait=100'), suggest(1, 'wait=100')];
    await expect.poll(() => countJobs(service)).toBe(2);
    expectOverload(await suggest(2, 'wait=100'));
    expectOverload(await service.send('POST', `/api/objectives/${objectives[2]!.loaded.body.id}/suggest-inverse`, {}));
    expect(await countJobs(service)).toBe(2);
    expect((await suggest(3, 'respond-async')).status).toBe(202);
    for (const { objectiveUrl } of objectives.slice(0, 2)) await service.send('POST', `${objectiveUrl}/stop`);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201]);
    expect((await suggest(2, 'wait=1')).status).toBe(202);
    await service.close();
  });
});

describe('an account that has reached its limit of waiting requests', () => {
  it('The next request gets 202 immediately, and its suggestion is still computed', async () => {
    const service = await openNativeService({ waiting: { maximumWaitingPerAccount: 1 } });
    const objectives: Awaited<ReturnType<typeof prepareObjective>>[] = [];
    for (let i = 0; i < 3; i++) objectives.push(await prepareObjective(service.send));
    const suggest = (i: number, prefer = 'wait=100') =>
      service.send('POST', `${objectives[i]!.objectiveUrl}/inverses`, {}, { prefer });
    const waiting = suggest(0);
    await expect.poll(() => countJobs(service)).toBe(1);
    const answered = await suggest(1);
    expect(answered.status).toBe(202);
    expect(answered.headers['retry-after']).toBe('5');
    expect(answered.headers['preference-applied']).toBeUndefined();
    expect((await service.send('GET', String(answered.headers.location))).body).toMatchObject({ input: null });
    const sdk = await service.send('POST', `/api/objectives/${objectives[2]!.loaded.body.id}/suggest-inverse`, {});
    expectOverload(sdk);
    expect(await countJobs(service)).toBe(3);

    const other = service.sendAs(await service.makeKey('another account'));
    const theirs = await prepareObjective(other);
    const alsoWaiting = other('POST', `${theirs.objectiveUrl}/inverses`, {}, { prefer: 'wait=100' });
    await expect.poll(() => countJobs(service)).toBe(4);
    await service.send('POST', `${objectives[0]!.objectiveUrl}/stop`);
    expect((await waiting).headers['preference-applied']).toBe('wait=100');
    const next = await suggest(1, 'wait=1');
    expect([next.status, next.headers['preference-applied']]).toEqual([202, 'wait=1']);
    await other('POST', `${theirs.objectiveUrl}/stop`);
    expect((await alsoWaiting).status).toBe(201);
    await service.close();
  });
});

async function countJobs({ db }: Pick<Awaited<ReturnType<typeof openNativeService>>, 'db'>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from suggestion_jobs`.execute(db);
  return rows[0]!.count;
}

describe('an account', () => {
  it('An account has a limited number of running objectives until one ends', async () => {
    const service = await openNativeService({ settings: { account: { ...account, openObjectives: 2 } } });
    const { trialUrl, trialId } = await prepareTrial(service.send);
    const load = () => service.send('POST', `${trialUrl}/objectives`, OBJECTIVES);
    const first = await load();
    await load();
    for (const refused of [
      await load(),
      await service.send('POST', `/api/trials/${trialId}/objectives`, OBJECTIVES),
      await service.send('POST', `/v1/trials/${trialId}/initialize-inverse`, { ...OBJECTIVES, convergence: 0.5 }),
    ]) {
      expect(refused.status, refused.text).toBe(400);
      expect(refused.body.type).toBe('urn:backsolve:problem:limit-reached');
    }
    const other = service.sendAs(await service.makeKey('another account'));
    const theirs = await prepareObjective(other);
    expect(theirs.loaded.status).toBe(201);
    await service.send('POST', `${trialUrl}/objectives/${first.body.id}/stop`);
    expect((await load()).status).toBe(201);
    await service.close();
  });

  it('Beyond its limit of waiting suggestions an account gets 429 and no new iteration', async () => {
    const service = await openNativeService({ settings: { account: { ...account, queuedSuggestions: 1 } } });
    const suggest = (url: string, send = service.send) =>
      send('POST', `${url}/inverses`, {}, { prefer: 'respond-async' });
    const [first, second] = [await prepareObjective(service.send), await prepareObjective(service.send)];
    expect((await suggest(first.objectiveUrl)).status).toBe(202);
    expect((await suggest(first.objectiveUrl)).status).toBe(202);
    const refused = await suggest(second.objectiveUrl);
    expect(refused.status).toBe(429);
    expect(refused.body.type).toBe('urn:backsolve:problem:queue-full');
    expect(refused.headers['retry-after']).toBe('5');
    expect((await service.send('GET', second.objectiveUrl)).body.inverses).toHaveLength(1);
    const other = service.sendAs(await service.makeKey('another account'));
    expect((await suggest((await prepareObjective(other)).objectiveUrl, other)).status).toBe(202);
    await service.send('POST', `${first.objectiveUrl}/stop`);
    expect((await suggest(second.objectiveUrl)).status).toBe(202);
    await service.close();
  });

  it('An account has a limited number of cases in a project', async () => {
    const service = await openNativeService({ settings: { account: { ...account, cases: 3 } } });
    const { body: model } = await service.send('POST', '/v1/models', { name: 'small' });
    const space = { name: 'line', inputCount: 1, minimums: [0], maximums: [1], inputTypes: ['float'] };
    const create = (extra: object) => service.send('POST', `/v1/models/${model.id}/projects`, { ...space, ...extra });
    expect((await create({ inputCases: [[0], [0.5], [1]] })).status).toBe(201);
    expect((await create({ caseCount: 3 })).status).toBe(201);
    const refused = [await create({ inputCases: [[0], [0.3], [0.6], [1]] }), await create({ caseCount: 4 })];
    expect(refused.map(({ status, body }) => [status, body.errors[0].property])).toEqual([
      [400, 'inputCases'],
      [400, 'caseCount'],
    ]);
    await service.close();
  });
});
