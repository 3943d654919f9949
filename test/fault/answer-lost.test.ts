import { expect, it, onTestFinished } from 'vitest';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { linear } from '../support/fixtures.ts';
import { startTestService, type TestServiceOptions } from '../support/service.ts';
import { Gate, honest, makeEngine } from './engines.ts';
import { type Inverse, loadObjective, openAdmin, readInverses, readJob } from './objective.ts';

/** Parts of the statements that commit by themselves; their texts are sent when they are first used on a connection. */
const REQUEST = 'insert into suggestion_jobs';
const OUTPUT = 'insert into webhook_deliveries';
const RESULT = 'delete from suggestion_jobs';

async function setup(options: TestServiceOptions = {}) {
  const gate = new Gate(honest);
  let proxy: TcpProxy | undefined;
  const service = await startTestService({
    engine: makeEngine(gate.suggest),
    through: async (url) => {
      proxy = new TcpProxy(url);
      await proxy.listen();
      return proxy.through(url);
    },
    ...options,
  });
  const admin = await openAdmin(service.databaseUrl);
  onTestFinished(async () => {
    gate.open();
    await admin.end();
    await service.close();
    await proxy!.close();
  });
  return { service, gate, admin, proxy: proxy!, path: await loadObjective(service) };
}

it('a suggest request whose commit is unconfirmed is answered with 503, and its repetition returns the same single iteration', async () => {
  const { service, admin, proxy, path } = await setup({ worker: false });
  const ask = () => service.call<Inverse>('POST', `${path}/inverses`, undefined, { prefer: 'respond-async' });
  const dropped = proxy.dropAnswerTo(REQUEST);
  expect((await ask()).status).toBe(503);
  await dropped;
  const again = await ask();
  expect(again).toMatchObject({ status: 202, body: { iteration: 2, input: null } });
  expect(await readJob(admin, path)).toMatchObject({ state: 'waiting', attempts: 0 });
  expect((await readInverses(service, path)).inverses).toHaveLength(2);
});

it('an output whose commit is unconfirmed is answered with 503, and its repetition is stored once', async () => {
  const { service, gate, proxy, path } = await setup();
  gate.open();
  const inverse = await service.ok<Inverse>('POST', `${path}/inverses`);
  const output = linear(inverse.input!).map((value) => value + 50);
  const load = () => service.call('PUT', `${path}/inverses/${inverse.id}/output`, { output });
  const dropped = proxy.dropAnswerTo(OUTPUT);
  expect((await load()).status).toBe(503);
  await dropped;
  const before = await readInverses(service, path);
  expect(before.inverses.at(-1)).toMatchObject({ outputs: output });
  expect((await load()).status).toBe(200);
  expect(await readInverses(service, path)).toEqual(before);
});

it('a result whose commit is unconfirmed counts once', async () => {
  const { service, gate, admin, proxy, path } = await setup();
  const asked = await service.call<Inverse>('POST', `${path}/inverses`, undefined, { prefer: 'respond-async' });
  await gate.entered;
  const dropped = proxy.dropAnswerTo(RESULT);
  gate.open();
  await dropped;
  const inverse = () => service.ok<Inverse>('GET', `${path}/inverses/${asked.body.id}`);
  await expect.poll(inverse).toMatchObject({ iteration: 2, input: expect.any(Array) });
  expect(await readJob(admin, path)).toBeUndefined();
  expect(await readInverses(service, path)).toMatchObject({ attemptCount: 1, inverses: [{}, {}] });
  expect(gate.calls).toBe(1);
});

it('a suggestion whose answer never reached the client is found through the conflict of its repetition', async () => {
  const { service, gate, path } = await setup();
  gate.open();
  const proxy = new TcpProxy(service.service.url!);
  await proxy.listen();
  onTestFinished(() => proxy.close());
  const url = proxy.through(`${service.service.url}/v1${path}/inverses`);
  const dropped = proxy.dropAnswerTo('POST /v1/');
  const headers = { authorization: `Bearer ${service.key}` };
  await expect(fetch(url, { method: 'POST', headers })).rejects.toThrow();
  await dropped;
  const again = await service.call<Inverse & { instance: string }>('POST', `${path}/inverses`);
  expect(again.status).toBe(409);
  const open = await service.ok<Inverse>('GET', again.body.instance.replace('/v1', ''));
  expect(open).toMatchObject({ iteration: 2, status: 'active', input: expect.any(Array) });
  expect(await readInverses(service, path)).toMatchObject({ attemptCount: 1, inverses: [{}, { inputs: open.input }] });
});
