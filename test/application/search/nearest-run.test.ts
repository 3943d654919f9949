/** The nearest run of an objective, from loading it to its end, and for objectives of an earlier version. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadOutputCases } from '../../../src/application/data/load-output-cases.ts';
import { createProject } from '../../../src/application/problem/create-project.ts';
import { createModel } from '../../../src/application/problem/manage-models.ts';
import { computeSuggestion } from '../../../src/application/search/compute-suggestion.ts';
import { judgeEarlierObjectives } from '../../../src/application/search/judge-runs.ts';
import { loadObjectives } from '../../../src/application/search/load-objectives.ts';
import { getObjective, listObjectives } from '../../../src/application/search/read-objectives.ts';
import { recordOutput } from '../../../src/application/search/record-output.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { claimJobs } from '../../../src/db/search/suggestion-jobs.ts';
import { Matrix } from '../../../src/domain/matrix.ts';
import type { Answer } from '../../../src/domain/search/answer.ts';
import type { Engine } from '../../../src/engine/pool.ts';
import {
  LINEAR_OBJECTIVE,
  linear,
  loadLinearObjective,
  openTestAccount,
  type TestAccount,
} from '../../support/fixtures.ts';

let t: TestAccount;
beforeAll(async () => {
  t = await openTestAccount();
});
afterAll(() => t.close());

/** Proposes the given input. */
function proposing(input: readonly number[]): Pick<Engine, 'suggest' | 'explain'> {
  return {
    suggest: async () => ({
      ok: true,
      elapsedNs: 1,
      result: { kind: 'candidate', input: Float64Array.from(input), expected: null, chance: null },
    }),
    explain: () => Promise.reject(new Error('nothing is explained here')),
  };
}

async function suggest(objectiveId: number, input: readonly number[]): Promise<void> {
  await requestSuggestion(t.db, t.accountId, { objectiveId }, { requestId: null });
  const [job] = await claimJobs(t.db, { limit: 1, leaseMs: 60_000, workerName: 'test' });
  const deps = { db: t.db, engine: proposing(input), workLimit: 1 };
  expect(await computeSuggestion(deps, job!, new AbortController().signal)).toMatchObject({ kind: 'suggested' });
}

async function runAt(objectiveId: number, input: readonly number[]): Promise<void> {
  await suggest(objectiveId, input);
  const measurement = { kind: 'output', output: linear(input), computeTimeNs: null } as const;
  await recordOutput(t.db, t.accountId, { objectiveId }, measurement);
}

async function bestOf(objectiveId: number): Promise<Answer | null> {
  return (await getObjective(t.db, t.accountId, { objectiveId })).answer;
}

/** As a list shows it, which judges nothing. */
async function listedBestOf({ id, trialId }: { id: number; trialId: number }): Promise<Answer | null | undefined> {
  const { batches } = await listObjectives(t.db, t.accountId, { trialId }, { limit: 10, after: null });
  for await (const batch of batches) {
    for (const { objective, answer } of batch) if (objective.id === id) return answer;
  }
  return undefined;
}

