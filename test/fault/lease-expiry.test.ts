import { expect, it, onTestFinished } from 'vitest';
import { type Service, startService } from '../../src/composing/compose.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { startTestService } from '../support/service.ts';
import { Gate, honest, makeEngine, proposing, type Suggest } from './engines.ts';
import { type Inverse, loadObjective, openAdmin, readInverses, readJob } from './objective.ts';

/** A service whose worker hangs in its computation. */
async function setup(options: { readonly slow: (gate: Gate) => Suggest; readonly leaseMs: number }) {
  const gate = new Gate(proposing(1, 1));
  const service = await startTestService({
    engine: makeEngine(options.slow(gate)),
    settings: { LEASE_MS: String(options.leaseMs), WORKER_CONCURRENCY: '1' },
  });
  const admin = await openAdmin(service.databaseUrl);
  const others: Service[] = [];
  onTestFinished(async () => {
    gate.open();
    await admin.end();
    for (const other of others) await other.close();
    await service.close();
  });
  const path = await loadObjective(service);
  const asked = await service.call<Inverse>('POST', `${path}/inverses`, undefined, { prefer: 'respond-async' });
  const signal = await gate.entered;
  const expire = () => admin.query("update suggestion_jobs set visible_at = now() - interval '1 ms'");
  const startAnotherWorker = async () => {
    const config = loadConfig({ LEASE_MS: '60000', POLL_INTERVAL_MS: '100' });
    const roles = { ingress: false, worker: true, engine: makeEngine(honest) };
    others.push(await startService(config, service.databaseUrl, makeLog({ level: 'silent' }), roles));
  };
  const inverse = () => service.ok<Inverse>('GET', `${path}/inverses/${asked.body.id}`);
  return { service, admin, gate, path, signal, expire, startAnotherWorker, inverse };
}

it('a result that arrives after the job was taken over is discarded', async () => {
  const t = await setup({ slow: (gate) => gate.suggest, leaseMs: 60_000 });
  await t.expire();
  await t.startAnotherWorker();
  await expect.poll(t.inverse).toMatchObject({ input: expect.any(Array) });
  const before = await readInverses(t.service, t.path);
  t.gate.open();
  // The worker has one slot: when it takes the next job, it has dropped the stale one.
  const next = await loadObjective(t.service);
  const followed = await t.service.ok<Inverse>('POST', `${next}/inverses`);
  expect(followed.input).not.toBeNull();
  expect(await readInverses(t.service, t.path)).toEqual(before);
  expect(before).toMatchObject({ attemptCount: 1 });
  expect(before.inverses[1]!.inputs).not.toEqual([1, 1]);
});

it('a computation whose lease is lost is aborted', async () => {
  const t = await setup({ slow: (gate) => gate.suggestUntilAborted, leaseMs: 1_000 });
  await t.startAnotherWorker();
  await t.expire();
  await expect.poll(() => t.signal.reason).toBe('lease-lost');
  await expect.poll(t.inverse).toMatchObject({ input: expect.any(Array) });
});

it('a slow computation keeps its job, because its lease is renewed', async () => {
  const t = await setup({ slow: (gate) => gate.suggest, leaseMs: 3_000 });
  await t.startAnotherWorker();
  const { rows } = await t.admin.query<{ end: string }>('select visible_at::text as end from suggestion_jobs');
  const isHeldPast = async (end: string) => {
    const text = 'select now() > $1::timestamptz and now() < visible_at as held from suggestion_jobs';
    return (await t.admin.query<{ held: boolean }>(text, [end])).rows[0]?.held;
  };
  await expect.poll(() => isHeldPast(rows[0]!.end)).toBe(true);
  expect(await readJob(t.admin, t.path)).toMatchObject({ state: 'leased', attempts: 1 });
  t.gate.open();
  await expect.poll(t.inverse).toMatchObject({ input: [1, 1] });
});
