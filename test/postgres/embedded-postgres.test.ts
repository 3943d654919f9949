import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import {
  type EmbeddedPostgres,
  findRunningPostgres,
  startEmbeddedPostgres,
} from '../../src/postgres/embedded-postgres.ts';
import { EmbeddedPostgresError } from '../../src/postgres/embedded-postgres-error.ts';
import { endLeftovers, serverProcesses } from '../../src/postgres/server-processes.ts';

const HOLDER = new URL('../support/hold-data-dir.ts', import.meta.url).pathname;
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-dev-'));
  await chmod(folder, 0o755);
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'data');
}

let prototype: Promise<string> | undefined;
afterAll(async () => {
  if (prototype !== undefined) await rm(path.dirname(await prototype), { recursive: true, force: true });
});

async function makePrototype(): Promise<string> {
  const dataDir = path.join(await mkdtemp(path.join(tmpdir(), 'backsolve-dev-')), 'data');
  await chmod(path.dirname(dataDir), 0o755);
  const ignore = () => undefined;
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  await (await startEmbeddedPostgres({ dataDir, log, loseDataOnCrash: true })).stop();
  return dataDir;
}

/** A folder with a database, copied from one that is made once: most tests are not about making it. */
async function newDatabase(): Promise<string> {
  prototype ??= makePrototype();
  const dataDir = await newFolder();
  await promisify(execFile)('cp', ['-a', await prototype, dataDir]);
  return dataDir;
}

interface Started extends EmbeddedPostgres {
  readonly messages: string[];
}

