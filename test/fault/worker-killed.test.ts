import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandProcess, startCommand } from '../support/run-command.ts';
import { startTestService, type TestService } from '../support/service.ts';
import {
  holdUpWorkers,
  type Inverse,
  loadObjective,
  openAdmin,
  readInverses,
  readJob,
  undisturbedInput,
} from './objective.ts';

let service: TestService;
const workers: CommandProcess[] = [];
beforeAll(async () => {
  service = await startTestService({ worker: false });
});
afterAll(async () => {
  for (const { child } of workers) child.kill('SIGKILL');
  await Promise.all(workers.map(({ ended }) => ended));
  await service.close();
});

async function startWorker(): Promise<CommandProcess> {
  const worker = startCommand(['work'], {
    DATABASE_URL: service.databaseUrl,
    LEASE_MS: '1500',
    POLL_INTERVAL_MS: '100',
    ENGINE_THREADS: '1',
    // Longer than any test blocks a worker.
    LOCK_TIMEOUT_MS: '60000',
    STATEMENT_TIMEOUT_MS: '60000',
  });
  workers.push(worker);
  await worker.prints(/worker\.ready/);
  return worker;
}

it('a job whose worker is killed goes to another worker when the lease expires and gets the same suggestion', async () => {
  const admin = await openAdmin(service.databaseUrl);
  const first = await startWorker();
  const expected = await undisturbedInput(service);
  const path = await loadObjective(service);
  await holdUpWorkers(admin);
  const asked = await service.call<Inverse>('POST', `${path}/inverses`, undefined, { prefer: 'respond-async' });
  expect(asked.status).toBe(202);
  const job = () => readJob(admin, path);
  await expect.poll(job).toMatchObject({ state: 'leased' });
  const holder = (await job())!.leased_by;
  first.child.kill('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');
  await admin.query('commit');
  const second = await startWorker();
  const inverse = () => service.ok<Inverse>('GET', `${path}/inverses/${asked.body.id}`);
  await expect.poll(inverse).toMatchObject({ input: expected, iteration: 2 });
  expect(holder).toMatch(new RegExp(`:${first.child.pid}$`));
  // The line follows the write that the poll has seen.
  await second.prints(/"attempt":[2-5]\b/);
  expect(await job()).toBeUndefined();
  expect(await readInverses(service, path)).toMatchObject({ attemptCount: 1, inverses: [{}, { inputs: expected }] });
  await admin.end();
});

it('a worker that hangs past its lease changes nothing when it resumes, because the job was taken over', async () => {
  const admin = await openAdmin(service.databaseUrl);
  for (const { child } of workers) child.kill('SIGKILL');
  const frozen = await startWorker();
  const expected = await undisturbedInput(service);
  const path = await loadObjective(service);
  await holdUpWorkers(admin);
  const asked = await service.call<Inverse>('POST', `${path}/inverses`, undefined, { prefer: 'respond-async' });
  await expect.poll(() => readJob(admin, path)).toMatchObject({ state: 'leased' });
  await expect.poll(() => isWaitingForLock(admin)).toBe(true);
  frozen.child.kill('SIGSTOP');
  await admin.query('commit');
  await startWorker();
  const inverse = () => service.ok<Inverse>('GET', `${path}/inverses/${asked.body.id}`);
  await expect.poll(inverse).toMatchObject({ input: expected });
  // The explanation is written after the suggestion.
  await expect.poll(() => readInverses(service, path)).toMatchObject({ insight: expect.anything() });
  const before = await readInverses(service, path);
  frozen.child.kill('SIGCONT');
  await frozen.prints(/suggestion\.(lost|lease-lost|interrupted)/);
  expect(await readInverses(service, path)).toEqual(before);
  expect(before.attemptCount).toBe(1);
  await admin.end();
});

async function isWaitingForLock(admin: Awaited<ReturnType<typeof openAdmin>>): Promise<boolean> {
  const text = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  return (await admin.query(text)).rows.length > 0;
}