describe('the nearest run', () => {
  it('Is the nearest of the cases and the initial point before anything was suggested', async () => {
    const { objective } = await loadLinearObjective(t);
    // Allowed are [9.9, 10.1], [-4.04, -3.96] and [5.94, 6.06].
    expect(await bestOf(objective.id)).toMatchObject({
      source: { kind: 'inverse', iteration: 1, id: objective.inverses[0]!.id },
      input: [5, 5],
      output: [10, 0, 10],
      misses: [0, expect.closeTo(99, 9), expect.closeTo(65.667, 3)],
    });
    const far = { initialInput: [0, 10], initialOutput: linear([0, 10]) };
    const other = await loadLinearObjective(t, far);
    expect(await bestOf(other.objective.id)).toMatchObject({
      source: { kind: 'case', number: 0 },
      input: [0, 0],
      output: [0, 0, 0],
    });
  });

  it('Follows every output, also before the worker has judged it, and keeps the earlier of equals', async () => {
    const { objective, path, trial } = await loadLinearObjective(t);
    await runAt(objective.id, [2, 8]);
    expect(await bestOf(objective.id)).toMatchObject({ source: { kind: 'inverse', iteration: 2 }, input: [2, 8] });
    await runAt(objective.id, [2, 8]);
    expect(await bestOf(objective.id)).toMatchObject({ source: { kind: 'inverse', iteration: 2 }, input: [2, 8] });
    await suggest(objective.id, [9, 9]);
    await recordOutput(t.db, t.accountId, path, { kind: 'failed', reason: null });
    await runAt(objective.id, [3, 7]);
    const best = await bestOf(objective.id);
    expect(best).toMatchObject({ source: { kind: 'inverse', iteration: 5 }, misses: [0, 0, 0] });
    const read = await getObjective(t.db, t.accountId, path);
    expect(read.optimalInverse).toMatchObject({ id: (best!.source as { id: number }).id, iteration: 5 });
    const { batches } = await listObjectives(t.db, t.accountId, { trialId: trial.id }, { limit: 10, after: null });
    for await (const [listed] of batches) expect(listed!.answer).toEqual(best);
  });

  it('Is found the same way if the inverses are too many to be read together', async () => {
    const { objective } = await loadLinearObjective(t);
    await runAt(objective.id, [2, 8]);
    await runAt(objective.id, [3.5, 7]);
    const before = await bestOf(objective.id);
    expect(before).toMatchObject({ source: { iteration: 3 }, input: [3.5, 7] });
    // Read in pages from here on.
    await sql`update objectives set attempt_count = 1000 where id = ${objective.id}`.execute(t.db);
    expect(await bestOf(objective.id)).toEqual(before);
  });

  it('The nearest run of an objective from an earlier version is judged later, while its iterations continue', async () => {
    const { objective } = await loadLinearObjective(t);
    await runAt(objective.id, [2, 8]);
    await runAt(objective.id, [4, 6]);
    const best = await bestOf(objective.id);
    await forget(objective.id);
    expect(await bestOf(objective.id)).toEqual(best);
    expect(await listedBestOf(objective)).toBeNull();
    await suggest(objective.id, [9, 9]);
    expect(await bestOf(objective.id)).toEqual(best);
    await forget(objective.id);
    const { signal } = new AbortController();
    expect(await judgeEarlierObjectives(t.db, { signal })).toEqual({ judged: 1 });
    expect(await judgeEarlierObjectives(t.db, { signal })).toEqual({ judged: 0 });
    expect(await bestOf(objective.id)).toEqual(best);
    const output = { kind: 'output', output: linear([3.01, 7]), computeTimeNs: null } as const;
    await recordOutput(t.db, t.accountId, { objectiveId: objective.id }, output);
    expect(await bestOf(objective.id)).toMatchObject({ source: { iteration: 4 }, misses: [0, 0, 0] });
  });

  it('Counts weights and priorities, also when it is judged again', async () => {
    const { objective } = await loadLinearObjective(t, { priorities: [1, 2, 2], weights: [1, 2, 2] });
    await runAt(objective.id, [2, 8]);
    await runAt(objective.id, [3, 6]);
    const first = { source: { iteration: 2 }, misses: [0, expect.closeTo(49), expect.closeTo(32.333, 3)] };
    expect(await bestOf(objective.id)).toMatchObject(first);
    await sql`update objectives set nearest_iteration = 3 where id = ${objective.id}`.execute(t.db);
    expect(await listedBestOf(objective)).toMatchObject({ source: { iteration: 3 } });
    await forget(objective.id);
    expect(await bestOf(objective.id)).toMatchObject(first);
    expect(await judgeEarlierObjectives(t.db, { signal: new AbortController().signal })).toEqual({ judged: 1 });
    expect(await listedBestOf(objective)).toMatchObject(first);
  });

  it('Is found among more cases than are read at a time, and is never a failed one', async () => {
    const [rows, outputCount, nearest] = [250, 1_000, 240];
    const model = await createModel(t.db, t.accountId, { name: 'many cases', description: null });
    const project = await createProject(t.db, t.accountId, model.id, {
      name: 'many cases',
      space: { inputCount: 1, minimums: [0], maximums: [rows], inputTypes: ['float'], categories: [[]] },
      inputCases: Matrix.from(Array.from({ length: rows }, (_, row) => [row])),
      caseCount: null,
      outputCount: null,
    });
    const output = (row: number) => Array.from({ length: outputCount }, () => Math.abs(row - nearest) + 1);
    const outputCases = Matrix.from(Array.from({ length: rows }, (_, row) => output(row)));
    const best = async (failedCases: readonly number[]) => {
      const cases = { outputCount, outputCases, failedCases };
      const { trial } = await loadOutputCases(t.db, t.accountId, { projectId: project.id }, cases);
      const objective = await loadObjectives(
        t.db,
        t.accountId,
        { trialId: trial.id },
        {
          ...LINEAR_OBJECTIVE,
          objectives: output(nearest),
          objectiveTypes: output(nearest).map(() => 'lessthan'),
          minimumBounds: [],
          maximumBounds: [],
          initialInput: [0],
          initialOutput: output(0),
        },
      );
      return bestOf(objective.id);
    };
    expect(await best([])).toMatchObject({ source: { kind: 'case', number: nearest }, input: [nearest] });
    expect(await best([nearest])).toMatchObject({
      source: { kind: 'case', number: nearest - 1 },
      input: [nearest - 1],
    });
  });
});

/** As a container of the version before leaves a row. */
async function forget(objectiveId: number): Promise<void> {
  await sql`
    update objectives set judged_through = null, nearest_iteration = null,
      nearest_case = null, nearest_case_input = null, nearest_case_output = null
    where id = ${objectiveId}`.execute(t.db);
}
