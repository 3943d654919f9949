/** The query with which deploy/kubernetes scales the workers, on the real schema. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { requestSuggestion } from '../../src/application/search/suggest.ts';
import { claimJobs } from '../../src/db/search/suggestion-jobs.ts';
import { readManifests } from '../deploy/manifests.ts';
import { loadLinearObjective, openTestAccount } from '../support/fixtures.ts';

it('the query for autoscaling counts the jobs that wait and those being computed', async () => {
  const { query } = readManifests().find(({ kind }) => kind === 'ScaledObject')!.spec.triggers[0].metadata;
  const t = await openTestAccount();
  const count = async () => Number((await sql.raw<{ count: number }>(query).execute(t.db)).rows[0]!.count);
  try {
    expect(await count()).toBe(0);
    for (let i = 0; i < 2; i++) {
      const { path } = await loadLinearObjective(t);
      await requestSuggestion(t.db, t.accountId, path, { requestId: null });
    }
    await claimJobs(t.db, { limit: 1, leaseMs: 60_000, workerName: 'test', afterAccountId: 0 });
    expect(await count()).toBe(2);
  } finally {
    await t.close();
  }
});
