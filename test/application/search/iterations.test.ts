import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { correctInverse } from '../../../src/application/corrections/correct-run.ts';
import { updateTrial } from '../../../src/application/data/manage-trials.ts';
import type { ObjectivePath } from '../../../src/application/paths.ts';
import { computeSuggestion } from '../../../src/application/search/compute-suggestion.ts';
import { initializeInverse } from '../../../src/application/search/load-objectives.ts';
import { recordOutput } from '../../../src/application/search/record-output.ts';
import { stopObjective } from '../../../src/application/search/stop-objective.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { inTransaction, type Trx } from '../../../src/db/connection/transaction.ts';
import { lockObjective } from '../../../src/db/search/objectives.ts';
import { claimJobs } from '../../../src/db/search/suggestion-jobs.ts';
import type { SuggestRequest } from '../../../src/optimizer/interface/problem.ts';
import { suggest } from '../../../src/optimizer/suggest.ts';
import { explainNothing } from '../../support/explain-nothing.ts';
import {
  LINEAR_OBJECTIVE,
  linear,
  loadLinearObjective,
  openTestAccount,
  readObjective,
  type TestAccount,
} from '../../support/fixtures.ts';

/** The real optimizer, in this thread. */
const engine = {
  ...explainNothing,
  suggest: async (request: SuggestRequest) => ({ ok: true, result: suggest(request), elapsedNs: 1_000 }) as const,
};
const never = new AbortController().signal;

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());

async function computeNext(path: ObjectivePath) {
  const { db, accountId } = account;
  const { inverse } = await requestSuggestion(db, accountId, path, { requestId: null });
  const jobs = await claimJobs(db, { limit: 100, leaseMs: 60_000, workerName: 'test' });
  for (const job of jobs) await computeSuggestion({ db, engine, workLimit: 1_000 }, job, never);
  const { inverses } = await readObjective(account, path);
  return inverses.find(({ id }) => id === inverse.id)!;
}

const output = (values: readonly number[]) => ({ kind: 'output', output: values, computeTimeNs: null }) as const;
const load = (path: ObjectivePath, values: readonly number[]) =>
  recordOutput(account.db, account.accountId, path, output(values));
const read = (path: ObjectivePath) => readObjective(account, path);

