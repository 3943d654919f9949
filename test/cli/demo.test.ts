import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCommand } from '../support/run-command.ts';

/** Where the demo keeps its data. */
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
