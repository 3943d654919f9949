/** Acts that lock several objectives lock them in the same order, so that none has to be rolled back and run again. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { loadObjectives } from '../../../src/application/search/load-objectives.ts';
import { raiseRevision } from '../../../src/db/data/trials.ts';
import { storeConstraints } from '../../../src/db/search/objectives.ts';
import { LINEAR_OBJECTIVE, loadLinearObjective, openTestAccount } from '../../support/fixtures.ts';

it('New data of a trial and new names in the constraints of its objectives do not deadlock', async () => {
  const t = await openTestAccount();
  try {
    const { trial, objective: first } = await loadLinearObjective(t);
    const second = await loadObjectives(t.db, t.accountId, { trialId: trial.id }, LINEAR_OBJECTIVE);
    // The first one is now stored after the second one.
    await sql`update objectives set constraints = '{"sent": []}' where id = ${second.id}`.execute(t.db);
    await sql`update objectives set constraints = '{"sent": []}' where id = ${first.id}`.execute(t.db);
    await sql`analyze objectives`.execute(t.db);
    const rename = (id: number) => [{ id, constraints: { sent: [] } }];
    let raised: Promise<number> | undefined;
    await t.db.transaction().execute(async (trx) => {
      await storeConstraints(trx, t.accountId, rename(first.id));
      raised = t.db.transaction().execute((other) => raiseRevision(other, t.accountId, trial.id));
      raised.catch(() => undefined);
      await expect
        .poll(async () => {
          const { rows } = await sql`
            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(t.db);
          return rows.length;
        })
        .toBe(1);
      await storeConstraints(trx, t.accountId, rename(second.id));
    });
    expect(await raised).toBe(1);
  } finally {
    await t.close();
  }
});