describe('the iterations of an objective', () => {
  it('Iterations reach SATISFIED on a linear problem and then never change again', async () => {
    const { path } = await loadLinearObjective(account);
    let attempts = 0;
    while ((await read(path)).stopReason === 0 && attempts < 4) {
      attempts += 1;
      const inverse = await computeNext(path);
      await load(path, linear(inverse.input!));
    }
    const ended = await read(path);
    expect(ended).toMatchObject({ stopReason: 1, attemptCount: attempts });
    expect(ended.inverses.at(-1)).toMatchObject({ status: 'converged', satisfiedAt: expect.any(Date) });
    expect(ended.optimalInverseId).toBe(ended.inverses.at(-1)!.id);
    await expect(requestSuggestion(account.db, account.accountId, path, { requestId: null })).rejects.toMatchObject({
      code: 'OBJECTIVE_ENDED',
    });
    await stopObjective(account.db, account.accountId, path);
    expect((await read(path)).stopReason).toBe(1);
  });

  it('An objective is satisfied immediately when the initial point meets everything', async () => {
    const { objective } = await loadLinearObjective(account, { initialInput: [3, 7], initialOutput: linear([3, 7]) });
    expect(objective).toMatchObject({ stopReason: 1, attemptCount: 0, optimalInverseId: objective.inverses[0]!.id });
    expect(objective.inverses[0]).toMatchObject({ iteration: 1, status: 'converged', output: linear([3, 7]) });
  });

  it('Requests return the same inverse while it is computed, and conflict while its output is missing', async () => {
    const { path } = await loadLinearObjective(account);
    const ask = () => requestSuggestion(account.db, account.accountId, path, { requestId: null });
    const both = await Promise.all([ask(), ask(), ask()]);
    expect(new Set(both.map(({ inverse }) => inverse.id)).size).toBe(1);
    const inverse = await computeNext(path);
    expect(inverse).toMatchObject({ iteration: 2, status: 'active', output: null });
    await expect(ask()).rejects.toMatchObject({
      code: 'ITERATION_OPEN',
      facts: { inverse: { inverseId: inverse.id } },
    });
  });

  it('An iteration takes the same output twice, and refuses a different one', async () => {
    const { path } = await loadLinearObjective(account);
    await computeNext(path);
    const far = [50, 50, 50];
    const first = await load(path, far);
    const second = await load(path, far);
    expect(second.inverse).toEqual(first.inverse);
    await expect(load(path, [50, 50, 51])).rejects.toMatchObject({
      code: 'OUTPUT_CONFLICT',
      message: 'Run 2 already has a different output, which is kept. Only the stored output is accepted again.',
    });
  });

  it('An output that is loaded before the first suggestion is refused with the advice to ask for one', async () => {
    const { path } = await loadLinearObjective(account);
    await expect(load(path, [50, 50, 51])).rejects.toMatchObject({
      code: 'OUTPUT_CONFLICT',
      message:
        'Run 1 is the initial point, whose output is already stored. Ask for a suggestion, then load its output.',
    });
  });

  it('An output of the wrong length, or for an inverse that is still being computed, is refused', async () => {
    const { path } = await loadLinearObjective(account);
    await expect(load(path, [1, 2])).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await requestSuggestion(account.db, account.accountId, path, { requestId: null });
    await expect(load(path, [1, 2, 3])).rejects.toMatchObject({ code: 'NO_OPEN_ITERATION' });
    await stopObjective(account.db, account.accountId, path);
  });

  it('The compute time is never negative, even if the transaction began before the input was handed out', async () => {
    const { path } = await loadLinearObjective(account);
    const { inverse } = await inTransaction(account.db, async (trx) => {
      await sql`select now()`.execute(trx);
      await computeNext(path);
      return recordOutput(trx, account.accountId, path, output([50, 50, 50]));
    });
    expect(inverse.computeTimeNs).toBe(0);
  });

  it('Iterations continue after a failed run, which later suggestions avoid', async () => {
    const { path } = await loadLinearObjective(account);
    const inverse = await computeNext(path);
    const failure = { kind: 'failed', reason: 'mesh did not converge' } as const;
    const failed = await recordOutput(account.db, account.accountId, path, failure);
    expect(failed.inverse).toMatchObject({ status: 'failed', failureReason: 'mesh did not converge', output: null });
    expect((await read(path)).stopReason).toBe(0);
    expect(await recordOutput(account.db, account.accountId, path, failure)).toMatchObject({
      inverse: { id: inverse.id },
    });
    const next = await computeNext(path);
    expect(next.input).not.toEqual(inverse.input);
    expect(next.iteration).toBe(3);
  });

  it('An objective is EXHAUSTED with the output of its last attempt', async () => {
    const { path } = await loadLinearObjective(account, { maximumAttempts: 2 });
    for (const expected of [0, 3]) {
      await computeNext(path);
      await load(path, [1000, 1000, 1000 + expected]);
      expect((await read(path)).stopReason).toBe(expected);
    }
    const { inverses, attemptCount } = await read(path);
    expect(attemptCount).toBe(2);
    expect(inverses.at(-1)).toMatchObject({ status: 'max_iterations', exhaustedAt: expect.any(Date) });
  });

  it('An objective is EXHAUSTED when the run of its last attempt fails', async () => {
    const { path } = await loadLinearObjective(account, { maximumAttempts: 1 });
    await computeNext(path);
    await recordOutput(account.db, account.accountId, path, { kind: 'failed', reason: null });
    expect(await read(path)).toMatchObject({ stopReason: 3, inverses: [{}, { status: 'failed' }] });
  });

  it('Stopping an objective stops its open inverse, computed or not', async () => {
    for (const isComputed of [true, false]) {
      const { path } = await loadLinearObjective(account);
      if (isComputed) await computeNext(path);
      else await requestSuggestion(account.db, account.accountId, path, { requestId: null });
      await stopObjective(account.db, account.accountId, path);
      const stopped = await read(path);
      expect(stopped.stopReason).toBe(2);
      expect(stopped.inverses.at(-1)).toMatchObject({ status: 'stopped', stoppedAt: expect.any(Date) });
      await stopObjective(account.db, account.accountId, path);
      expect((await read(path)).inverses).toEqual(stopped.inverses);
      expect(await claimJobs(account.db, { limit: 10, leaseMs: 1_000, workerName: 'test' })).toEqual([]);
    }
  });

  it('The result of a job is dropped when its objective was stopped meanwhile', async () => {
    const { db, accountId } = account;
    const { path } = await loadLinearObjective(account);
    await requestSuggestion(db, accountId, path, { requestId: null });
    const [job] = await claimJobs(db, { limit: 1, leaseMs: 60_000, workerName: 'test' });
    await stopObjective(db, accountId, path);
    expect(await computeSuggestion({ db, engine, workLimit: 1_000 }, job!, never)).toEqual({ kind: 'lost' });
    expect((await read(path)).inverses.at(-1)).toMatchObject({ status: 'stopped', input: null });
  });

  it('The same definition and history give a suggestion of the same bytes', async () => {
    const inputs = [];
    for (let run = 0; run < 2; run++) {
      const { path } = await loadLinearObjective(account);
      const first = await computeNext(path);
      await load(
        path,
        linear(first.input!).map((value) => value + 5),
      );
      inputs.push([first.input, (await computeNext(path)).input]);
    }
    expect(inputs[0]).toEqual(inputs[1]);
  });

  it('A suggestion needs an active trial', async () => {
    const { path, trial } = await loadLinearObjective(account);
    await updateTrial(account.db, account.accountId, { trialId: trial.id }, { status: 'completed' });
    await expect(requestSuggestion(account.db, account.accountId, path, { requestId: null })).rejects.toMatchObject({
      code: 'TRIAL_CLOSED',
    });
  });
});

