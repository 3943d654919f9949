/** One process per data folder. */
import { lockFolder } from '../../clients/typescript/src/solve/folder-lock.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** Takes the lock of `dataDir`; returns its release. Throws EmbeddedPostgresError naming the process that holds it. */
export function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  return lockFolder(
    dataDir,
    (holder) =>
      new EmbeddedPostgresError(
        `The data folder ${dataDir} is already in use by ${holder}. Stop that process, or give this one another folder with DATA_DIR.`,
      ),
  );
}
