/** A fresh, migrated database per test file or test, cloned from the template of this run. */
import { randomBytes } from 'node:crypto';
import { afterAll, inject, type RunnerTestSuite } from 'vitest';
import { execute, withDatabase } from '../../harness/one-statement.ts';

export interface TestDatabase {
  /** For what is tested: through the pooler, where there is one. */
  readonly url: string;
  /** Past any pooler, for what needs a session of its own. */
  readonly directUrl: string;
  /** Call it when connections are closed; the database goes when the file has ended, and stays when the file failed. */
  drop(): Promise<void>;
}

const finished = new Set<string>();

/** Clones the template, 20 to 50 ms. */
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

/** What the service needs to know of the pooler, where there is one. With TEST_POOLER_LISTENS=false it hears of nothing. */
export function pooledSettings({ url, directUrl }: TestDatabase): Readonly<Record<string, string>> {
  return url === directUrl || process.env['TEST_POOLER_LISTENS'] === 'false' ? {} : { LISTEN_DATABASE_URL: directUrl };
}

// Registered on import, hence first, hence run last: after the hooks of the file that call drop().
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names in the first argument and wants a pattern
afterAll(async ({}, suite) => {
  const { url, keepsData } = inject('postgres');
  if (keepsData && hasFailed(suite)) {
    for (const name of finished)
      console.log(`Kept for you to look at: drop it with "drop database ${name} with (force)"`);
    return;
  }
  for (const name of finished) await execute(url, `drop database if exists ${name} with (force)`);
});

function hasFailed(suite: Pick<RunnerTestSuite, 'tasks' | 'result'>): boolean {
  return (
    suite.result?.state === 'fail' ||
    suite.tasks.some((task) => ('tasks' in task ? hasFailed(task) : task.result?.state === 'fail'))
  );
}
