/** The migrations of another release: those of this one, to which a test adds. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { MIGRATIONS_FOLDER } from '../../src/db/history.ts';

export interface MigrationsFolder extends AsyncDisposable {
  /** Ends in a slash, as `migrate` takes it. */
  readonly url: URL;
  readonly path: string;
}

/** @param withRepeatable whether the folder `repeatable` has those of this release, or is to be filled by the test */
export async function copyMigrations(withRepeatable: boolean): Promise<MigrationsFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-migrations-'));
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true, filter: (from) => withRepeatable || !from.endsWith('.sql') });
  return {
    url: pathToFileURL(`${folder}/`),
    path: folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
