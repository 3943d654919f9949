import { expect, it, onTestFinished } from 'vitest';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { ANYTHING, Listener } from '../../src/db/connection/listen.ts';
import { JOBS_CHANNEL } from '../../src/db/search/suggestion-jobs.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { Gate, honest, makeEngine } from './engines.ts';
import { type Inverse, loadObjective, openAdmin, readInverses } from './objective.ts';

/** A service whose connections to PostgreSQL all pass a proxy. */
async function setup(settings: Readonly<Record<string, string>> = {}) {
  const gate = new Gate(honest);
  let proxy: TcpProxy | undefined;
  const service = await startTestService({
    engine: makeEngine(gate.suggest),
    settings,
    through: async (url) => {
      proxy = new TcpProxy(url);
      await proxy.listen();
      return proxy.through(url);
    },
  });
  onTestFinished(async () => {
    gate.open();
    proxy!.mode = 'forward';
    await service.close();
    await proxy!.close();
  });
  return { service, gate, proxy: proxy!, path: await loadObjective(service) };
}

it('a suggestion survives cut connections, and its result is written on new ones', async () => {
  const { service, gate, proxy, path } = await setup();
  const asked = service.call<Inverse>('POST', `${path}/inverses`);
  await gate.entered;
  expect(proxy.cut()).toBeGreaterThan(1);
  gate.open();
  // The waiting request may have been reading when the connection was cut; the client then repeats it and gets the same inverse.
  const { status, body } = await asked;
  expect([201, 503]).toContain(status);
  const opened = status === 201 ? body : await service.call('POST', `${path}/inverses`).then((answer) => answer.body);
  const objective = () => readInverses(service, path);
  await expect.poll(objective).toMatchObject({ attemptCount: 1, inverses: [{}, { inputs: expect.any(Array) }] });
  expect(opened).toBeDefined();
  expect(gate.calls).toBe(1);
});

it('a connection cut during a statement leads to an answer of 503, and what the statement wrote is computed', async () => {
  const { service, gate, proxy, path } = await setup();
  const admin = await openAdmin(service.databaseUrl);
  await admin.query('begin');
  await admin.query('select 1 from objectives for update');
  const asked = service.call('POST', `${path}/inverses`);
  const waiting = async () =>
    (
      await admin.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
    ).rows.length;
  await expect.poll(waiting).toBe(1);
  proxy.cut();
  const answer = await asked;
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  await admin.query('commit');
  await admin.end();
  // The server notices the cut when the statement has ended, as it would behind a lost answer to a commit.
  await expect.poll(() => readInverses(service, path)).toMatchObject({ inverses: [{}, { iteration: 2 }] });
  gate.open();
  const objective = () => readInverses(service, path);
  await expect.poll(objective).toMatchObject({ attemptCount: 1, inverses: [{}, { inputs: expect.any(Array) }] });
});

it('a lock held by a hung process leads to an answer of 503 after the lock timeout', async () => {
  const { service, path } = await setup({ LOCK_TIMEOUT_MS: '300' });
  const admin = await openAdmin(service.databaseUrl);
  await admin.query('begin');
  await admin.query('select 1 from objectives for update');
  expect((await service.call('POST', `${path}/inverses`)).status).toBe(503);
  await admin.query('commit');
  await admin.end();
});

it.each([
  ['GET', ''],
  ['POST', '/inverses'],
] as const)(
  'a %s that the database cancels after its timeout is reported as such and not as an unreachable database',
  async (...asked) => {
    const [method, below] = asked;
    const { service, gate, path } = await setup({ STATEMENT_TIMEOUT_MS: '1000', LOCK_TIMEOUT_MS: '0' });
    gate.open();
    const admin = await openAdmin(service.databaseUrl);
    await admin.query('begin');
    await admin.query('lock table objectives in access exclusive mode');
    const answer = await service.call(method, `${path}${below}`);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.body).toMatchObject({
      type: 'urn:backsolve:problem:database-timeout',
      detail: expect.stringContaining('took too long'),
    });
    await admin.query('commit');
    await admin.end();
    expect((await service.call(method, `${path}${below}`)).status).toBeLessThan(300);
  },
);

it('a half-open connection is dropped after the statement timeout and never used again', async () => {
  const { service, proxy, path } = await setup({ DATABASE_POOL_SIZE: '1', STATEMENT_TIMEOUT_MS: '500' });
  proxy.stall();
  // Only the connection that was open is affected: one call fails because of it, or two where a statement of the worker holds it.
  const refused = [];
  for (;;) {
    const { status, body } = await service.call('GET', path);
    if (status === 200) break;
    refused.push(body['type']);
    expect(refused.length).toBeLessThanOrEqual(2);
  }
  const reasons = ['urn:backsolve:problem:database-timeout', 'urn:backsolve:problem:unavailable'];
  for (const type of refused) expect(reasons).toContain(type);
  expect((await service.call('GET', path)).status).toBe(200);
});

it('a database server that accepts connections but stays silent leads to answers of 503 until it responds', async () => {
  const { service, proxy, path } = await setup();
  proxy.mode = 'stall';
  proxy.cut();
  expect((await service.call('GET', path)).status).toBe(503);
  proxy.mode = 'forward';
  await expect.poll(async () => (await service.call('GET', path)).status).toBe(200);
});

it('a service with half-open connections closes soon after the statements under way have timed out', async () => {
  const { service, proxy } = await setup({ STATEMENT_TIMEOUT_MS: '100' });
  proxy.mode = 'stall';
  proxy.stall();
  const startedAt = performance.now();
  await service.service.close();
  expect(performance.now() - startedAt).toBeLessThan(14_000);
});

async function listen(heartbeatMs: number) {
  const database = await createTestDatabase();
  const proxy = new TcpProxy(database.directUrl);
  await proxy.listen();
  const lost = Promise.withResolvers<Error>();
  const listener = new Listener({
    url: proxy.through(database.directUrl),
    applicationName: 'fault-test',
    heartbeatMs,
    reconnectMs: 50,
    onError: lost.resolve,
  });
  const told: string[] = [];
  listener.subscribe(JOBS_CHANNEL, (payload) => told.push(payload));
  listener.start();
  await expect.poll(() => told).toEqual([ANYTHING]);
  const admin = await openAdmin(database.url);
  onTestFinished(async () => {
    await admin.end();
    await listener.stop();
    await proxy.close();
    await database.drop();
  });
  return {
    proxy,
    told,
    lost: lost.promise,
    notify: (payload: string) => admin.query(`notify ${JOBS_CHANNEL}, '${payload}'`),
  };
}

it('a LISTEN connection that is cut is replaced, and its subscribers learn that they may have missed something', async () => {
  const t = await listen(60_000);
  await t.notify('one');
  await expect.poll(() => t.told).toEqual([ANYTHING, 'one']);
  t.proxy.cut();
  expect((await t.lost).message).toMatch(/terminated|ended/);
  await expect.poll(() => t.told).toEqual([ANYTHING, 'one', ANYTHING]);
  await t.notify('two');
  await expect.poll(() => t.told).toEqual([ANYTHING, 'one', ANYTHING, 'two']);
});

it('a LISTEN connection that dies silently is detected by its heartbeat and replaced', async () => {
  const t = await listen(100);
  t.proxy.stall();
  expect((await t.lost).message).toContain('timeout');
  await expect.poll(() => t.told).toEqual([ANYTHING, ANYTHING]);
  await t.notify('heard');
  await expect.poll(() => t.told).toContain('heard');
});
