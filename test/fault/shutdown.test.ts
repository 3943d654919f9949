import { expect, inject, it, onTestFinished } from 'vitest';
import { startCommand } from '../support/run-command.ts';
import { startTestService } from '../support/service.ts';
import { Gate, honest, makeEngine } from './engines.ts';
import { holdUpWorkers, type Inverse, loadObjective, openAdmin, readJob } from './objective.ts';

async function setup(options: { readonly aborts: boolean; readonly graceMs: number }) {
  const gate = new Gate(honest);
  const engine = makeEngine(options.aborts ? gate.suggestUntilAborted : gate.suggest);
  const service = await startTestService({ engine, settings: { SHUTDOWN_GRACE_MS: String(options.graceMs) } });
  const admin = await openAdmin(service.databaseUrl);
  onTestFinished(async () => {
    gate.open();
    await admin.end();
    await service.close();
  });
  return { service, gate, admin, path: await loadObjective(service) };
}

it('a suggest request under way is answered before the service closes', async () => {
  const { service, gate, path } = await setup({ aborts: false, graceMs: 20_000 });
  const asked = service.call<Inverse>('POST', `${path}/inverses`);
  await gate.entered;
  const closed = service.service.close();
  gate.open();
  expect(await asked).toMatchObject({ status: 201, body: { iteration: 2, input: expect.any(Array) } });
  await closed;
  await expect(fetch(`${service.service.url}/livez`)).rejects.toThrow();
});

it('claimed work is finished within the grace period', async () => {
  const { service, gate, admin, path } = await setup({ aborts: true, graceMs: 20_000 });
  const asked = await service.call<Inverse>('POST', `${path}/inverses`, undefined, { prefer: 'respond-async' });
  await gate.entered;
  const closed = service.service.close();
  gate.open();
  await closed;
  const { rows } = await admin.query('select input from inverses where id = $1', [asked.body.id]);
  expect(rows).toEqual([{ input: expect.any(Array) }]);
  expect(await readJob(admin, path)).toBeUndefined();
});

it('claimed work that exceeds the grace period is released immediately, without counting an attempt', async () => {
  const { service, gate, admin, path } = await setup({ aborts: true, graceMs: 50 });
  await service.call('POST', `${path}/inverses`, undefined, { prefer: 'respond-async' });
  await gate.entered;
  await service.service.close();
  expect(await readJob(admin, path)).toEqual({ state: 'waiting', attempts: 0, leased_by: null });
  const { rows } = await admin.query('select visible_at <= now() as is_claimable from suggestion_jobs');
  expect(rows).toEqual([{ is_claimable: true }]);
});

it('a closed service holds no connections, so that its database may stop immediately', async ({ skip }) => {
  skip(inject('postgres').poolerUrl !== undefined, 'a pooler keeps its connections to the database');
  const { service, admin, path } = await setup({ aborts: false, graceMs: 20_000 });
  const countConnections = async () => {
    const text = `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
    return (await admin.query<{ count: number }>(text)).rows[0]!.count;
  };
  await Promise.all(Array.from({ length: 30 }, () => service.ok('GET', path)));
  expect(await countConnections()).toBeGreaterThan(2);
  await service.service.close();
  expect(await countConnections()).toBe(0);
});

it('a worker process that is asked to stop writes its result and exits with code 0', async () => {
  const service = await startTestService({ worker: false });
  const admin = await openAdmin(service.databaseUrl);
  const worker = startCommand(['work'], { DATABASE_URL: service.databaseUrl, POLL_INTERVAL_MS: '100' });
  onTestFinished(async () => {
    worker.child.kill('SIGKILL');
    await worker.ended;
    await admin.end();
    await service.close();
  });
  await worker.prints(/worker\.ready/);
  const path = await loadObjective(service);
  await holdUpWorkers(admin);
  const asked = await service.call<Inverse>('POST', `${path}/inverses`, undefined, { prefer: 'respond-async' });
  await expect.poll(() => readJob(admin, path)).toMatchObject({ state: 'leased' });
  worker.child.kill('SIGTERM');
  await worker.prints(/worker\.stopping/);
  await admin.query('commit');
  expect(await worker.ended).toBe(0);
  const inverse = await service.ok<Inverse>('GET', `${path}/inverses/${asked.body.id}`);
  expect(inverse.input).not.toBeNull();
});