describe('initialize-inverse', () => {
  it('Initialize-inverse returns iteration 1 again for the same definition while it runs', async () => {
    const { trial } = await loadLinearObjective(account);
    const request = { ...LINEAR_OBJECTIVE, convergence: 1e-3 };
    const initialize = () => initializeInverse(account.db, account.accountId, trial.id, request);
    const first = await initialize();
    expect(first.inverse).toMatchObject({ iteration: 1, status: 'active' });
    expect((await initialize()).inverse).toEqual(first.inverse);
    await stopObjective(account.db, account.accountId, { objectiveId: first.objective.id });
    expect((await initialize()).objective.id).not.toBe(first.objective.id);
  });
});

describe('requests that meet at the lock of an objective', () => {
  /** Holds the lock until `waiting` requests queue up behind it, then runs `last` on it and commits. */
  async function behindTheLock<T>(
    { path }: Pick<Awaited<ReturnType<typeof loadLinearObjective>>, 'path'>,
    requests: readonly (() => Promise<T>)[],
    last: (trx: Trx) => Promise<unknown> = async () => undefined,
  ): Promise<readonly PromiseSettledResult<T>[]> {
    const { db, accountId } = account;
    let outcomes: Promise<readonly PromiseSettledResult<T>[]> | undefined;
    await inTransaction(db, async (trx) => {
      await lockObjective(trx, accountId, path.objectiveId);
      outcomes = Promise.allSettled(requests.map((request) => request()));
      const countWaiting = async () => {
        const { rows } = await sql`
          select from pg_locks l join pg_stat_activity a using (pid)
          where not l.granted and a.datname = current_database()`.execute(db);
        return rows.length;
      };
      await expect.poll(countWaiting).toBe(requests.length);
      await last(trx);
    });
    return outcomes!;
  }
  const ask = (path: ObjectivePath) => () =>
    requestSuggestion(account.db, account.accountId, path, { requestId: null });
  const drop = (path: ObjectivePath) => stopObjective(account.db, account.accountId, path);

  it('Requests that wait for the lock of an objective open one iteration between them', async () => {
    const loaded = await loadLinearObjective(account);
    const outcomes = await behindTheLock(loaded, [ask(loaded.path), ask(loaded.path), ask(loaded.path)]);
    const ids = outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value.inverse.id);
    expect(new Set(ids).size).toBe(1);
    expect((await read(loaded.path)).inverses.map(({ id }) => id)).toEqual([expect.any(Number), ids[0]]);
    await drop(loaded.path);
  });

  it('A request that waited for the lock sees that the objective was stopped, and opens nothing', async () => {
    const loaded = await loadLinearObjective(account);
    const [outcome] = await behindTheLock(loaded, [ask(loaded.path)], (trx) =>
      stopObjective(trx, account.accountId, loaded.path),
    );
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'OBJECTIVE_ENDED' } });
    expect((await read(loaded.path)).inverses).toHaveLength(1);
  });

  it('An output that waited for the lock is judged by the data as a correction left it', async () => {
    const smallest = [0, 0, 0].map(() => 'minimize' as const);
    const objective = {
      objectives: [-100, -100, -100],
      objectiveTypes: smallest,
      minimumBounds: [],
      maximumBounds: [],
    };
    const loaded = await loadLinearObjective(account, objective);
    const best = await computeNext(loaded.path);
    await load(loaded.path, [-50, -50, -50]);
    const open = await computeNext(loaded.path);
    const sent = { change: { kind: 'excluded', isExcluded: true }, reason: 'typo', mayReopen: false } as const;
    const context = { accountId: account.accountId, actor: 'test' };
    const [outcome] = await behindTheLock(loaded, [() => load(loaded.path, [-20, -20, -20])], (trx) =>
      correctInverse(trx, context, { inverseId: best.id }, sent),
    );
    expect(outcome).toMatchObject({
      status: 'fulfilled',
      value: { inverse: { id: open.id, output: [-20, -20, -20] } },
    });
    expect(await read(loaded.path)).toMatchObject({ optimalInverseId: open.id });
    await drop(loaded.path);
  });

  it('Of two outputs that wait for the lock one is stored, and the other is refused', async () => {
    const loaded = await loadLinearObjective(account);
    await computeNext(loaded.path);
    const outputs = [
      [50, 50, 50],
      [60, 60, 60],
    ];
    const outcomes = await behindTheLock(
      loaded,
      outputs.map((values) => () => load(loaded.path, values)),
    );
    const stored = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(outcomes[1 - stored]).toMatchObject({ status: 'rejected', reason: { code: 'OUTPUT_CONFLICT' } });
    expect((await read(loaded.path)).inverses.at(-1)!.output).toEqual(outputs[stored]);
  });

  it('Two equal outputs that wait for the lock are stored once, and both requests return it', async () => {
    const loaded = await loadLinearObjective(account);
    await computeNext(loaded.path);
    const same = () => load(loaded.path, [50, 50, 50]);
    const [first, second] = await behindTheLock(loaded, [same, same]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { inverse: { output: [50, 50, 50] } } });
    const value = (outcome: typeof first) => (outcome!.status === 'fulfilled' ? outcome!.value : undefined);
    expect(value(second)?.inverse).toEqual(value(first)?.inverse);
  });

  it('An output that waited for the lock comes late when the objective was stopped meanwhile', async () => {
    const loaded = await loadLinearObjective(account);
    await computeNext(loaded.path);
    const [outcome] = await behindTheLock(loaded, [() => load(loaded.path, [50, 50, 50])], (trx) =>
      stopObjective(trx, account.accountId, loaded.path),
    );
    expect(outcome).toMatchObject({ status: 'fulfilled', value: { objective: { stopReason: 2 } } });
    expect((await read(loaded.path)).inverses.at(-1)).toMatchObject({ status: 'stopped', output: [50, 50, 50] });
  });

  it('A suggestion that waited for the lock is dropped when the objective was stopped meanwhile', async () => {
    const { db, accountId } = account;
    const loaded = await loadLinearObjective(account);
    await requestSuggestion(db, accountId, loaded.path, { requestId: null });
    const [job] = await claimJobs(db, { limit: 1, leaseMs: 60_000, workerName: 'test' });
    const compute = () => computeSuggestion({ db, engine, workLimit: 1_000 }, job!, never);
    const [outcome] = await behindTheLock(loaded, [compute], (trx) => stopObjective(trx, accountId, loaded.path));
    expect(outcome).toEqual({ status: 'fulfilled', value: { kind: 'lost' } });
    expect((await read(loaded.path)).inverses.at(-1)).toMatchObject({ status: 'stopped', input: null });
  });

  async function addWebhook(): Promise<number> {
    const { db, accountId } = account;
    const row = await db
      .insertInto('webhooks')
      .values({
        account_id: accountId,
        url: 'https://receiver.example',
        secret: Buffer.from('secret'),
        event_names: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return row.id;
  }
  async function deliveriesTo(webhookId: number): Promise<readonly string[]> {
    const { rows } = await sql<{ name: string }>`
      select e.name from webhook_deliveries d join events e on e.id = d.event_id
      where d.webhook_id = ${webhookId} order by e.id`.execute(account.db);
    return rows.map(({ name }) => name);
  }
  /** Changes the rows that every statement of the cycle reads, as a renewed lease and a failing webhook do. */
  const touchRows = (objectiveId: number, webhookId: number) => async (trx: Trx) => {
    await trx.updateTable('objectives').set({ updated_at: sql`now()` }).where('id', '=', objectiveId).execute();
    await sql`update webhooks set failing_since = now() where id = ${webhookId}`.execute(account.db);
    await sql`update suggestion_jobs set visible_at = visible_at + interval '1 second'`.execute(account.db);
  };

  it('Statements that waited for the lock write everything though rows changed under them', async () => {
    const { db } = account;
    const webhookId = await addWebhook();
    const loaded = await loadLinearObjective(account);
    const { objectiveId } = loaded.path;
    const touch = touchRows(objectiveId, webhookId);
    const [opened] = await behindTheLock(loaded, [ask(loaded.path)], touch);
    expect(opened).toMatchObject({ status: 'fulfilled', value: { inverse: { iteration: 2 } } });
    const [job] = await claimJobs(db, { limit: 1, leaseMs: 60_000, workerName: 'test' });
    const compute = () => computeSuggestion({ db, engine, workLimit: 1_000 }, job!, never);
    const [stored] = await behindTheLock(loaded, [compute], touch);
    expect(stored).toMatchObject({ status: 'fulfilled', value: { kind: 'suggested' } });
    expect(await read(loaded.path)).toMatchObject({ attemptCount: 1, judgedThrough: 1 });
    const [completed] = await behindTheLock(loaded, [() => load(loaded.path, [50, 50, 50])], touch);
    expect(completed).toMatchObject({ status: 'fulfilled', value: { inverse: { output: [50, 50, 50] } } });
    expect((await read(loaded.path)).inverses.at(-1)).toMatchObject({ iteration: 2, output: [50, 50, 50] });
    const events = ['objectives.loaded', 'inverse.suggested', 'inverse.output_loaded'];
    expect((await deliveriesTo(webhookId)).slice(-events.length)).toEqual(events);
    await db.deleteFrom('webhooks').where('id', '=', webhookId).execute();
  });

  it('An output that waited for the lock is stored when a webhook was deleted meanwhile', async () => {
    const { db } = account;
    const webhookId = await addWebhook();
    const loaded = await loadLinearObjective(account);
    await computeNext(loaded.path);
    const [outcome] = await behindTheLock(loaded, [() => load(loaded.path, [50, 50, 50])], async () => {
      await db.deleteFrom('webhooks').where('id', '=', webhookId).execute();
    });
    expect(outcome).toMatchObject({ status: 'fulfilled', value: { inverse: { output: [50, 50, 50] } } });
    expect(await deliveriesTo(webhookId)).toEqual([]);
  });

  it('An output that waited for the lock is not taken for the next iteration, whose input it does not belong to', async () => {
    const { accountId } = account;
    const loaded = await loadLinearObjective(account);
    await computeNext(loaded.path);
    const [outcome] = await behindTheLock(loaded, [() => load(loaded.path, [50, 50, 50])], async (trx) => {
      await recordOutput(trx, accountId, loaded.path, output([50, 50, 50]));
      const { inverse } = await requestSuggestion(trx, accountId, loaded.path, { requestId: null });
      const inTrx = trx as unknown as typeof account.db;
      const [job] = await claimJobs(inTrx, { limit: 1, leaseMs: 60_000, workerName: 'test' });
      expect(job).toMatchObject({ inverseId: inverse.id });
      const computed = await computeSuggestion({ db: inTrx, engine, workLimit: 1_000 }, job!, never);
      expect(computed).toMatchObject({ kind: 'suggested' });
    });
    expect(outcome).toMatchObject({ status: 'fulfilled', value: { inverse: { iteration: 2, output: [50, 50, 50] } } });
    expect((await read(loaded.path)).inverses.at(-1)).toMatchObject({ iteration: 3, status: 'active', output: null });
  });
});
