/** The database of a data folder for a short command: the server of a running `start`, otherwise a temporary one. */
import { access } from 'node:fs/promises';
import path from 'node:path';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  findRunningPostgres,
  startEmbeddedPostgres,
} from './embedded-postgres.ts';

/**
 * Undefined when the folder holds no database yet, unless `mayCreate` asks for a new one. Throws EmbeddedPostgresError as
 * startEmbeddedPostgres does.
 */
export async function openLocalDatabase(
  options: EmbeddedPostgresOptions,
  { mayCreate }: { readonly mayCreate: boolean },
): Promise<EmbeddedPostgres | undefined> {
  const dataDir = path.resolve(options.dataDir);
  const url = await findRunningPostgres(dataDir);
  if (url !== undefined) return { url, stop: async () => undefined };
  const exists = await access(path.join(dataDir, 'postgres')).then(
    () => true,
    () => false,
  );
  return exists || mayCreate ? startEmbeddedPostgres(options) : undefined;
}
