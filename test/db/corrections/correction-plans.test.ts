/** The plan of what a correction runs while it holds all objectives of a trial. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { correctRepeats, findCopies } from '../../../src/db/corrections/corrections.ts';
import { loadLinearObjective, openTestAccount } from '../../support/fixtures.ts';
import { connectExplained } from '../../support/plans.ts';

it('A correction looks for repeats and copies among the inverses of its trial, not among those of all accounts', async () => {
  const t = await openTestAccount();
  const { db: explained, plans } = connectExplained(t.directUrl);
  try {
    const { trial, objective } = await loadLinearObjective(t);
    const { trial: other } = await loadLinearObjective(t);
    for (const table of ['objectives', 'inverses']) {
      await sql`alter table ${sql.table(table)} disable trigger user`.execute(t.db);
    }
    await sql`
      insert into objectives (account_id, model_id, project_id, trial_id, number, objectives, objective_types, minimum_bounds,
        maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed)
      select account_id, model_id, project_id, case when n <= 100 then ${trial.id}::bigint else ${other.id}::bigint end, n, objectives,
        objective_types, minimum_bounds, maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output,
        maximum_attempts, seed
      from objectives, generate_series(2, 1000) n where id = ${objective.id}`.execute(t.db);
    await sql`
      insert into inverses (account_id, objective_id, iteration, input, output, status)
      select account_id, id, n, array[n, id], array[n, 1, 2], case when n = 100 then 'stopped' else 'active' end
      from objectives, generate_series(2, 100) n`.execute(t.db);
    await sql`analyze objectives, inverses`.execute(t.db);
    const run = (output: readonly number[]) => ({ output, jacobian: null, failureReason: null, isExcluded: false });
    const corrected = { input: [100, objective.id], before: run([100, 1, 2]), after: run([5, 1, 2]) };
    const found = await explained.transaction().execute((trx) => correctRepeats(trx, t.accountId, trial.id, corrected));
    expect(found.map(Number)).toEqual([objective.id]);
    const [initial] = objective.inverses;
    const { input, output } = initial!;
    const copied = { caseNumber: 1, input: input!, before: run(output!) };
    const copies = await explained.transaction().execute((trx) => findCopies(trx, t.accountId, trial.id, copied));
    expect(copies.map(({ target }) => Number(target.inverseId))).toEqual([initial!.id]);
    const scans = plans.flatMap((plan) => plan.scans).filter((scan) => scan.endsWith(' on inverses'));
    expect(scans.length).toBeGreaterThan(0);
    expect(scans).not.toContain('Seq Scan on inverses');
  } finally {
    await explained.destroy();
    await t.close();
  }
});
