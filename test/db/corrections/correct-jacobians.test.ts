/** Tests what migration 0017 makes of derivatives and corrections that were stored before it. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { sql as migration } from '../../../migrations/0017-correct-jacobians.ts';
import { loadLinearObjective, openTestAccount } from '../../support/fixtures.ts';

it('Corrections keep the derivatives that belong to their outputs, and an output that was changed has none', async () => {
  const t = await openTestAccount();
  try {
    const { trial, set, objective } = await loadLinearObjective(t);
    const [run] = objective.inverses;
    const jacobian = [1, 1, 1, -1, 2, 0];
    await sql`update inverses set jacobian = ${jacobian}::float8[] where id = ${run!.id}`.execute(t.db);
    await sql`update output_case_sets set jacobians = array[${jacobian}::float8[], ${jacobian}::float8[]] where id = ${set.id}`.execute(
      t.db,
    );
    const correct = (revision: number, target: object, was: readonly number[], now: readonly number[]) =>
      t.db
        .insertInto('corrections')
        .values({
          account_id: t.accountId,
          trial_id: trial.id,
          revision,
          was_excluded: false,
          is_excluded: revision % 2 === 1,
          reason: 'test',
          corrected_by: 'test',
          old_output: was,
          new_output: now,
          ...target,
        })
        .execute();
    const ofRun = { objective_id: objective.id, inverse_id: run!.id, iteration: 1 };
    await correct(1, ofRun, [10, 0, 10], [10, 0, 10]);
    await correct(2, ofRun, [10, 0, 10], [11, 0, 10]);
    await correct(3, ofRun, [11, 0, 10], [11, 0, 10]);
    await correct(4, { case_number: 2 }, [11, 9, 20], [11, 9, 21]);
    await correct(5, { case_number: 2 }, [11, 9, 21], [11, 9, 20]);
    for (const statement of migration.split(';').filter((part) => part.trim().startsWith('update')))
      await sql.raw(statement).execute(t.db);
    const stored = await t.db
      .selectFrom('corrections')
      .select(['revision', 'old_jacobian as old', 'new_jacobian as new'])
      .orderBy('revision')
      .execute();
    expect(stored).toEqual([
      { revision: 1, old: jacobian, new: jacobian },
      { revision: 2, old: jacobian, new: null },
      { revision: 3, old: null, new: null },
      { revision: 4, old: null, new: null },
      { revision: 5, old: null, new: jacobian },
    ]);
    const row = await t.db
      .selectFrom('inverses')
      .select('jacobian')
      .where('id', '=', run!.id)
      .executeTakeFirstOrThrow();
    expect(row.jacobian).toBeNull();
  } finally {
    await t.close();
  }
});
