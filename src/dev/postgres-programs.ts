/** Runs PostgreSQL's programs that make and repair a database; the server itself is in postgres-server.ts. */
import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { isSince, type PostgresBinaries, programIn } from './postgres-binaries.ts';
import type { RunAs } from './system-user.ts';

/** Minutes would be a hang; the slowest disks need some ten seconds. */
const TIME_LIMIT_MS = 120_000;

export interface ServerFiles {
  readonly binaries: PostgresBinaries;
  readonly user: RunAs;
  /** The folder of the database's files. */
  readonly cluster: string;
  /** False: nothing is forced to disk. */
  readonly durable: boolean;
}

/** How every program is started: as that user, in a folder it can enter, without settings (PG*) of the caller's shell. */
export function processOptions(files: ServerFiles) {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return { ...files.user, cwd: files.cluster, ...(platform() === 'win32' ? {} : { env }) };
}

/** Fills an empty folder with a database in UTF8 that sorts by code point everywhere; does not wait for the disk. */
export async function runInitdb(files: ServerFiles, role: string): Promise<void> {
  await runProgram(files, 'initdb', [
    `--pgdata=${files.cluster}`,
    `--username=${role}`,
    '--encoding=UTF8',
    '--locale=C',
    ...(isSince(17, files.binaries) ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
    // Nobody connects before pg_hba.conf is replaced.
    '--auth=reject',
    '--no-sync',
  ]);
}

/** Forces a folder that is complete to disk, all at once: file by file takes twice as long on a busy disk. */
export async function syncToDisk(files: ServerFiles): Promise<void> {
  const method = platform() === 'linux' && isSince(17, files.binaries) ? ['--sync-method=syncfs'] : [];
  await runProgram(files, 'initdb', ['--sync-only', ...method, `--pgdata=${files.cluster}`]);
}

/** Executes statements while no server runs, as the superuser and without a password; stops at the first error. */
export async function runSingleUser(files: ServerFiles, statements: readonly string[]): Promise<void> {
  const settings = ['-c', 'exit_on_error=on', ...(files.durable ? [] : ['-F'])];
  await runProgram(
    files,
    'postgres',
    ['--single', '-D', files.cluster, ...settings, 'postgres'],
    `${statements.join('\n')}\n`,
  );
}

/** What PostgreSQL wrote, as an error for the terminal. */
export function serverComplaint(what: string, files: ServerFiles, output: readonly string[]): EmbeddedPostgresError {
  const text = output.slice(-12).join('\n');
  if (text.includes('could not look up effective user ID')) {
    return new EmbeddedPostgresError(
      `${what}: PostgreSQL runs only as a user that has a name, and this process's has none. ` +
        'Start Backsolve as another user, or set DATABASE_URL to a PostgreSQL server of your own.',
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
    // A program that ends early closes its input; its exit code tells, not the broken pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