async function start(
  dataDir: string,
  options: { port?: number; maximumRestartPauseMs?: number } = {},
): Promise<Started> {
  const messages: string[] = [];
  const note = (_fields: object, message: string) => void messages.push(message);
  const log = { debug: () => undefined, info: note, warn: note, error: note };
  const server = await startEmbeddedPostgres({
    dataDir,
    log,
    loseDataOnCrash: true,
    ...options,
  });
  cleanups.push(() => server.stop());
  return { ...server, messages };
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Another process that holds the folder; resolves once its server is up. */
async function hold(dataDir: string): Promise<{ holder: ChildProcess; url: string }> {
  const holder = spawn(process.execPath, [HOLDER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(async () => {
    await kill(holder);
    await endLeftovers(await clusterOf(dataDir));
  });
  const [url] = (await once(createInterface({ input: holder.stdout! }), 'line')) as [string];
  return { holder, url };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('the embedded server keeps its data and password between runs, in UTF8, on this machine only', async () => {
  const dataDir = await newFolder();
  const first = await start(dataDir);
  await query(first.url, 'create table kept as select 42 as answer');
  const settings = await query(
    first.url,
    `select current_setting('server_encoding') as encoding, current_setting('listen_addresses') as address,
            current_setting('unix_socket_directories') as sockets, datlocale as locale
       from pg_database where datname = current_database()`,
  );
  expect(settings).toEqual([{ encoding: 'UTF8', address: '127.0.0.1', sockets: '', locale: 'C.UTF-8' }]);
  await first.stop();

  const second = await start(dataDir);
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  expect(new URL(second.url).password).toBe(new URL(first.url).password);
  expect((await stat(path.join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600);
});

test('the embedded server is durable unless a test switches that off', async () => {
  const dataDir = await newFolder();
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const server = await startEmbeddedPostgres({ dataDir, log });
  cleanups.push(() => server.stop());
  const names = "('fsync', 'synchronous_commit', 'full_page_writes')";
  expect(await query(server.url, `select distinct setting from pg_settings where name in ${names}`)).toEqual([
    { setting: 'on' },
  ]);
});

test('under root, with a folder closed to others, the files go where the server can reach them', async (context) => {
  if (process.getuid?.() !== 0) return context.skip();
  const dataDir = await newFolder();
  await chmod(path.dirname(dataDir), 0o700);
  const first = await start(dataDir);
  const cluster = await readlink(path.join(dataDir, 'postgres'));
  cleanups.unshift(() => rm(cluster, { recursive: true, force: true }));
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  expect(await query((await start(dataDir)).url, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test('the embedded server refuses a wrong password', async () => {
  const server = await start(await newDatabase());
  const wrong = new URL(server.url);
  wrong.password = 'wrong';
  await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
});

test('a second process on the same folder is refused and told the id of the first', async () => {
  const dataDir = await newDatabase();
  const { holder, url } = await hold(dataDir);
  expect(await findRunningPostgres(dataDir)).toBe(url);
  await expect(start(dataDir)).rejects.toThrow(`already in use by process ${holder.pid}`);
});

test('after kill -9 the next start stops the orphaned server and finds the data', async () => {
  const dataDir = await newDatabase();
  const { holder, url } = await hold(dataDir);
  await query(url, 'create table kept as select 42 as answer');
  await kill(holder);
  const server = await start(dataDir);
  expect(server.messages).toContain('stopped the database that a killed run left behind');
  expect(await query(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('a process that does not listen to %s takes its server with it', async (signal, code) => {
  const dataDir = await newDatabase();
  const { holder } = await hold(dataDir);
  const cluster = await clusterOf(dataDir);
  const gone = once(holder, 'exit');
  holder.kill(signal);
  expect((await gone)[0]).toBe(code);
  await expect.poll(() => serverProcesses(cluster)).toEqual([]);
});

test('after kill -9 of everything the next start recovers all committed data', async () => {
  const dataDir = await newDatabase();
  const { holder, url } = await hold(dataDir);
  await query(url, 'create table kept as select 42 as answer');
  const pidFile = path.join(await clusterOf(dataDir), 'postmaster.pid');
  const main = Number.parseInt(await readFile(pidFile, 'utf8'), 10);
  await kill(holder);
  process.kill(main, 'SIGKILL');
  const server = await start(dataDir);
  expect(await query(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test('a pid file with the id of an unrelated process does not prevent a start', async () => {
  const dataDir = await newDatabase();
  await (await start(dataDir)).stop();
  await writeFile(path.join(await clusterOf(dataDir), 'postmaster.pid'), `${process.pid}\n`);
  await expect(start(dataDir)).resolves.toBeDefined();
});

test('a lock whose process id now belongs to another process is taken over', async () => {
  const dataDir = await newDatabase();
  await writeFile(path.join(dataDir, 'owner.lock'), JSON.stringify({ pid: process.pid, start: 'long ago' }));
  await expect(start(dataDir)).resolves.toBeDefined();
});

test('an interrupted first start is repeated', async () => {
  const dataDir = await newFolder();
  await mkdir(path.join(dataDir, 'postgres.new', 'base'), { recursive: true });
  await writeFile(path.join(dataDir, 'postgres.new', 'PG_VERSION'), '18\n');
  const server = await start(dataDir);
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await expect(access(path.join(dataDir, 'postgres.new'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a lost password is replaced', async () => {
  const dataDir = await newDatabase();
  const first = await start(dataDir);
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  await rm(path.join(dataDir, 'postgres-password'));
  const second = await start(dataDir);
  expect(new URL(second.url).password).not.toBe(new URL(first.url).password);
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test('a path that is too long for a socket works', async () => {
  const dataDir = path.join(await newFolder(), 'x'.repeat(120));
  const server = await start(dataDir);
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a server that dies is restarted on the same port', async () => {
  const dataDir = await newDatabase();
  const server = await start(dataDir);
  const [main] = await serverProcesses(await clusterOf(dataDir));
  const client = new pg.Client(server.url);
  client.on('error', () => undefined);
  await client.connect();
  const cut = new Promise((resolve) => client.once('end', resolve));
  process.kill(main!, 'SIGKILL');
  await cut;
  await expect.poll(() => query(server.url, 'select 1 as one').catch(() => [])).toEqual([{ one: 1 }]);
  expect(server.messages).toContain('the database ended unexpectedly');
});

test('a server that cannot be restarted is retried until it can', async () => {
  const dataDir = await newDatabase();
  const server = await start(dataDir, { maximumRestartPauseMs: 50 });
  const cluster = await clusterOf(dataDir);
  const control = path.join(cluster, 'global', 'pg_control');
  await rename(control, `${control}.away`);
  const [main] = await serverProcesses(cluster);
  process.kill(main!, 'SIGKILL');
  const failures = () => server.messages.filter((message) => message.includes('could not be restarted')).length;
  await expect.poll(failures).toBeGreaterThan(7);
  await rename(`${control}.away`, control);
  await expect.poll(() => query(server.url, 'select 1 as one').catch(() => [])).toEqual([{ one: 1 }]);
  expect(server.messages).toContain('the database is running again');
});

test('a server that is waiting to restart can be stopped immediately', async () => {
  const dataDir = await newDatabase();
  const server = await start(dataDir);
  const cluster = await clusterOf(dataDir);
  await rm(path.join(cluster, 'global', 'pg_control'));
  const [main] = await serverProcesses(cluster);
  process.kill(main!, 'SIGKILL');
  await expect.poll(() => server.messages.some((message) => message.includes('could not be restarted'))).toBe(true);
  await server.stop();
  expect(await serverProcesses(cluster)).toEqual([]);
});

test('stopping ends every process and frees the folder despite open connections, and may be repeated', async () => {
  const dataDir = await newDatabase();
  const server = await start(dataDir);
  const cluster = await clusterOf(dataDir);
  const client = new pg.Client(server.url);
  client.on('error', () => undefined);
  await client.connect();
  await Promise.all([server.stop(), server.stop()]);
  expect(await serverProcesses(cluster)).toEqual([]);
  expect(await findRunningPostgres(dataDir)).toBeUndefined();
  await expect(start(dataDir)).resolves.toBeDefined();
});

test('a taken port is named in the error', async () => {
  const first = await start(await newDatabase());
  const port = Number(new URL(first.url).port);
  await expect(start(await newDatabase(), { port })).rejects.toThrow(`127.0.0.1:${port}: another program`);
});

test('a folder that cannot be created is reported as an error about DATA_DIR', async () => {
  const failure = await start('/dev/null/data').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(EmbeddedPostgresError);
  expect((failure as Error).message).toContain('/dev/null/data cannot be used: a part of its path is not a folder');
  expect((failure as Error).message).toContain('DATA_DIR');
});

async function clusterOf(dataDir: string): Promise<string> {
  const cluster = path.join(dataDir, 'postgres');
  return readlink(cluster).catch(() => cluster);
}
