/** What triggers count must equal what is there, counted anew, whatever was written, by whom, and at the same time. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadObjectives } from '../../src/application/load-objectives.ts';
import { createModel, deleteModel, updateModel } from '../../src/application/manage-models.ts';
import { createWebhook } from '../../src/application/manage-webhooks.ts';
import { readAccount } from '../../src/application/read-account.ts';
import { recordOutput } from '../../src/application/record-output.ts';
import { requestSuggestion } from '../../src/application/request-suggestion.ts';
import { saveExplanation } from '../../src/db/explanations.ts';
import { storeOutcome } from '../../src/db/idempotency-keys.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { NO_QUOTA } from '../../src/domain/storage.ts';
import {
  LINEAR_OBJECTIVE,
  linear,
  loadLinearObjective,
  openTestAccount,
  type TestAccount,
} from '../support/fixtures.ts';

let t: TestAccount;
beforeAll(async () => {
  t = await openTestAccount();
});
afterAll(() => t.close());

async function counted() {
  return (await readAccount(t.db, t.accountId)).usage;
}

/** Everything that is stored, added up. */
async function stored() {
  const { rows } = await sql<{ bytes: number; rows: number }>`
    select stored_bytes as bytes, stored_rows as rows from stored_data where account_id = ${t.accountId}`.execute(t.db);
  return rows[0]!;
}

/** As a worker would. */
async function settle(inverseId: number): Promise<void> {
  await sql`delete from suggestion_jobs where inverse_id = ${inverseId}`.execute(t.db);
  await sql`update inverses set input = '{1,2}', suggested_at = now() where id = ${inverseId}`.execute(t.db);
}

async function addedBy(work: () => Promise<unknown>) {
  const before = await counted();
  await work();
  const after = await counted();
  expect(after).toEqual(await stored());
  return { bytes: after.bytes - before.bytes, rows: after.rows - before.rows };
}

