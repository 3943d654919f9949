/** Events are recorded if and only if the business transaction commits. */

import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadOutputCases } from '../../../src/application/data/load-output-cases.ts';
import { changeObjective } from '../../../src/application/search/change-objective.ts';
import { computeSuggestion } from '../../../src/application/search/compute-suggestion.ts';
import { initializeInverse } from '../../../src/application/search/load-objectives.ts';
import { recordOutput } from '../../../src/application/search/record-output.ts';
import { stopObjective } from '../../../src/application/search/stop-objective.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { createWebhook, updateWebhook } from '../../../src/application/webhooks/manage-webhooks.ts';
import { ensureAccount } from '../../../src/db/accounts/accounts.ts';
import { inTransaction } from '../../../src/db/connection/transaction.ts';
import { claimJobs } from '../../../src/db/search/suggestion-jobs.ts';
import { insertEvents } from '../../../src/db/webhooks/events.ts';
import { deleteWebhook } from '../../../src/db/webhooks/webhooks.ts';
import { Matrix } from '../../../src/domain/matrix.ts';
import { StopReason } from '../../../src/domain/search/stop-reason.ts';
import type { Engine } from '../../../src/engine/pool.ts';
import type { Proposal } from '../../../src/optimizer/interface/problem.ts';
import { explainNothing } from '../../support/explain-nothing.ts';
import { LINEAR_OBJECTIVE, linear, loadLinearObjective } from '../../support/fixtures.ts';
import { judgeUrl, type Outbox, openOutbox } from './outbox.ts';

let outbox: Outbox;
beforeAll(async () => {
  outbox = await openOutbox();
});
afterEach(() => outbox.clear());
afterAll(() => outbox.close());

const URL_OF_NOBODY = 'http://127.0.0.1:9/hook';
const never = new AbortController().signal;

/** Stands in for the optimizer, with the given answer. */
function engineThat(result: Proposal): Pick<Engine, 'suggest' | 'explain'> {
  return { ...explainNothing, suggest: async () => ({ ok: true, result, elapsedNs: 1 }) };
}

const SOLUTION: Proposal = { kind: 'candidate', input: Float64Array.of(3, 7), expected: null, chance: null };
const NOTHING_NEW: Proposal = { kind: 'nothing-new', reason: 'duplicate', bestIndex: 0 };

type Path = { readonly objectiveId: number };

async function suggest(path: Path, engine = engineThat(SOLUTION)): Promise<void> {
  const { db, accountId } = outbox;
  await requestSuggestion(db, accountId, path, { requestId: null });
  const [job] = await claimJobs(db, { limit: 1, leaseMs: 60_000, workerName: 'test' });
  await computeSuggestion({ db, engine, workLimit: 1 }, job!, never);
}

const load = (path: Path, output: readonly number[]) =>
  recordOutput(outbox.db, outbox.accountId, path, { kind: 'output', output, computeTimeNs: null });

/** The events that `work` records. */
async function eventsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = (await outbox.eventNames()).length;
  await work();
  return (await outbox.eventNames()).slice(before);
}

