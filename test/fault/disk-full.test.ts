/**
 * The database's disk is full. A trigger in the real database raises the error, so that no disk has to be filled; the drill
 * bench/drills/full-disk.ts fills one.
 */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { execute } from '../../harness/one-statement.ts';
import { untilWritten } from '../../src/application/until-written.ts';
import { DiskSpace, hasRoom } from '../../src/db/connection/disk-space.ts';
import { diskFull } from '../../src/domain/errors.ts';
import { openReceiver } from '../outside/webhooks/receiver.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { readValue, scrape } from '../telemetry/scrape.ts';
import { Gate, honest, makeEngine } from './engines.ts';
import { type Inverse, loadObjective, openAdmin, readJob } from './objective.ts';

/** From now on, such writes to the table fail because of a full disk. */
async function fillDisk({ databaseUrl }: TestService, event: string): Promise<void> {
  await execute(
    databaseUrl,
    `create function meet_full_disk() returns trigger language plpgsql as $$
       begin raise exception 'could not extend file' using errcode = '53100'; end $$;
     create trigger full_disk before ${event} for each statement execute function meet_full_disk()`,
  );
}

const makeRoom = ({ databaseUrl }: TestService) => execute(databaseUrl, 'drop function meet_full_disk cascade');

const probe = async (service: TestService, path: string) => {
  const response = await fetch(`${service.service.url}${path}`);
  return { status: response.status, body: await response.json() };
};

describe('an ingress whose database has a full disk', () => {
  it('answers writes with 507 and advice, keeps serving reads, and accepts writes again when there is space', async () => {
    const metricsPort = await findFreePort();
    const service = await startTestService({
      worker: false,
      // Slow enough that all requests below precede the next probe.
      settings: { METRICS_PORT: String(metricsPort), POLL_INTERVAL_MS: '2000', SUGGEST_WAIT_MS: '0' },
    });
    const objective = await loadObjective(service);
    expect(await probe(service, '/readyz')).toEqual({ status: 200, body: { status: 'ready', writes: true } });
    expect((await probe(service, '/readyz/writes')).status).toBe(200);
    await fillDisk(service, 'insert on inverses');

    const headers = { 'idempotency-key': crypto.randomUUID() };
    const refused = await service.call('POST', `${objective}/inverses`, undefined, headers);
    expect(refused.status).toBe(507);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body).toMatchObject({
      type: 'urn:backsolve:problem:disk-full',
      detail: expect.stringMatching(/^The disk of the database is full\. .*freed space/),
    });
    // The disk is known to be full: no other write is tried, in either dialect.
    expect((await service.call('POST', '/models', { name: 'another' })).status).toBe(507);
    expect((await service.call('DELETE', objective)).status).toBe(507);
    const sdk = await fetch(`${service.service.url}/api/models`, { method: 'POST', body: '{}' });
    expect(sdk.status).toBe(507);

    expect(await service.ok('GET', objective)).toMatchObject({ stopReason: 0, inverses: [{ iteration: 1 }] });
    expect(await probe(service, '/readyz')).toEqual({ status: 200, body: { status: 'ready', writes: false } });
    expect(await probe(service, '/readyz/writes')).toEqual({
      status: 503,
      body: { status: 'not ready', writes: false },
    });
    expect(readValue(await scrape(metricsPort), 'backsolve_database_disk_full')).toBe(1);

    await makeRoom(service);
    await expect.poll(async () => (await probe(service, '/readyz/writes')).status, { timeout: 60_000 }).toBe(200);
    const taken = await service.call('POST', `${objective}/inverses`, undefined, headers);
    expect([taken.status, taken.body.iteration]).toEqual([202, 2]);
    expect(readValue(await scrape(metricsPort), 'backsolve_database_disk_full')).toBe(0);
    await service.close();
  });

  it('An ingress whose database has a full disk does not count refused writes against the rate limit of readers', async () => {
    const service = await startTestService({ worker: false });
    await fillDisk(service, 'insert or update on rate_limits');
    expect((await service.call('GET', '/models')).status).toBe(200);
    await service.close();
  });
});

