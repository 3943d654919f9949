import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DatabaseServer } from '../../harness/database-server.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { type Service, startService } from '../../src/composing/compose.ts';
import { openDatabase } from '../../src/composing/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { Gate, honest, makeEngine } from './engines.ts';
import { type Inverse, loadObjective, openAdmin, readInverses } from './objective.ts';

const config = loadConfig({ PORT: '0', LEASE_MS: '2000', POLL_INTERVAL_MS: '200', WORKER_CONCURRENCY: '1' });
const log = makeLog({ level: 'silent' });
let folder: string;
let server: DatabaseServer;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-away-'));
  server = await DatabaseServer.create(folder, ['fsync=off']);
  const db = openDatabase(config, server.url, log);
  await migrate(db);
  await db.destroy();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function setup() {
  const gate = new Gate(honest);
  const roles = { ingress: true, worker: true, engine: makeEngine(gate.suggest) };
  const service: Service = await startService(config, server.url, log, roles);
  const key = await createKey(service.db, { account: 'test', label: null, scopes: ['read', 'write'], expiresAt: null });
  const send = (method: string, url: string, body?: unknown, prefer = 'wait=20') =>
    fetch(`${service.url}/v1${url}`, {
      method,
      headers: { authorization: `Bearer ${key}`, prefer, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const ok = async <T>(method: string, url: string, body?: unknown): Promise<T> => {
    const response = await send(method, url, body);
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status}`);
    return (await response.json()) as T;
  };
  const client = { ok };
  return { service, gate, send, client, objective: await loadObjective(client) };
}

it.each(['stopped', 'killed'] as const)(
  'a result computed while the database server is %s is written when the server is back',
  async (how) => {
    const t = await setup();
    const asked = await t.send('POST', `${t.objective}/inverses`, undefined, 'respond-async');
    const inverse = (await asked.json()) as Inverse;
    await t.gate.entered;
    if (how === 'stopped') await server.stop('immediate');
    else await server.kill();
    t.gate.open();
    const refused = await t.send('GET', t.objective);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fetch(`${t.service.url}/livez`)).status).toBe(200);
    expect((await fetch(`${t.service.url}/readyz`)).status).toBe(503);
    await server.start();
    const read = () => t.client.ok<Inverse>('GET', `${t.objective}/inverses/${inverse.id}`).catch(() => undefined);
    await expect.poll(read).toMatchObject({ iteration: 2, input: expect.any(Array) });
    expect(await readInverses(t.client, t.objective)).toMatchObject({ attemptCount: 1, inverses: [{}, {}] });
    const admin = await openAdmin(server.url);
    expect((await admin.query('select 1 from suggestion_jobs')).rows).toEqual([]);
    await admin.end();
    // The result survived the outage and was not computed again.
    expect(t.gate.calls).toBe(1);
    await t.service.close();
  },
);
