/** A PgBouncer with the settings of deploy/pgbouncer.ini, in front of any server. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort } from '../../harness/free-port.ts';
import { chooseUser, makePrivateFolder } from '../../src/postgres/system-user.ts';

const SETTINGS = new URL('../../deploy/pgbouncer.ini', import.meta.url);
const READY_LIMIT_MS = 20_000;

export interface PgBouncerVersion {
  readonly text: string;
  /** True from 1.21. */
  readonly takesPreparedStatements: boolean;
}

export async function readVersion(program: string): Promise<PgBouncerVersion> {
  const { stdout } = await promisify(execFile)(program, ['--version']);
  const [text, major, minor] = /PgBouncer (\d+)\.(\d+)[.\d]*/.exec(stdout) ?? [];
  if (text === undefined) throw new Error(`${program} --version printed no version: ${stdout}`);
  return { text, takesPreparedStatements: Number(major) > 1 || Number(minor) >= 21 };
}

export interface PgBouncer {
  /** The URL of the same role and database through PgBouncer. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** Runs PgBouncer in `folder`, which is created, as a user other than root, for the roles of the URLs. */
export async function startPgBouncer(
  program: string,
  folder: string,
  urls: readonly [string, ...string[]],
): Promise<PgBouncer> {
  const version = await readVersion(program);
  const port = await findFreePort();
  const user = await chooseUser(folder);
  await makePrivateFolder(folder, user);
  const roles = urls.map((url) => new URL(url));
  const users = roles.map(({ username, password }) => `"${username}" "${decodeURIComponent(password)}"\n`).join('');
  const given: Readonly<Record<string, string | undefined>> = {
    '*': `host=${roles[0]!.hostname} port=${roles[0]!.port}`,
    listen_port: String(port),
    auth_file: path.join(folder, 'userlist.txt'),
    // Unknown to older versions.
    max_prepared_statements: version.takesPreparedStatements ? undefined : '',
  };
  const files = {
    'userlist.txt': users,
    'pgbouncer.ini': `${replaceSettings(await readFile(SETTINGS, 'utf8'), given)}`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(path.join(folder, name), text, { mode: 0o600 });
    if (user.uid !== undefined) await chown(path.join(folder, name), user.uid, user.gid);
  }
  const log = await open(path.join(folder, 'pgbouncer.log'), 'a');
  const child = spawn(program, ['-q', path.join(folder, 'pgbouncer.ini')], {
    ...user,
    cwd: folder,
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const through = (url: string) => {
    const changed = new URL(url);
    changed.port = String(port);
    return changed.href;
  };
  await untilReady(child, through(urls[0]), folder);
  return {
    through,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      // After one signal it would wait for clients that are still connected.
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Replaces settings of the file. An empty value drops the line, undefined keeps it. Turns off sockets in the file system. */
function replaceSettings(text: string, given: Readonly<Record<string, string | undefined>>): string {
  const lines = text.split('\n').flatMap((line) => {
    const [, name] = /^(\S+) = /.exec(line) ?? [];
    const value = name === undefined ? undefined : given[name];
    if (value === undefined) return [line];
    return value === '' ? [] : [`${name} = ${value}`];
  });
  return `${lines.join('\n')}\nunix_socket_dir =\n`;
}

async function untilReady(child: ChildProcess, url: string, folder: string): Promise<void> {
  const deadline = performance.now() + READY_LIMIT_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      await client.end().catch(() => undefined);
      if (child.exitCode !== null || performance.now() > deadline) {
        const log = await readFile(path.join(folder, 'pgbouncer.log'), 'utf8');
        throw new Error(`PgBouncer did not start: ${(error as Error).message}\n${log}`, { cause: error });
      }
    }
    await delay(50);
  }
}
