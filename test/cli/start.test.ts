import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { formatApiKey, makeApiKey } from '../../src/domain/accounts/api-key.ts';
import { findRunningPostgres } from '../../src/postgres/embedded-postgres.ts';
import { type CommandProcess, runCommand, startCommand } from '../support/run-command.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'backsolve-start-'));
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/** `start` on a free port, ready. */
async function startAll(dataDir: string, settings: Record<string, string> = {}) {
  const command = startCommand(['start'], { DATA_DIR: dataDir, PORT: '0', ...settings });
  cleanups.push(() => stop(command));
  const [, url] = await command.prints(/Backsolve is ready at (\S+)\n(?:.*\n)*.*API key .*\n/);
  const key = /API key\s+(bks_\S+)/.exec(command.stdout())?.[1];
  return { command, url: url!, key };
}

async function stop(command: CommandProcess): Promise<number | NodeJS.Signals> {
  if (command.child.exitCode === null && command.child.signalCode === null) command.child.kill('SIGTERM');
  return command.ended;
}

function listModels(url: string, key: string): Promise<Response> {
  return fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
}

test('start prints an address and, the first time only, a key; data outlives it; SIGTERM ends everything with 0', async () => {
  const dataDir = await newDataDir();
  const first = await startAll(dataDir);
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  const created = await fetch(`${first.url}/v1/models`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'kept between runs' }),
  });
  expect(created.status).toBe(201);
  expect(await stop(first.command)).toBe(0);
  expect(await findRunningPostgres(dataDir)).toBeUndefined();

  const second = await startAll(dataDir);
  expect(second.key).toBeUndefined();
  expect(await (await listModels(second.url, first.key!)).text()).toContain('kept between runs');
});

test('start prints a link to the page that signs in once, and page prints another', async () => {
  const dataDir = await newDataDir();
  const { command, url } = await startAll(dataDir);
  const signIn = (link: string) =>
    fetch(`${url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ token: new URL(link).hash.replace('#token=', '') }),
    });
  const LINK = /(http:\S+\/page#token=\w+) {2}\(signs you in once, within 15 minutes\)\n/;
  const [, link] = LINK.exec(command.stdout())!;
  expect(link).toMatch(`${url}/page#`);
  const signedIn = await signIn(link!);
  expect(signedIn.status).toBe(201);
  expect(await signedIn.json()).toMatchObject({ account: 'default', scopes: ['read', 'write', 'evaluate', 'admin'] });
  expect((await signIn(link!)).status).toBe(401);
  const printed = await runCommand(['page', '--url', url], { DATA_DIR: dataDir });
  expect((await signIn(LINK.exec(printed.stdout)![1]!)).status).toBe(201);
  // The files of the page may not be built; the address is right either way.
  expect([200, 503]).toContain((await fetch(`${url}/page`)).status);
});

test('start accepts a key from the settings and does not print it', async () => {
  const key = formatApiKey(makeApiKey());
  const { command, url } = await startAll(await newDataDir(), { BACKSOLVE_BOOTSTRAP_API_KEY: key });
  expect((await listModels(url, key)).status).toBe(200);
  expect((await listModels(url, formatApiKey(makeApiKey()))).status).toBe(401);
  expect(command.stdout()).not.toContain(key);
});

test('a second start in the same folder is refused and names the process of the first', async () => {
  const dataDir = await newDataDir();
  const first = await startAll(dataDir);
  const second = startCommand(['start'], { DATA_DIR: dataDir, PORT: '0' });
  cleanups.push(async () => second.child.kill('SIGKILL'));
  expect(await second.ended).toBe(1);
  expect(second.stderr()).toContain(`already in use by process ${first.command.child.pid}`);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
});

test('start ends with a hint when its port is taken', async () => {
  const first = await startAll(await newDataDir());
  const command = startCommand(['start'], { DATA_DIR: await newDataDir(), PORT: new URL(first.url).port });
  cleanups.push(() => stop(command));
  expect(await command.ended).toBe(1);
  expect(command.stderr()).toContain('choose another port with PORT');
});

test('keys, migrate and webhooks reach the database of start without DATABASE_URL, whether it runs or not', async () => {
  const dataDir = await newDataDir();
  const { command, url } = await startAll(dataDir);
  const created = startCommand(['keys', 'create', '--label', 'second'], { DATA_DIR: dataDir });
  expect(await created.ended).toBe(0);
  expect((await listModels(url, created.stdout().trim())).status).toBe(200);
  const settings = { DATA_DIR: dataDir };
  const refused = await runCommand(['webhooks', 'create', 'http://localhost:3000/hook'], settings);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('WEBHOOK_ALLOW_PRIVATE=true');
  const allowed = { ...settings, WEBHOOK_ALLOW_PRIVATE: 'true' };
  expect(await runCommand(['webhooks', 'create', 'http://localhost:3000/hook'], allowed)).toMatchObject({ code: 0 });
  await stop(command);
  expect((await runCommand(['keys', 'list'], settings)).stdout).toContain('second');
  expect((await runCommand(['webhooks', 'list'], settings)).stdout).toContain('http://localhost:3000/hook');
  expect(await runCommand(['migrate'], settings)).toMatchObject({ code: 0, stdout: 'The database was up to date.\n' });
});
