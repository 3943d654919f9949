/** Fresh, migrated databases for test files or tests, cloned from the template of this run. */
import { randomBytes } from 'node:crypto';
import { inject, type RunnerTestSuite } from 'vitest';
import { execute, withDatabase } from '../../harness/one-statement.ts';

export interface TestDatabase {
  /** For the code under test: through the pooler, if there is one. */
  readonly url: string;
  /** Past the pooler, for whatever needs its own session. */
  readonly directUrl: string;
  /** Call it once all connections are closed. The database is dropped at the end of the file unless the file failed. */
  drop(): Promise<void>;
}

const finished = new Set<string>();

/** Clones the template, in 20 to 50 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, poolerUrl, template, prefix } = inject('postgres');
  const name = `${prefix}_${randomBytes(4).toString('hex')}`;
  await execute(url, `create database ${name} template ${template}`);
  return {
    url: withDatabase(poolerUrl ?? url, name),
    directUrl: withDatabase(url, name),
    drop: async () => {
      finished.add(name);
    },
  };
}

/** The service's settings for the pooler, if there is one. With TEST_POOLER_LISTENS=false no notification arrives. */
export function pooledSettings({ url, directUrl }: TestDatabase): Readonly<Record<string, string>> {
  return url === directUrl || process.env['TEST_POOLER_LISTENS'] === 'false' ? {} : { LISTEN_DATABASE_URL: directUrl };
}

/** Drops the databases of a test file that is over, or names them if the file failed and they are kept. */
export async function dropFinished(suite: RunnerTestSuite): Promise<void> {
  const { url, keepsData } = inject('postgres');
  const names = [...finished];
  finished.clear();
  if (keepsData && hasFailed(suite)) {
    for (const name of names) console.log(`Kept for inspection; drop it with "drop database ${name} with (force)"`);
    return;
  }
  for (const name of names) await execute(url, `drop database if exists ${name} with (force)`);
}

function hasFailed(suite: Pick<RunnerTestSuite, 'tasks' | 'result'>): boolean {
  return (
    suite.result?.state === 'fail' ||
    suite.tasks.some((task) => ('tasks' in task ? hasFailed(task) : task.result?.state === 'fail'))
  );
}