describe('what an account keeps', () => {
  it('grows with every record, by what it holds', async () => {
    let loaded: Awaited<ReturnType<typeof loadLinearObjective>>;
    const added = await addedBy(async () => {
      loaded = await loadLinearObjective(t);
    });
    // Model, project, set, trial, objective, iteration 1.
    expect(added.rows).toBe(6);
    const description = 'x'.repeat(5_000);
    const { id } = loaded!.model;
    expect(await addedBy(() => updateModel(t.db, t.accountId, id, { description }))).toEqual({ bytes: 5_000, rows: 0 });
    expect(await addedBy(() => updateModel(t.db, t.accountId, id, { name: 'another name' }))).toMatchObject({
      rows: 0,
    });
    expect(await addedBy(() => updateModel(t.db, t.accountId, id, { description: null }))).toEqual({
      bytes: -5_000,
      rows: 0,
    });
  });

  it('grows with a suggestion by the room for its input and output, and with its output by nothing more', async () => {
    const { path } = await loadLinearObjective(t);
    let inverseId = 0;
    const ask = async () => {
      inverseId = (await requestSuggestion(t.db, t.accountId, path, { requestId: null })).inverse.id;
    };
    const bytes = 256 + 8 * (2 + 3);
    expect(await addedBy(ask)).toEqual({ bytes, rows: 1 });
    expect(await addedBy(() => settle(inverseId))).toEqual({ bytes: 0, rows: 0 });
    const output = { kind: 'output', output: linear([1, 2]), computeTimeNs: null } as const;
    expect(await addedBy(() => recordOutput(t.db, t.accountId, path, output))).toEqual({ bytes: 0, rows: 0 });
    expect(await addedBy(ask)).toEqual({ bytes, rows: 1 });
    await settle(inverseId);
    const failed = { kind: 'failed', reason: 'r'.repeat(777) } as const;
    expect(await addedBy(() => recordOutput(t.db, t.accountId, path, failed))).toEqual({ bytes: 777, rows: 0 });
  });

  it('counts an explanation for what it is now', async () => {
    const { path } = await loadLinearObjective(t);
    const explain = (count: number) => () =>
      saveExplanation(t.db, t.accountId, path.objectiveId, {
        caseCount: count,
        insight: [
          {
            crossValidated: { r2: 0.5, rmse: 0.1 },
            sensitivity: Array.from({ length: count }, (_, i) => Math.sin(i)),
            sensitivityRanges: null,
          },
        ],
        diagnosis: null,
      });
    const first = await addedBy(explain(10));
    expect(first.bytes).toBeGreaterThan(100);
    expect(first.rows).toBe(0);
    expect((await addedBy(explain(400))).bytes).toBeGreaterThan(first.bytes);
  });

  it('counts webhooks, their events and deliveries, and forgets them when they go', async () => {
    const { db, accountId } = t;
    let webhookId = 0;
    const judged = { db, judgeUrl: () => undefined };
    const register = async () => {
      const made = await createWebhook(judged, accountId, {
        url: 'https://a.example/',
        description: null,
        eventNames: null,
      });
      webhookId = made.webhook.id;
    };
    expect(await addedBy(register)).toEqual({ bytes: 1024, rows: 1 });
    await addedBy(register);
    // Four events, two deliveries each: project created, cases loaded, objectives loaded, one suggested by nobody.
    const { trial } = await loadLinearObjective(t);
    const load = () => loadObjectives(db, accountId, { trialId: trial.id }, LINEAR_OBJECTIVE);
    const plain = 512 + 8 * 2 + 48 * 3 + 256 + 8 * 5;
    expect(await addedBy(load)).toEqual({ bytes: plain + 192 + 2 * 320, rows: 2 });
    const deliveries = await db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook_id', '=', webhookId)
      .execute();
    const removed = await addedBy(() => sql`delete from webhooks where id = ${webhookId}`.execute(db));
    expect(removed).toEqual({ bytes: -1024 - 320 * deliveries.length, rows: -1 });
    await addedBy(() => sql`delete from events`.execute(db));
    await addedBy(() => sql`delete from webhooks`.execute(db));
  });

  it('counts large answers kept for a key in bytes, until they are purged, and small ones not at all', async () => {
    const { db, accountId } = t;
    const keep = (key: string, outcome: object) => () =>
      inTransaction(db, (trx) =>
        storeOutcome(
          trx,
          { accountId, method: 'POST', path: '/x', key, fingerprint: Buffer.alloc(32) },
          { version: null },
          outcome,
        ),
      );
    expect(await addedBy(keep('small', { kind: 'x' }))).toEqual({ bytes: 0, rows: 0 });
    const random = Array.from({ length: 3_000 }, () => Math.random());
    const { bytes, rows } = await addedBy(keep('large', { kind: 'x', random }));
    expect(rows).toBe(0);
    expect(bytes).toBeGreaterThan(8 * 3_000);
    const again = sql`update idempotency_keys set outcome = '{"kind": "y"}' where key = 'large'`;
    expect(await addedBy(() => again.execute(db))).toEqual({ bytes: -bytes, rows: 0 });
    await addedBy(keep('other', { kind: 'x', random }));
    const purge = () => sql`delete from idempotency_keys where created_at <= now()`.execute(db);
    expect((await addedBy(purge)).bytes).toBeLessThan(-8 * 3_000);
  });

  it('stays exact while many write at once, transactions that are undone included', async () => {
    const { trial } = await loadLinearObjective(t);
    const write = async (i: number) => {
      if (i % 4 === 0) {
        return createModel(t.db, t.accountId, { name: `at once ${i}`, description: null }).then(({ id }) =>
          updateModel(t.db, t.accountId, id, { description: 'y'.repeat(10 * i + 8) }),
        );
      }
      if (i % 4 === 1) {
        const undone = t.db.transaction().execute(async (trx) => {
          await createModel(trx, t.accountId, { name: `undone ${i}`, description: null });
          throw new Error('undone');
        });
        return expect(undone).rejects.toThrow('undone');
      }
      const objective = await loadObjectives(t.db, t.accountId, { trialId: trial.id }, LINEAR_OBJECTIVE);
      return requestSuggestion(t.db, t.accountId, { objectiveId: objective.id }, { requestId: null });
    };
    const writeAll = () => Promise.all(Array.from({ length: 40 }, (_, i) => write(i)));
    expect((await addedBy(writeAll)).rows).toBe(10 + 3 * 20);
  });

  it('is counted without waiting for another transaction of the account', async () => {
    const model = (name: string) => ({ name: `${name} ${crypto.randomUUID()}`, description: null });
    const before = await counted();
    await t.db.transaction().execute(async (trx) => {
      await createModel(trx, t.accountId, model('first'));
      await createModel(t.db, t.accountId, model('second'));
      // The first is not committed yet.
      expect((await counted()).rows).toBe(before.rows + 1);
    });
    expect((await counted()).rows).toBe(before.rows + 2);
  });

  it('does not shrink by a deletion', async () => {
    const { model } = await loadLinearObjective(t);
    expect(await addedBy(() => deleteModel(t.db, t.accountId, model.id))).toEqual({ bytes: 0, rows: 0 });
  });
});

describe('a quota', () => {
  const limits = { ...NO_QUOTA, openObjectives: 0, queuedSuggestions: 0, cases: 0, cells: 0 };

  it('of rows refuses a suggestion that has no room, leaves nothing behind, and takes the output of an open one', async () => {
    const { path } = await loadLinearObjective(t);
    const options = async (more: number) => ({
      requestId: null,
      limits: { ...limits, storedRows: (await counted()).rows + more },
    });
    const { inverse } = await requestSuggestion(t.db, t.accountId, path, await options(1));
    await settle(inverse.id);
    const output = { kind: 'output', output: linear([1, 2]), computeTimeNs: null } as const;
    await recordOutput(t.db, t.accountId, path, output);
    const before = await counted();
    await expect(requestSuggestion(t.db, t.accountId, path, await options(0))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    expect(await counted()).toEqual(before);
  });

  it('of bytes tells what is kept, what may be kept and what to do', async () => {
    const quota = { storedBytes: 1_000, storedRows: 0 };
    const refused = createModel(t.db, t.accountId, { name: 'one too many', description: null }, quota);
    await expect(refused).rejects.toThrow(
      /^This account keeps [\d,]+ bytes in [\d,]+ rows; it may keep 1,000 bytes\. Delete .* \(DELETE \/v1\/deleted\)/,
    );
  });
});