describe('a worker whose database has a full disk', () => {
  it('A worker whose database has a full disk keeps its result, claims nothing more, and writes the result when there is space', async () => {
    const gate = new Gate(honest);
    // Slow enough that all statements until there is room precede the next probe, which finds room.
    const settings = { POLL_INTERVAL_MS: '2000', WORKER_CONCURRENCY: '2' };
    const service = await startTestService({ engine: makeEngine(gate.suggest), settings });
    const admin = await openAdmin(service.databaseUrl);
    const [first, second] = [await loadObjective(service), await loadObjective(service)];
    const suggest = (path: string) => service.call('POST', `${path}/inverses`, undefined, { prefer: 'respond-async' });
    const { id } = (await suggest(first)).body;
    await gate.entered;
    await fillDisk(service, 'update on inverses');
    gate.open();
    await expect.poll(async () => (await probe(service, '/readyz')).body).toMatchObject({ writes: false });
    await admin.query(
      'insert into inverses (account_id, objective_id, iteration) select account_id, id, 2 from objectives where id = $1',
      [second.split('/').at(-1)],
    );
    await admin.query(
      'insert into suggestion_jobs (account_id, objective_id, inverse_id) select account_id, objective_id, id from inverses where objective_id = $1 and iteration = 2',
      [second.split('/').at(-1)],
    );
    await admin.query('notify backsolve_jobs');
    expect(await readJob(admin, first)).toMatchObject({ state: 'leased', attempts: 1 });
    expect(await readJob(admin, second)).toMatchObject({ state: 'waiting', attempts: 0 });

    await makeRoom(service);
    const read = () => service.ok<Inverse>('GET', `${first}/inverses/${id}`);
    await expect.poll(read).toMatchObject({ iteration: 2, input: expect.any(Array) });
    await expect.poll(() => readJob(admin, second)).toBeUndefined();
    // The result was kept and not computed again.
    expect(gate.calls).toBe(2);
    await admin.end();
    await service.close();
  });

  it('A worker whose database has a full disk sends an event once, although its delivery could not be recorded at first', async () => {
    const receiver = await openReceiver();
    const settings = { POLL_INTERVAL_MS: '20', WEBHOOK_ALLOW_PRIVATE: 'true' };
    const service = await startTestService({ settings });
    const { id } = await service.ok<{ id: number }>('POST', '/webhooks', {
      url: receiver.url,
      events: ['objectives.loaded'],
    });
    const sent = receiver.next();
    await fillDisk(service, 'update of delivered_at on webhook_deliveries');
    await loadObjective(service);
    await sent;
    await expect.poll(async () => (await probe(service, '/readyz')).body).toMatchObject({ writes: false });
    await makeRoom(service);
    const deliveries = () =>
      service.ok<{ status: string; attemptCount: number }[]>('GET', `/webhooks/${id}/deliveries`);
    await expect.poll(deliveries).toMatchObject([{ status: 'delivered', attemptCount: 1 }]);
    expect(receiver.received).toHaveLength(1);
    await service.close();
    await receiver.close();
  });
});

describe('the disk space monitor', () => {
  it('The disk space monitor reports space again when a probe finds some and no write was refused since the probe began', async () => {
    const changes: boolean[] = [];
    const probes: { resolve: (hasRoom: boolean) => void; reject: (error: Error) => void }[] = [];
    const disk = new DiskSpace({
      probeIntervalMs: 0,
      hasRoom: () => new Promise((resolve, reject) => void probes.push({ resolve, reject })),
      onChange: (isFull) => changes.push(isFull),
    });
    const nextProbe = async (count: number) => {
      await expect.poll(() => probes.length).toBe(count);
      return probes.at(-1)!;
    };
    expect(disk.isFull).toBe(false);
    disk.note();
    (await nextProbe(1)).resolve(false);
    (await nextProbe(2)).reject(new Error('the database is away'));
    const third = await nextProbe(3);
    disk.note();
    third.resolve(true);
    const fourth = await nextProbe(4);
    expect([disk.isFull, changes]).toEqual([true, [true]]);
    fourth.resolve(true);
    await expect.poll(() => disk.isFull).toBe(false);
    disk.note();
    await nextProbe(5);
    disk.stop();
    expect(changes).toEqual([true, false, true]);
  });

  it('probes with a temporary file, and treats a limit on temporary files as space', async () => {
    const database = await createTestDatabase();
    const db = connectTo(database.url);
    expect(await hasRoom(db)).toBe(true);
    const written = sql<{ bytes: number }>`
      select temp_bytes as bytes from pg_stat_database where datname = current_database()`;
    await expect.poll(async () => (await written.execute(db)).rows[0]!.bytes).toBeGreaterThan(20_000_000);
    await sql`set temp_file_limit = '1MB'`.execute(db);
    expect(await hasRoom(db)).toBe(true);
    await db.destroy();
    await database.drop();
  });
});

it('a write that meets a full disk is repeated until it succeeds or the worker shuts down', async () => {
  const leaving = new AbortController();
  let tries = 0;
  const write = async () => {
    tries += 1;
    throw diskFull();
  };
  const waiting = untilWritten(leaving.signal, write);
  await expect.poll(() => tries).toBe(1);
  leaving.abort();
  await expect(waiting).rejects.toThrow('aborted');
  await expect(untilWritten(new AbortController().signal, async () => 'done')).resolves.toBe('done');
});
