/** Tests what a batch does about objectives that cannot go on, and whom it tells. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { advanceBatch } from '../../../src/application/batches/advance-batch.ts';
import { checkBatch, createBatch } from '../../../src/application/batches/create-batch.ts';
import { cancelBatch } from '../../../src/application/batches/manage-batches.ts';
import { failExhaustedJobs } from '../../../src/application/search/maintenance.ts';
import { stopObjective } from '../../../src/application/search/stop-objective.ts';
import { createWebhook } from '../../../src/application/webhooks/manage-webhooks.ts';
import { renderEvent } from '../../../src/application/webhooks/render-event.ts';
import { listBatchObjectives } from '../../../src/db/batches/batch-objectives.ts';
import { findBatch } from '../../../src/db/batches/batches.ts';
import { findJobOf } from '../../../src/db/search/suggestion-jobs.ts';
import { NO_QUOTA } from '../../../src/domain/accounts/storage.ts';
import type { NewBatch } from '../../../src/domain/batches/batch.ts';
import { MAXIMUM_JOB_ATTEMPTS } from '../../../src/domain/search/suggestion-job.ts';
import type { RecordedEvent } from '../../../src/domain/webhooks/event.ts';
import { sdkEvents } from '../../../src/http/sdk/events.wire.ts';
import { LINEAR_OBJECTIVE, loadLinearObjective, openTestAccount, type TestAccount } from '../../support/fixtures.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());

const engine = { design: () => Promise.reject(new Error('no region is looked at here')) };
const designs = { for: () => engine };
const SETTINGS = {
  name: null,
  evaluator: { kind: 'pull' },
  timeoutSeconds: 60,
  maximumTries: 3,
  maximumLosses: 5,
  stopAfterFailures: 20,
} as const;
const { initialInput: _, initialOutput: __, ...GOAL } = LINEAR_OBJECTIVE;

/** A batch of a given trial, with `count` objectives. */
async function openBatch(count: number, change: Partial<NewBatch> = {}) {
  const { trial, project } = await loadLinearObjective(account);
  const { batch } = await createBatch(
    account.db,
    account.accountId,
    { projectId: project.id },
    {
      ...SETTINGS,
      parallelism: 1,
      trialId: trial.id,
      outputCount: 3,
      objectives: Array.from({ length: count }, (_, i) => ({ ...GOAL, objectives: [100 + i, -4, 500] })),
      ...change,
    },
  );
  return batch.id;
}

const advance = (id: number) => advanceBatch({ db: account.db, designs }, id);
const read = async (id: number) => (await findBatch(account.db, account.accountId, id))!;
const objectivesOf = (id: number) =>
  listBatchObjectives(account.db, account.accountId, id, { limit: 100, after: null });

/** No worker can compute the suggestion of the objective. */
async function failComputation(objectiveId: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update suggestion_jobs set attempts = ${MAXIMUM_JOB_ATTEMPTS}, visible_at = now() - interval '1 second',
      last_error = 'the matrix is singular'
    where objective_id = ${objectiveId}`.execute(account.db);
  expect(numAffectedRows).toBe(1n);
  expect(await failExhaustedJobs(account.db)).toEqual({ failed: 1 });
}

it.each([1, 3])(
  'An objective whose suggestions cannot be computed is given up, and the batch continues (%i at a time)',
  async (parallelism) => {
    const id = await openBatch(2, { parallelism });
    await advance(id);
    const ids = (await objectivesOf(id)).flatMap(({ objectiveId }) => objectiveId ?? []);
    const first = ids[0]!;
    let failed = 0;
    for (; (await findJobOf(account.db, first)) !== undefined; failed++) {
      await failComputation(first);
      await advance(id);
    }
    expect(failed).toBeOneOf([3, 4]);
    const rows = await objectivesOf(id);
    expect(rows.map(({ failureReason }) => failureReason)).toEqual([
      `Stopped because ${failed} suggestions in a row could not be computed; the last one: the matrix is singular`,
      null,
    ]);
    expect(await read(id)).toMatchObject({
      status: 'solving',
      progress: { objectives: { planned: 2, running: 1, stopped: 1, failed: 0 } },
    });
    expect(await findJobOf(account.db, rows[1]!.objectiveId!)).toBeDefined();
  },
);

it('Cases that may not be loaded are refused before they are evaluated, and fail a batch that has evaluated them', async () => {
  const { project } = await loadLinearObjective(account);
  const request = { ...SETTINGS, parallelism: 1, trialId: null, objectives: [GOAL] };
  const limits = { ...NO_QUOTA, cases: 0, cells: 5, openObjectives: 0, queuedSuggestions: 0 };
  const path = { projectId: project.id };
  const deps = { db: account.db, engine, judgeUrl: () => undefined };
  await expect(checkBatch(deps, account.accountId, path, request, limits)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    facts: { violations: [{ pointer: '/trialId', message: expect.stringContaining('at most 1 cases of 3 numbers') }] },
  });
  const checked = await checkBatch(deps, account.accountId, path, request);
  const { batch } = await createBatch(account.db, account.accountId, path, checked);
  await sql`
    update evaluations set state = 'done', output = '{1,2,3}', finished_at = now() where batch_id = ${batch.id}`.execute(
    account.db,
  );
  await advanceBatch({ db: account.db, designs, limits }, batch.id);
  expect(await read(batch.id)).toMatchObject({
    status: 'failed',
    failureReason: expect.stringContaining('at most 1 cases of 3 numbers'),
  });
});

it('Webhooks are told once that a batch is completed or has failed, and not that it was cancelled', async () => {
  const hook = { url: 'https://receiver.example/', description: null } as const;
  await createWebhook({ db: account.db, judgeUrl: () => undefined }, account.accountId, {
    ...hook,
    eventNames: ['batch.completed', 'batch.failed'],
  });
  const nothingLeft = await openBatch(1);
  await advance(nothingLeft);
  for (const { objectiveId } of await objectivesOf(nothingLeft)) {
    await stopObjective(account.db, account.accountId, { objectiveId: objectiveId! });
  }
  await advance(nothingLeft);
  await advance(nothingLeft);
  const failing = await openBatch(1, { stopAfterFailures: 1 });
  await sql`
    insert into evaluations (account_id, batch_id, project_id, case_number, input, is_pushed, state, failure_reason, finished_at)
    select account_id, id, project_id, 1, '{1,2}', false, 'failed', 'no licence', now() from batches where id = ${failing}`.execute(
    account.db,
  );
  await advance(failing);
  const cancelled = await openBatch(1);
  await cancelBatch(account.db, account.accountId, cancelled);
  const { rows } = await sql<RecordedEvent>`
    select id, account_id as "accountId", name, resource_id as "resourceId", created_at as "createdAt"
    from events order by id`.execute(account.db);
  expect(rows.map(({ name, resourceId }) => [name, resourceId])).toEqual([
    ['batch.completed', nothingLeft],
    ['batch.failed', failing],
  ]);
  const body = await renderEvent({ db: account.db, form: sdkEvents, maximumBytes: 1e6 }, rows[1]!);
  expect(JSON.parse(new TextDecoder().decode(body))).toMatchObject({
    name: 'batch.failed',
    subject: `batch/${failing}`,
    data: { id: failing, status: 'failed', failureReason: 'An evaluation failed; the last one: no licence' },
  });
});
