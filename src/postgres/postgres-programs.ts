/** Runs PostgreSQL's programs that create and repair a database; postgres-server.ts runs the server itself. */
import { spawn, spawnSync } from 'node:child_process';
import { platform } from 'node:os';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { isSince, type PostgresBinaries, programIn } from './postgres-binaries.ts';
import type { RunAs } from './system-user.ts';

/** The slowest disks need some ten seconds; minutes mean a hang. */
const TIME_LIMIT_MS = 120_000;

export interface ServerFiles {
  readonly binaries: PostgresBinaries;
  readonly user: RunAs;
  /** The folder of the database's files. */
  readonly cluster: string;
  /** False: nothing is forced to disk. */
  readonly durable: boolean;
}

/** Every program runs as that user, in a folder it can enter, without the PG* variables of the caller's shell. */
export function processOptions(files: ServerFiles) {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return { ...files.user, cwd: files.cluster, ...(platform() === 'win32' ? {} : { env }) };
}

/** Creates a database in an empty folder, in UTF8 and sorted by code point everywhere; does not wait for the disk. */
export async function runInitdb(files: ServerFiles, role: string): Promise<void> {
  await runProgram(files, 'initdb', [
    `--pgdata=${files.cluster}`,
    `--username=${role}`,
    '--encoding=UTF8',
    '--locale=C',
    ...(isSince(17, files.binaries) ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
    // No connections until pg_hba.conf is replaced.
    '--auth=reject',
    '--no-sync',
  ]);
}

/** Syncs a whole folder to disk: file by file takes twice as long on a busy disk. */
export async function syncToDisk(files: ServerFiles): Promise<void> {
  const method = platform() === 'linux' && isSince(17, files.binaries) ? ['--sync-method=syncfs'] : [];
  await runProgram(files, 'initdb', ['--sync-only', ...method, `--pgdata=${files.cluster}`]);
}

/** Runs statements without a server, as the superuser and without a password; stops at the first error. */
export async function runSingleUser(files: ServerFiles, statements: readonly string[]): Promise<void> {
  const settings = ['-c', 'exit_on_error=on', ...(files.durable ? [] : ['-F'])];
  await runProgram(
    files,
    'postgres',
    ['--single', '-D', files.cluster, ...settings, 'postgres'],
    `${statements.join('\n')}\n`,
  );
}

/** Asks the server to end fast. Windows has no signals: PostgreSQL brings a program that sends what stands for them. */
export function askToStop({ binaries }: Pick<ServerFiles, 'binaries'>, pid: number, system = platform()): void {
  if (system === 'win32') {
    spawnSync(programIn(binaries.folder, 'pg_ctl'), ['kill', 'INT', String(pid)], { windowsHide: true });
    return;
  }
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    // It has ended already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** PostgreSQL's output as an error for the terminal. */
export function serverComplaint(what: string, files: ServerFiles, output: readonly string[]): EmbeddedPostgresError {
  const text = output.slice(-12).join('\n');
  if (text.includes('could not look up effective user ID')) {
    return new EmbeddedPostgresError(
      `${what}: PostgreSQL runs only as a user with a name, and the user of this process has none. ` +
        'Start Backsolve as another user, or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  if (/administrative permissions is not/.test(text)) {
    return new EmbeddedPostgresError(
      `${what}: PostgreSQL does not run with the rights of an administrator. Start Backsolve from a console without them, or set ` +
        'DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  if (/No space left on device|Disk quota exceeded/.test(text)) {
    return new EmbeddedPostgresError(`${what}: the disk of ${files.cluster} is full. Free some space and start again.`);
  }
  return new EmbeddedPostgresError(`${what}; PostgreSQL says:\n${text}`);
}

function runProgram(
  files: ServerFiles,
  name: 'postgres' | 'initdb',
  args: readonly string[],
  input = '',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(programIn(files.binaries.folder, name), args, {
      ...processOptions(files),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: TIME_LIMIT_MS,
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(serverComplaint(`${name} failed (${signal ?? `code ${code}`})`, files, output.trimEnd().split('\n')));
    });
    // A program that ends early closes its input; its exit code matters, not the broken pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
