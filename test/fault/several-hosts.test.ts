/** A DATABASE_URL of several hosts, on two real servers, one of them a standby. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { connectTo, migrateDatabase } from '../../harness/database-handle.ts';
import { DatabaseServer } from '../../harness/database-server.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { execute } from '../../harness/one-statement.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { writeBackup } from '../../src/db/backup/backup.ts';
import { Listener, notify } from '../../src/db/connection/listen.ts';
import { databaseTrouble } from '../../src/db/connection/transaction.ts';

let folder: string;
let primary: DatabaseServer;
let standby: DatabaseServer;
/** Address at which nothing listens. */
let absent: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-hosts-'));
  // The servers run as another user where the tests are run by root.
  await chmod(folder, 0o711);
  primary = await DatabaseServer.create(path.join(folder, 'primary'), [
    'fsync=off',
    'wal_level=replica',
    'max_wal_senders=4',
  ]);
  await primary.admit('host replication all 127.0.0.1/32 scram-sha-256');
  await migrateDatabase(primary.url);
  await primary.stop('fast');
  const { hostname, port, username, password } = new URL(primary.url);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  standby = await primary.copyTo(path.join(folder, 'standby'), await findFreePort(), {
    settings: [`primary_conninfo=${source}`],
    files: { 'standby.signal': '' },
  });
  await primary.start();
  await standby.start();
  absent = `127.0.0.1:${await findFreePort()}`;
});

afterAll(async () => {
  await Promise.all([primary.close(), standby.close()]);
  await rm(folder, { recursive: true, force: true });
});

const hostOf = ({ url }: DatabaseServer) => new URL(url).host;

/** The URL with these hosts in place of its own. */
function through(hosts: readonly string[], parameters = ''): string {
  const { host, href } = new URL(primary.url);
  return `${href.replace(host, hosts.join(','))}${parameters}`;
}

function open(url: string, statementTimeoutMs = 10_000) {
  const db = connectTo(url, { poolSize: 2, statementTimeoutMs });
  onTestFinished(() => db.destroy());
  const portUsed = async () =>
    (await sql<{ port: number }>`select inet_server_port() as port`.execute(db)).rows[0]!.port;
  return { db, portUsed };
}

const portOf = ({ url }: DatabaseServer) => Number(new URL(url).port);

it('A pool takes the first host that answers, and with target_session_attrs the first that takes writes', async () => {
  expect(await open(through([absent, hostOf(standby), hostOf(primary)])).portUsed()).toBe(portOf(standby));
  for (const session of ['read-write', 'primary']) {
    const hosts = [absent, hostOf(standby), hostOf(primary)];
    const { portUsed } = open(through(hosts, `?target_session_attrs=${session}`));
    expect(await portUsed()).toBe(portOf(primary));
  }
});

it('Without a host that will do, the database counts as away and the error names each host with its reason', async () => {
  const { portUsed } = open(through([absent, hostOf(standby)], '?target_session_attrs=read-write'));
  const error = await portUsed().catch((refused: unknown) => refused as Error);
  expect(String(error)).toContain(`connect ECONNREFUSED ${absent}; ${hostOf(standby)} is a standby`);
  expect(databaseTrouble(error)).toBe('away');
});

it('A backup and the connection that listens find the primary as well', async () => {
  const url = through([hostOf(standby), hostOf(primary)], '?target_session_attrs=read-write');
  const backup = new PassThrough();
  backup.resume();
  expect((await writeBackup(url, backup)).rows['accounts']).toBe(0);
  const heard = Promise.withResolvers<string>();
  const listener = new Listener({
    url,
    applicationName: 'hosts',
    heartbeatMs: 60_000,
    reconnectMs: 50,
    onError: () => undefined,
  });
  onTestFinished(() => listener.stop());
  const connected = Promise.withResolvers<void>();
  listener.subscribe('hosts', (payload) => (payload === '' ? connected.resolve() : heard.resolve(payload)));
  listener.start();
  await connected.promise;
  await notify(open(primary.url).db, 'hosts', 'heard');
  expect(await heard.promise).toBe('heard');
});

it('A statement on a server that stands still fails as soon as another one has taken over', async () => {
  const [still, other] = [new TcpProxy(primary.url), new TcpProxy(primary.url)];
  for (const proxy of [still, other]) {
    await proxy.listen();
    onTestFinished(() => proxy.close());
  }
  const hosts = [still, other].map((proxy) => new URL(proxy.through(primary.url)).host);
  const { db, portUsed } = open(through(hosts, '?target_session_attrs=read-write'), 0);
  await portUsed();
  still.stall();
  still.mode = 'refuse';
  // It has no time limit here: only the end of its connection ends it.
  const waiting = sql`select 1`.execute(db).catch((error: unknown) => error);
  await portUsed();
  expect(databaseTrouble(await waiting)).toBe('away');
});

it('When the primary dies and the standby is promoted, the same handle goes on there', async () => {
  const { db, portUsed } = open(through([hostOf(primary), hostOf(standby)], '?target_session_attrs=read-write'));
  expect(await portUsed()).toBe(portOf(primary));
  await primary.stop('immediate');
  const write = () => sql`create temporary table written ()`.execute(db);
  expect(databaseTrouble(await write().catch((error: unknown) => error))).toBe('away');
  await execute(standby.url, 'select pg_promote(true, 60)');
  await expect.poll(() => portUsed().catch(() => 0)).toBe(portOf(standby));
  await write();
});