describe('an account with a webhook', () => {
  it('records every event from the project to the satisfied objective', async () => {
    await outbox.register(URL_OF_NOBODY);
    const { path } = await loadLinearObjective(outbox);
    await suggest(path);
    await load(path, linear([3, 7]));
    expect(await outbox.eventNames()).toEqual([
      'project.created',
      'output_cases.loaded',
      'objectives.loaded',
      'inverse.suggested',
      'inverse.output_loaded',
      'objective.satisfied',
    ]);
  });

  it('records the load and the end when the initial point satisfies everything', async () => {
    await outbox.register(URL_OF_NOBODY);
    await loadLinearObjective(outbox, { initialInput: [3, 7], initialOutput: linear([3, 7]) });
    expect((await outbox.eventNames()).slice(-2)).toEqual(['objectives.loaded', 'objective.satisfied']);
  });

  it('records exhaustion by an output, and by a failed run without an output event', async () => {
    await outbox.register(URL_OF_NOBODY);
    const first = await loadLinearObjective(outbox, { maximumAttempts: 1 });
    await suggest(first.path);
    expect(await eventsOf(() => load(first.path, [100, 100, 100]))).toEqual([
      'inverse.output_loaded',
      'objective.exhausted',
    ]);
    const second = await loadLinearObjective(outbox, { maximumAttempts: 1 });
    await suggest(second.path);
    const fail = () => recordOutput(outbox.db, outbox.accountId, second.path, { kind: 'failed', reason: null });
    expect(await eventsOf(fail)).toEqual(['objective.exhausted']);
  });

  it('records a stop by hand once, and a stop because there is nothing new to suggest', async () => {
    await outbox.register(URL_OF_NOBODY);
    const { path } = await loadLinearObjective(outbox);
    const stop = () => stopObjective(outbox.db, outbox.accountId, path);
    expect(await eventsOf(stop)).toEqual(['objective.stopped']);
    expect(await eventsOf(stop)).toEqual([]);
    const other = await loadLinearObjective(outbox);
    expect(await eventsOf(() => suggest(other.path, engineThat(NOTHING_NEW)))).toEqual([
      'inverse.suggested',
      'objective.stopped',
    ]);
  });

  it('records the run that is given up at a stop and its late output alike, whatever the parallelism is or was', async () => {
    await outbox.register(URL_OF_NOBODY);
    const told: (readonly string[])[] = [];
    for (const [parallelism, later] of [[1], [3], [3, 1], [1, 3]] as const) {
      const { path } = await loadLinearObjective(outbox, { parallelism });
      if (later !== undefined) await changeObjective(outbox.db, outbox.accountId, path, { parallelism: later });
      await suggest(path);
      const stopped = await eventsOf(() => stopObjective(outbox.db, outbox.accountId, path));
      const late = await eventsOf(() => load(path, [3, 7, 7]));
      told.push([...stopped, ...late]);
    }
    const expected = ['inverse.stopped', 'objective.stopped', 'inverse.output_loaded'];
    expect(told).toEqual([expected, expected, expected, expected]);
  });

  it('records nothing for a repetition', async () => {
    await outbox.register(URL_OF_NOBODY);
    const { path, trial } = await loadLinearObjective(outbox);
    await suggest(path);
    await load(path, [100, 100, 100]);
    expect(await eventsOf(() => load(path, [100, 100, 100]))).toEqual([]);
    const initialize = () => initializeInverse(outbox.db, outbox.accountId, trial.id, LINEAR_OBJECTIVE);
    expect(await eventsOf(initialize)).toEqual([]);
  });

  it('records nothing for a refused request', async () => {
    await outbox.register(URL_OF_NOBODY);
    const { path, project } = await loadLinearObjective(outbox);
    await suggest(path);
    const attempts = async () => {
      await expect(load(path, [1, 2])).rejects.toThrow();
      const cases = { outputCount: 3, outputCases: Matrix.from(new Array(3).fill([1, 2, 3])), failedCases: [] };
      await expect(loadOutputCases(outbox.db, outbox.accountId, { projectId: project.id }, cases)).rejects.toThrow();
    };
    expect(await eventsOf(attempts)).toEqual([]);
  });

  it('records nothing when the transaction is rolled back after the event', async () => {
    await outbox.register(URL_OF_NOBODY);
    const { path } = await loadLinearObjective(outbox);
    const rolledBack = () =>
      inTransaction(outbox.db, async (trx) => {
        await stopObjective(trx, outbox.accountId, path);
        throw new Error('the commit never comes');
      }).catch(() => undefined);
    expect(await eventsOf(rolledBack)).toEqual([]);
    expect(await outbox.claim()).toHaveLength(3);
  });

  it('opens one delivery for each webhook that subscribes to the event', async () => {
    const all = await outbox.register(URL_OF_NOBODY);
    const one = await outbox.register(URL_OF_NOBODY, ['objectives.loaded']);
    const off = await outbox.register(URL_OF_NOBODY);
    const deps = { db: outbox.db, judgeUrl };
    await updateWebhook(deps, outbox.accountId, off.webhook.id, { enabled: false });
    await loadLinearObjective(outbox);
    const claimed = await outbox.claim();
    const names = (id: number) => claimed.filter(({ webhookId }) => webhookId === id).map(({ event }) => event.name);
    expect(names(all.webhook.id).toSorted()).toEqual(['objectives.loaded', 'output_cases.loaded', 'project.created']);
    expect(names(one.webhook.id)).toEqual(['objectives.loaded']);
    expect(names(off.webhook.id)).toEqual([]);
  });
});

describe('an account without a webhook for the event', () => {
  it('records nothing', async () => {
    await outbox.register(URL_OF_NOBODY, ['objective.satisfied']);
    const other = await ensureAccount(outbox.db, 'other');
    const deps = { db: outbox.db, judgeUrl };
    await createWebhook(deps, other, { url: URL_OF_NOBODY, description: null, eventNames: null });
    await loadLinearObjective(outbox);
    expect(await outbox.eventNames()).toEqual([]);
  });

  it('An account without a webhook for the event writes nothing', async () => {
    await inTransaction(outbox.db, async (trx) => {
      await insertEvents(trx, outbox.accountId, [{ name: 'project.created', resourceId: 1 }]);
      const written = await sql<{ xid: string | null }>`select pg_current_xact_id_if_assigned()::text as xid`.execute(
        trx,
      );
      expect(written.rows[0]!.xid).toBeNull();
    });
  });
});

it('a concurrent deletion of the webhook does not fail the business transaction', async () => {
  const { db, accountId } = outbox;
  const { webhook } = await outbox.register(URL_OF_NOBODY);
  const { path } = await loadLinearObjective(outbox);
  await outbox.clear();
  const again = await outbox.register(URL_OF_NOBODY);
  expect(again.webhook.id).not.toBe(webhook.id);
  const isLocked = Promise.withResolvers<void>();
  const isWaiting = Promise.withResolvers<void>();
  const deletion = inTransaction(db, async (trx) => {
    await deleteWebhook(trx, accountId, again.webhook.id);
    isLocked.resolve();
    await isWaiting.promise;
  });
  await isLocked.promise;
  const stopping = stopObjective(db, accountId, path);
  await untilSomebodyWaits();
  isWaiting.resolve();
  await deletion;
  expect((await stopping).stopReason).toBe(StopReason.stopped);
  expect(await outbox.eventNames()).toEqual([]);
});

/** Polls the server until a session waits for a lock. */
async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(outbox.db);
    if (rows.length > 0) return;
  }
}
