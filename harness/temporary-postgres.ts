import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';

export interface TemporaryPostgres extends AsyncDisposable {
  readonly url: string;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

/** An embedded PostgreSQL server with an empty database in a folder of its own. */
export async function startTemporaryPostgres(
  options: Omit<EmbeddedPostgresOptions, 'dataDir'>,
): Promise<TemporaryPostgres> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'backsolve-postgres-'));
  const deleteData = () => rm(dataDir, { recursive: true, force: true });
  const server = await startEmbeddedPostgres({ ...options, dataDir }).catch(async (error: unknown) => {
    await deleteData();
    throw error;
  });
  const stop = () => server.stop().finally(deleteData);
  return { url: server.url, stop, [Symbol.asyncDispose]: stop };
}
