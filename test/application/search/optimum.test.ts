import { afterAll, beforeAll, expect, it } from 'vitest';
import { computeSuggestion } from '../../../src/application/search/compute-suggestion.ts';
import { recordOutput } from '../../../src/application/search/record-output.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { claimJobs } from '../../../src/db/search/suggestion-jobs.ts';
import type { Proposal } from '../../../src/optimizer/interface/problem.ts';
import { explainNothing } from '../../support/explain-nothing.ts';
import { loadLinearObjective, openTestAccount, readObjective, type TestAccount } from '../../support/fixtures.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());

/** Minimize the first output under a bound on the second; nothing reaches the aspiration. */
const MINIMIZE = {
  objectives: [-1000, 100, 100],
  objectiveTypes: ['minimize', 'lessthan_equal', 'lessthan_equal'],
  minimumBounds: [],
  maximumBounds: [],
  initialOutput: [50, 0, 0],
} as const;

async function suggestAndLoad(objectiveId: number, proposal: Proposal, output: readonly number[] | null) {
  const { db, accountId } = account;
  await requestSuggestion(db, accountId, { objectiveId }, { requestId: null });
  const [job] = await claimJobs(db, { limit: 1, leaseMs: 60_000, workerName: 'test' });
  const engine = { ...explainNothing, suggest: async () => ({ ok: true, result: proposal, elapsedNs: 1 }) as const };
  await computeSuggestion({ db, engine, workLimit: 1 }, job!, new AbortController().signal);
  if (output !== null) {
    await recordOutput(db, accountId, { objectiveId }, { kind: 'output', output, computeTimeNs: null });
  }
  return readObjective({ db, accountId }, { objectiveId });
}

const candidate = (x: number): Proposal => ({
  kind: 'candidate',
  input: Float64Array.of(x, x),
  expected: null,
  chance: null,
});

it('The optimal inverse follows the best inverse that meets the constraints, and no other', async () => {
  const { objective } = await loadLinearObjective(account, MINIMIZE);
  const [first] = objective.inverses;
  expect(objective.optimalInverseId).toBe(first!.id);
  const violating = await suggestAndLoad(objective.id, candidate(1), [10, 500, 0]);
  expect(violating.optimalInverseId).toBe(first!.id);
  const better = await suggestAndLoad(objective.id, candidate(2), [40, 0, 0]);
  expect(better.optimalInverseId).toBe(better.inverses[2]!.id);
  const worse = await suggestAndLoad(objective.id, candidate(3), [45, 0, 0]);
  expect(worse.optimalInverseId).toBe(better.inverses[2]!.id);
});

it('When nothing new can be suggested, the inverse repeats the best known point, even a case', async () => {
  const { objective, set } = await loadLinearObjective(account, MINIMIZE);
  const ended = await suggestAndLoad(
    objective.id,
    { kind: 'nothing-new', reason: 'no-improvement-expected', bestIndex: 2 },
    null,
  );
  const last = ended.inverses.at(-1)!;
  // The first case gave 0 for the output to be minimized, the initial point 50.
  expect(last).toMatchObject({
    status: 'stopped',
    input: [0, 0],
    output: set.outputCases.row(0),
    stoppedAt: expect.any(Date),
  });
  expect(ended).toMatchObject({ stopReason: 2, attemptCount: 0, optimalInverseId: last.id });
});
