/**
 * Measures the cost of knowing the nearest run: loading objectives, which judges every case once, and reading the objective, beside reading
 * it while nothing is stored about its nearest run, as it was before. Medians in milliseconds; the last column is what a read
 * would cost that judged the cases itself.
 *
 *   npx node bench/scale/nearest-run.ts [--inverses 100] [--repeats 9]
 */
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { loadOutputCases } from '../../src/application/data/load-output-cases.ts';
import { createProject } from '../../src/application/problem/create-project.ts';
import { createModel } from '../../src/application/problem/manage-models.ts';
import { findNearestCase } from '../../src/application/search/judge-runs.ts';
import { loadObjectives } from '../../src/application/search/load-objectives.ts';
import { getObjective } from '../../src/application/search/read-objectives.ts';
import { ensureAccount } from '../../src/db/accounts/accounts.ts';
import { connect } from '../../src/db/connection/client.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { migrate } from '../../src/db/migrate.ts';
import { Matrix } from '../../src/domain/matrix.ts';
import { NO_OBJECTIVE_LIMITS } from '../../src/domain/search/objective-limits.ts';
import { makeLog } from '../../src/log.ts';

const { values: options } = parseArgs({
  options: { inverses: { type: 'string', default: '100' }, repeats: { type: 'string', default: '9' } },
});
const INPUT_COUNT = 10;
/** Cases x outputs: the usual number, the default limit of a service, and ten times that. */
const SIZES = [
  [30, 10],
  [1_000, 500],
  [10_000, 500],
] as const;

await using postgres = await startTemporaryPostgres({ log: makeLog({ level: 'error' }) });
const db = connect({
  url: postgres.url,
  poolSize: 4,
  statementTimeoutMs: 60_000,
  lockTimeoutMs: 60_000,
  applicationName: 'bench',
  onConnectionError: () => undefined,
});
try {
  await migrate(db);
  const accountId = await ensureAccount(db, 'bench');
  console.log(
    '| cases | outputs | load objectives | read, nothing stored | read, nearest run stored | judge all cases |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const [cases, outputs] of SIZES) {
    const figures = await measure(db, accountId, cases, outputs);
    console.log(`| ${[cases, outputs, ...figures.map((ms) => ms.toFixed(1))].join(' | ')} |`);
  }
} finally {
  await db.destroy();
}

async function measure(on: Db, accountId: number, cases: number, outputCount: number): Promise<readonly number[]> {
  const model = await createModel(on, accountId, { name: `${cases} x ${outputCount}`, description: null });
  const random = (rows: number, columns: number) =>
    Matrix.from(Array.from({ length: rows }, () => Array.from({ length: columns }, Math.random)));
  const project = await createProject(on, accountId, model.id, {
    name: 'bench',
    space: {
      inputCount: INPUT_COUNT,
      minimums: new Array(INPUT_COUNT).fill(0),
      maximums: new Array(INPUT_COUNT).fill(1),
      inputTypes: new Array(INPUT_COUNT).fill('float'),
      categories: Array.from({ length: INPUT_COUNT }, () => []),
    },
    inputCases: random(cases, INPUT_COUNT),
    caseCount: null,
    outputCount: null,
  });
  const outputCases = random(cases, outputCount);
  const path = { projectId: project.id };
  const { trial, set } = await loadOutputCases(on, accountId, path, { outputCount, outputCases, failedCases: [] });
  const definition = {
    objectives: new Array(outputCount).fill(0.5),
    objectiveTypes: new Array(outputCount).fill('percent'),
    minimumBounds: new Array(outputCount).fill(-1),
    maximumBounds: new Array(outputCount).fill(1),
    desiredL1Norm: 0,
    convergence: 1e-6,
    initialInput: new Array(INPUT_COUNT).fill(0.5),
    initialOutput: new Array(outputCount).fill(0),
    maximumAttempts: 500,
  };
  const load = () => loadObjectives(on, accountId, { trialId: trial.id }, definition);
  const { id: objectiveId } = await load();
  await sql`
    insert into inverses (account_id, objective_id, iteration, input, output)
    select account_id, id, n, initial_input, array(select random() + n * 0 from generate_series(1, ${outputCount}))
    from objectives, generate_series(2, ${Number(options.inverses)} + 1) n where id = ${objectiveId}`.execute(on);
  await sql`update objectives set attempt_count = ${Number(options.inverses)} where id = ${objectiveId}`.execute(on);
  const read = async () => {
    const { inverses } = await getObjective(on, accountId, { objectiveId });
    for await (const _ of inverses);
  };
  const forget = () => sql`update objectives set judged_through = null where id = ${objectiveId}`.execute(on);
  const remember = () =>
    sql`update objectives set judged_through = ${Number(options.inverses)}, nearest_iteration = 1
      where id = ${objectiveId}`.execute(on);
  const judge = () =>
    findNearestCase(
      on,
      accountId,
      { ...definition, options: null, ...NO_OBJECTIVE_LIMITS },
      {
        project,
        trialId: trial.id,
        revision: trial.revision,
        set,
      },
    );
  for (const work of [load, forget, read, remember, read, judge]) await work();
  const times: number[][] = [[], [], [], []];
  // Alternating, so that other load on the machine affects all of them alike.
  for (let i = 0; i < Number(options.repeats); i++) {
    times[0]!.push(await time(load));
    await forget();
    times[1]!.push(await time(read));
    await remember();
    times[2]!.push(await time(read));
    times[3]!.push(await time(judge));
  }
  return times.map((each) => each.sort((a, b) => a - b)[each.length >> 1]!);
}

/** Milliseconds. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
