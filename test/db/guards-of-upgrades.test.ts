/** What containers of the version before write into the schema of this one, and what they leave of newer data. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addCases } from '../../src/application/data/add-cases.ts';
import { getObjective } from '../../src/application/search/read-objectives.ts';
import { findProject } from '../../src/db/data/projects.ts';
import { findExplanation, saveExplanation } from '../../src/db/search/explanations.ts';
import { Matrix } from '../../src/domain/matrix.ts';
import { linear, loadLinearObjective, openTestAccount, type TestAccount } from '../support/fixtures.ts';

let t: TestAccount;
beforeAll(async () => {
  t = await openTestAccount();
});
afterAll(() => t.close());

it('Names that the version before stores with the details of the inputs are those of the project', async () => {
  const { project } = await loadLinearObjective(t);
  const details = JSON.stringify({ inputNames: ['T', 'p'], inputUnits: null });
  const { rows } = await sql<{ id: number }>`
    insert into projects (account_id, model_id, name, input_count, minimums, maximums, input_types, categories, input_cases,
      case_count, seed, input_details)
    select account_id, model_id, 'old', input_count, minimums, maximums, input_types, categories, input_cases, case_count, seed,
      ${details}::jsonb
    from projects where id = ${project.id} returning id`.execute(t.db);
  const found = await findProject(t.db, t.accountId, rows[0]!.id);
  expect(found!.names).toMatchObject({ inputNames: ['T', 'p'], inputUnits: null });
});

it('An objective that the version before loads is judged by the cases as they are now', async () => {
  const { trial, objective } = await loadLinearObjective(t);
  const input = [3, 7];
  const output = linear(input);
  const headings = (field: 'inputs' | 'outputs', count: number) =>
    Array.from({ length: count }, (_, position) => ({ field, position, title: null }));
  const table = {
    headings: [...headings('inputs', 2), ...headings('outputs', 3)],
    values: Matrix.from([[...input, ...output]]),
    marks: new Int32Array(5),
    texts: [],
    failed: [],
    lines: null,
    source: null,
  };
  expect(await addCases(t.db, t.accountId, { trialId: trial.id }, table)).toMatchObject({ added: 1, revision: 1 });
  const { rows } = await sql<{ id: number }>`
    insert into objectives (account_id, model_id, project_id, trial_id, number, objectives, objective_types, minimum_bounds,
      maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed, nearest_case,
      nearest_case_input, nearest_case_output, nearest_iteration, judged_through)
    select account_id, model_id, project_id, trial_id, 2, objectives, objective_types, minimum_bounds, maximum_bounds,
      desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed, 0, '{0,0}', '{0,0,0}', 1, 1
    from objectives where id = ${objective.id} returning id`.execute(t.db);
  const { best } = await getObjective(t.db, t.accountId, { objectiveId: rows[0]!.id });
  expect(best).toMatchObject({ input });
});

it('The explanation of the newest suggestion is kept, even if it rests on fewer cases', async () => {
  const { path } = await loadLinearObjective(t);
  const save = (inverseId: number, caseCount: number) =>
    saveExplanation(t.db, t.accountId, { ...path, inverseId }, { caseCount, insight: null, diagnosis: null });
  const kept = async () => (await findExplanation(t.db, t.accountId, path.objectiveId))!.caseCount;
  await save(5, 40);
  await save(7, 31);
  expect(await kept()).toBe(31);
  await save(6, 41);
  expect(await kept()).toBe(31);
});
