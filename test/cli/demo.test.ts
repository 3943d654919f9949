import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DatabaseServer } from '../../harness/database-server.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { openDatabase } from '../../src/composing/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { startCommand } from '../support/run-command.ts';
import { openSharedEngine } from '../support/shared-engine.ts';

/** Folder in which the demo keeps its data. */
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-demo-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const startDemo = (pace: string) => startCommand(['demo', '--pace', pace], { TMPDIR: folder });

test('demo --pace prints a link to the page, solves, and keeps the service until it is stopped', async () => {
  const demo = startDemo('0');
  const [, url, token] = await demo.prints(/(http:\S+)\/page#token=(\S+) /);
  const session = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url! },
    body: JSON.stringify({ token }),
  });
  const signedIn = (await session.json()) as { pageSecret: string };
  expect(signedIn).toMatchObject({ account: 'demo', scopes: expect.arrayContaining(['read', 'write']) });
  const cookie = session.headers.get('set-cookie')!.split(';')[0]!;
  await demo.prints(/All outputs are met(.|\n)*until you press Ctrl-C/);
  const objectives = await fetch(`${url}/v1/objectives`, { headers: { cookie, 'x-page-secret': signedIn.pageSecret } });
  expect(await objectives.json()).toMatchObject([{ stopReason: 1, outputCount: 5 }]);
  demo.child.kill('SIGINT');
  expect(await demo.ended).toBe(0);
  expect(await readdir(folder)).toEqual([]);
});

test('demo --pace can be stopped while it waits', async () => {
  const demo = startDemo('3600');
  await demo.prints(/running the model on each/);
  demo.child.kill('SIGINT');
  expect(await demo.ended).toBe(130);
  expect(await readdir(folder)).toEqual([]);
  expect(demo.stderr()).toBe('');
});

test('demo --url goes on when the database of the service restarts', async () => {
  const [config, log] = [loadConfig({ PORT: '0', ENGINE_THREADS: '1' }), makeLog({ level: 'silent' })];
  const server = await DatabaseServer.create(folder, ['fsync=off']);
  const db = openDatabase(config, server.url, log);
  await migrate(db).finally(() => db.destroy());
  const service = await startService(config, server.url, log, {
    ingress: true,
    worker: true,
    engine: openSharedEngine(),
  });
  try {
    const key = await createKey(service.db, {
      account: 'demo',
      label: null,
      scopes: ['read', 'write'],
      expiresAt: null,
    });
    const demo = startCommand(['demo', '--url', service.url!, '--key', key]);
    await demo.prints(/suggestion 1:/);
    await server.stop('immediate');
    await demo.prints(/Trying again:/);
    await server.start();
    await demo.prints(/All outputs are met/);
    expect(await demo.ended).toBe(0);
    expect(demo.stderr()).toBe('');
  } finally {
    await service.close();
    await server.close();
  }
});
