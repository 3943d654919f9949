/** Plans of what pages ask for again and again: whatever an account has, each read looks at little more than it answers. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readOptimalRuns, readStandings, readUnjudgedRuns } from '../../../src/db/search/answers.ts';
import { readArrangedStamp } from '../../../src/db/search/arranged-objectives.ts';
import { listHistory, readObjectiveStamps } from '../../../src/db/search/history.ts';
import {
  type Arrangement,
  listOutputsAt,
  readOverviewStamps,
  readSurroundings,
  SORTS,
} from '../../../src/db/search/overview.ts';
import { loadLinearObjective, openTestAccount } from '../../support/fixtures.ts';
import { connectExplained } from '../../support/plans.ts';

it('Lists of all objectives and questions for changes are read by index, however many objectives there are', async () => {
  const t = await openTestAccount();
  const { db: explained, plans } = connectExplained(t.directUrl);
  const { accountId } = t;
  const scansIn = async (work: () => Promise<unknown>) => {
    plans.length = 0;
    await work();
    return [...new Set(plans.flatMap((plan) => plan.scans))]
      .filter((scan) => / (objectives|inverses)$/.test(scan))
      .sort();
  };
  try {
    const { objective } = await loadLinearObjective(t);
    for (const table of ['objectives', 'inverses']) {
      await sql`alter table ${sql.table(table)} disable trigger user`.execute(t.db);
    }
    await sql`insert into accounts (name) select 'other ' || n from generate_series(1, 99) n`.execute(t.db);
    await sql`
      insert into objectives (account_id, model_id, project_id, trial_id, number, objectives, objective_types, minimum_bounds,
        maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed, stop_reason,
        judged_through, nearest_iteration)
      select a.ids[1 + n % 100], model_id, project_id, trial_id, n, objectives, objective_types, minimum_bounds, maximum_bounds,
        desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed, n / 100 % 4, 1, 1
      from objectives, generate_series(2, 40000) n, (select array_agg(id) as ids from accounts) a`.execute(t.db);
    await sql`
      insert into inverses (account_id, objective_id, iteration, input, output)
      select account_id, id, n, initial_input, initial_output from objectives, generate_series(2, 3) n`.execute(t.db);
    await sql`analyze objectives, inverses`.execute(t.db);
    const byIndexOnly =
      /^Index (Only )?Scan( Backward)? using (objectives_(open|ended|pkey)|inverses_one_per_iteration) on/;
    for (const after of [null, 5_000]) {
      for (const stopReason of [0, null] as const) {
        const keys = [0, 1, 2].map((k) => ({ accountId: accountId + k, stopReason, limit: 50, after }));
        const scans = await scansIn(() => readOverviewStamps(explained, keys));
        expect(scans.filter((scan) => !byIndexOnly.test(scan))).toEqual([]);
      }
    }
    const sortBy = (sort: Arrangement['sort']): Arrangement => ({
      sort,
      isDescending: true,
      isGrouped: true,
      folded: [],
      isArchived: false,
      words: [],
    });
    for (const sort of SORTS) {
      const key = { accountId, stopReason: null, limit: 50, after: 5_000, arrangement: sortBy(sort) };
      const scans = await scansIn(() => readArrangedStamp(explained, key));
      const ofLists =
        /^(Bitmap )?Index (Only )?Scan( Backward)? (using|on) (objectives_(open|ended|pkey)|inverses_one)/;
      expect(scans.filter((scan) => !ofLists.test(scan) && !scan.startsWith('Bitmap Heap Scan'))).toEqual([]);
    }
    const key = { accountId, stopReason: null, limit: 50, after: null };
    const ids = (await readOverviewStamps(t.db, [key]))[0]!.items;
    expect(ids).toHaveLength(50);
    const byIndex = [
      expect.stringMatching(/ using inverses_one_per_iteration on inverses$/),
      expect.stringMatching(/ using objectives_pkey on objectives$/),
    ];
    const read = async (work: () => Promise<unknown>) =>
      (await scansIn(work)).filter((scan) => !scan.startsWith('Bitmap Heap Scan'));
    expect(await read(() => readSurroundings(explained, ids))).toEqual(byIndex);
    const judged = ids.map((id) => ({ id, nearestIteration: 1, judgedThrough: 3, optimalInverseId: id }));
    expect(await read(() => readUnjudgedRuns(explained, judged))).toEqual(byIndex.slice(0, 1));
    expect(await read(() => readOptimalRuns(explained, judged))).toEqual([
      expect.stringMatching(/ using inverses_pkey on inverses$/),
    ]);
    expect(await read(() => readStandings(explained, ids))).toEqual(byIndex);
    const chosen = ids.flatMap((objectiveId) => [1, 2, 3].map((iteration) => ({ objectiveId, iteration })));
    expect(await read(() => listOutputsAt(explained, chosen))).toEqual(byIndex.slice(0, 1));
    expect(await read(() => readObjectiveStamps(explained, [{ accountId, id: objective.id }]))).toEqual(byIndex);
    const history = () => listHistory(explained, objective.id, { iteration: 1, inverseId: 0 }, 100);
    expect(await read(history)).toEqual(byIndex.slice(0, 1));
  } finally {
    await explained.destroy();
    await t.close();
  }
}, 120_000);
