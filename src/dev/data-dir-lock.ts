/** One process per data folder. */
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { takeLock } from './lock-file.ts';

/** Takes the lock of `dataDir`; returns its release. Throws EmbeddedPostgresError naming the pid that holds it. */
export function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  return takeLock(
    path.join(dataDir, 'owner.lock'),
    (pid) =>
      new EmbeddedPostgresError(
        `The data folder ${dataDir} is already in use by process ${pid}. ` +
          'Stop that process, or give this one another folder with DATA_DIR.',
      ),
  );
}
