/**
 * PostgreSQL refuses to run as root. Started by root, it runs as the owner of existing data or else as the system user
 * `postgres`, and what that user cannot reach (a project below /root, for example) is kept in /var/lib/backsolve instead.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, lstat, mkdir, readlink, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';

const run = promisify(execFile);
const SYSTEM_USER = 'postgres';
const SYSTEM_PATH = '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin';
const SHARED_FOLDER = '/var/lib/backsolve';

/** The user the server runs as, as options of child_process; empty = the user of this process. */
export type RunAs = { readonly uid: number; readonly gid: number } | Record<string, never>;

/** Chooses the user the server runs as: the owner of its data if there is any. May create the system user. */
export async function chooseUser(cluster: string): Promise<RunAs> {
  if (process.getuid?.() !== 0) return {};
  const owner = await stat(cluster).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await systemUser()) ?? (await createSystemUser());
}

/**
 * Finds the folder in which the files of the database are or will be: `<dataDir>/postgres`, or, if the server's user
 * cannot enter dataDir, a folder below /var/lib/backsolve that this name links to.
 */
export async function locateCluster(dataDir: string): Promise<string> {
  const cluster = path.join(dataDir, 'postgres');
  const entry = await lstat(cluster).catch(() => undefined);
  if (entry?.isSymbolicLink()) return path.resolve(dataDir, await readlink(cluster));
  if (entry !== undefined) return realpath(cluster);
  const user = await chooseUser(cluster);
  if (await canEnter(user, dataDir)) return path.join(await realpath(dataDir), 'postgres');
  const target = path.join(SHARED_FOLDER, `data-${randomBytes(6).toString('hex')}`);
  await makeSharedFolder();
  await symlink(target, cluster);
  return target;
}

/** The binaries, or a copy that the server's user can run. */
export async function reachableBinaries(binaries: PostgresBinaries, user: RunAs): Promise<PostgresBinaries> {
  if (await canRun(user, binaries.folder)) return binaries;
  const { libraries, version } = binaries;
  const copy = path.join(SHARED_FOLDER, `postgresql-${version}${libraries === undefined ? '' : '-with-libraries'}`);
  const origin = libraries === undefined ? binaries.folder : path.dirname(libraries);
  const folder = path.join(copy, path.relative(origin, binaries.folder));
  if (await canRun(user, folder)) return { ...binaries, folder };
  await makeSharedFolder();
  const draft = `${copy}.${process.pid}`;
  for (const part of [binaries.folder, ...(libraries === undefined ? [] : [libraries])]) {
    await cp(part, path.join(draft, path.relative(origin, part)), { recursive: true, verbatimSymlinks: true });
  }
  await run('chmod', ['-R', 'a+rX', draft], { env: { PATH: SYSTEM_PATH } });
  await rm(copy, { recursive: true, force: true });
  await rename(draft, copy);
  return { ...binaries, folder };
}

/** Creates an empty folder that only the server's user may enter. */
export async function makePrivateFolder(folder: string, user: RunAs): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  await chmod(folder, 0o700);
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid);
}

async function makeSharedFolder(): Promise<void> {
  await mkdir(SHARED_FOLDER, { recursive: true });
  await chmod(SHARED_FOLDER, 0o755);
}

async function canEnter(user: RunAs, folder: string): Promise<boolean> {
  return user.uid === undefined || succeeds(user, 'cd "$1"', folder);
}

async function canRun(user: RunAs, folder: string): Promise<boolean> {
  if (user.uid === undefined) return true;
  // The system's own installation keeps its share elsewhere.
  const canReadShare = '{ test ! -d "$1/share" || test -r "$1/share/postgresql/postgres.bki"; }';
  return succeeds(user, `"$1/bin/postgres" --version && "$1/bin/initdb" --version && ${canReadShare}`, folder);
}

/** Tries it as that user: groups, access lists and mount options matter, not only the mode bits. */
function succeeds(user: RunAs, script: string, argument: string): Promise<boolean> {
  return run('/bin/sh', ['-c', script, 'sh', argument], { ...user, cwd: '/', env: { PATH: SYSTEM_PATH } }).then(
    () => true,
    () => false,
  );
}

async function systemUser(): Promise<RunAs | undefined> {
  try {
    const [uid, gid] = await Promise.all([identity('-u'), identity('-g')]);
    return { uid, gid };
  } catch {
    return undefined; // `id` fails for a user that does not exist
  }
}

async function identity(which: '-u' | '-g'): Promise<number> {
  const { stdout } = await run('id', [which, SYSTEM_USER], { env: { PATH: SYSTEM_PATH } });
  return Number.parseInt(stdout, 10);
}

async function createSystemUser(): Promise<RunAs> {
  const options = [
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/usr/sbin/nologin',
  ];
  try {
    await run('useradd', [...options, SYSTEM_USER], { env: { PATH: SYSTEM_PATH } });
    const user = await systemUser();
    if (user !== undefined) return user;
    throw new Error(`the user ${SYSTEM_USER} is still unknown`);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, and the system user ${SYSTEM_USER} could not be created (${(error as Error).message.trim()}). ` +
        'Start Backsolve as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.',
      { cause: error },
    );
  }
}
