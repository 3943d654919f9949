/**
 * A real PostgreSQL server for `start` and for tests, with its data in a folder. It ends with this process.
 *
 *   <dataDir>/lock.*              which process uses the folder
 *   <dataDir>/postgres-password   the server's password, generated once, readable by its owner only
 *   <dataDir>/postgres            the database's files (or a link, see system-user.ts)
 *
 * An interrupted first start leaves only `postgres.new`, which the next start deletes.
 */
import { randomBytes } from 'node:crypto';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { lockDataDir } from './data-dir-lock.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { findBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { runInitdb, runSingleUser, type ServerFiles, syncToDisk } from './postgres-programs.ts';
import { type DevLog, superviseServer } from './postgres-server.ts';
import { endLeftovers, serverProcesses } from './server-processes.ts';
import { chooseUser, locateCluster, makePrivateFolder, reachableBinaries } from './system-user.ts';

const ROLE = 'backsolve';
const DATABASE = 'backsolve';
/** A new database takes about 60 MB, its write-ahead log at least another 80 MB. */
const NEEDED_BYTES = 150_000_000;

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /** Default: a free port, different after each start. */
  readonly port?: number;
  readonly log: DevLog;
  /** For disposable test data only: faster, but everything is lost when the machine stops. */
  readonly loseDataOnCrash?: boolean;
  /** Longest pause before a server that ended is restarted; default: 15 s. */
  readonly maximumRestartPauseMs?: number;
  /** Folder with PostgreSQL's bin and share; default: that of the package embedded-postgres. */
  readonly postgresFolder?: string | undefined;
  /** Default: those of postgresFolder. */
  readonly binaries?: PostgresBinaries;
}

export interface EmbeddedPostgres {
  /** URL with the password, of the database `backsolve` on 127.0.0.1. */
  readonly url: string;
  /** Stops the server with its open connections and frees the folder. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the server. Creates its database if there is none, and stops a server that a killed process left behind. Throws
 * EmbeddedPostgresError with a message for the terminal: package missing, folder in use or not writable, disk full, port
 * taken.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(options.dataDir);
  const binaries = options.binaries ?? (await findBinaries(options.postgresFolder));
  const unlock = await inFolder(dataDir, async () => {
    await makeDataDir(dataDir);
    return lockDataDir(dataDir);
  });
  try {
    return await inFolder(dataDir, async () => {
      const cluster = await locateCluster(dataDir);
      const user = await chooseUser(cluster);
      const draft = {
        binaries: await reachableBinaries(binaries, user),
        user,
        cluster: `${cluster}.new`,
        durable: options.loseDataOnCrash !== true,
      };
      const password = await preparePassword(dataDir, cluster, draft, options.log);
      if (path.dirname(cluster) !== (await realpath(dataDir))) {
        options.log.info(
          { folder: cluster },
          'database files are kept outside DATA_DIR, where the system user can reach them',
        );
      }
      const files = { ...draft, cluster: await realpath(cluster) };
      const server = await superviseServer(files, options);
      let stopped: Promise<void> | undefined;
      return {
        url: urlOf(password, server.port),
        stop: () => (stopped ??= server.stop().finally(unlock)),
      };
    });
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** The URL of the server that another process (`start`) is running in this folder, or undefined. */
export async function findRunningPostgres(dataDir: string): Promise<string | undefined> {
  const cluster = await realpath(path.join(dataDir, 'postgres')).catch(() => undefined);
  if (cluster === undefined || (await serverProcesses(cluster)).length === 0) return undefined;
  const [pidFile, password] = await inFolder(dataDir, () =>
    Promise.all([
      readFile(path.join(cluster, 'postmaster.pid'), 'utf8'),
      readFile(path.join(dataDir, 'postgres-password'), 'utf8'),
    ]),
  );
  // Lines of the pid file: process, folder, start, port, ...
  const port = Number(pidFile.split('\n')[3]);
  return Number.isInteger(port) && port > 0 ? urlOf(password.trim(), port) : undefined;
}

function urlOf(password: string, port: number): string {
  return `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

/** Creates the folder. The server's user may pass through it; others can read neither password nor database files. */
async function makeDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const { uid, mode } = await stat(dataDir);
  const isNew = (await readdir(dataDir)).length === 0;
  if (isNew && uid === process.getuid?.()) await chmod(dataDir, (mode & 0o777) | 0o011);
}

/** Ensures that `cluster` exists and accepts a password; returns it. */
async function preparePassword(dataDir: string, cluster: string, draft: ServerFiles, log: DevLog): Promise<string> {
  const file = path.join(dataDir, 'postgres-password');
  const known = (await exists(file)) ? (await readFile(file, 'utf8')).trim() : '';
  const password = /^[0-9a-f]{48}$/.test(known) ? known : randomBytes(24).toString('hex');
  if (password !== known) await writeFile(file, `${password}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  if (await exists(cluster)) {
    const leftovers = await endLeftovers(await realpath(cluster));
    if (leftovers > 0) log.warn({ processes: leftovers }, 'stopped the database that a killed run left behind');
    if (password !== known) await runSingleUser({ ...draft, cluster }, [setPassword(password)]);
    return password;
  }
  const startedAt = performance.now();
  await createCluster(cluster, draft, password);
  log.info({ folder: cluster, durationMs: Math.round(performance.now() - startedAt) }, 'database created');
  return password;
}

/** Creates the database under another name and renames it once it is complete. */
async function createCluster(cluster: string, draft: ServerFiles, password: string): Promise<void> {
  // Left behind by an interrupted first start, perhaps with a program still running.
  await endLeftovers(draft.cluster);
  await rm(draft.cluster, { recursive: true, force: true });
  await makePrivateFolder(draft.cluster, draft.user);
  const disk = await statfs(draft.cluster);
  const free = disk.bavail * disk.bsize;
  if (free < NEEDED_BYTES) {
    await rm(draft.cluster, { recursive: true, force: true });
    throw new EmbeddedPostgresError(
      `A new database needs ${NEEDED_BYTES / 1e6} MB, but the disk of ${cluster} has only ${Math.floor(free / 1e6)} MB left. ` +
        'Free some space, or choose a folder on another disk with DATA_DIR.',
    );
  }
  await runInitdb(draft, ROLE);
  await runSingleUser({ ...draft, durable: false }, [setPassword(password), `create database ${DATABASE}`]);
  await writeFile(path.join(draft.cluster, 'pg_hba.conf'), `host all all 127.0.0.1/32 scram-sha-256\n`);
  if (draft.durable) await syncToDisk(draft);
  await rename(draft.cluster, cluster);
}

function setPassword(password: string): string {
  return `alter role ${ROLE} password '${password}'`;
}

/** Turns errors of the file system into a message about DATA_DIR. */
async function inFolder<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const complaint = COMPLAINTS[(error as NodeJS.ErrnoException).code ?? ''];
    if (complaint === undefined) throw error;
    throw new EmbeddedPostgresError(
      `The data folder ${dataDir} cannot be used: ${complaint} (${(error as Error).message}). Choose another one with DATA_DIR.`,
      { cause: error },
    );
  }
}

const COMPLAINTS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write to it',
  EPERM: 'this user may not write to it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: "this user's disk quota is exceeded",
  ENOENT: 'it does not exist and cannot be created',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'a part of its path is not a folder',
  ENAMETOOLONG: 'its path is too long',
};

async function exists(file: string): Promise<boolean> {
  return (await lstat(await realpath(file).catch(() => file)).catch(() => undefined)) !== undefined;
}
