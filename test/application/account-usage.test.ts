/** What the triggers count equals a full recount after any writes, by any process, however concurrent. */
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAccount } from '../../src/application/accounts/read-account.ts';
import { createModel, deleteModel, updateModel } from '../../src/application/data/manage-models.ts';
import { loadObjectives } from '../../src/application/search/load-objectives.ts';
import { recordOutput } from '../../src/application/search/record-output.ts';
import { requestSuggestion } from '../../src/application/search/suggest.ts';
import { createWebhook } from '../../src/application/webhooks/manage-webhooks.ts';
import { inTransaction } from '../../src/db/connection/transaction.ts';
import { storeOutcome } from '../../src/db/idempotency-keys.ts';
import { saveExplanation } from '../../src/db/search/explanations.ts';
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
async function finishInverse(inverseId: number): Promise<void> {
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

describe('the usage of an account', () => {
  it('The usage of an account grows with every record, by its size', async () => {
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

  it('The usage of an account grows with suggestions in lots that include room for outputs, which then add nothing', async () => {
    const { path } = await loadLinearObjective(t);
    const bytes = 256 + 8 * (2 + 3 * 3);
    const output = { kind: 'output', output: linear([1, 2]), computeTimeNs: null } as const;
    const lots = [];
    for (let iteration = 2; iteration <= 33; iteration++) {
      let inverseId = 0;
      const added = await addedBy(async () => {
        inverseId = (await requestSuggestion(t.db, t.accountId, path, { requestId: null })).inverse.id;
      });
      expect(added.bytes).toBe(added.rows * bytes);
      if (added.rows > 0) lots.push([iteration, added.rows]);
      const rest = await addedBy(() =>
        finishInverse(inverseId).then(() => recordOutput(t.db, t.accountId, path, output)),
      );
      expect(rest).toEqual({ bytes: 0, rows: 0 });
    }
    expect(lots).toEqual([
      [2, 2],
      [4, 4],
      [8, 8],
      [16, 16],
      [32, 16],
    ]);
    const { inverse } = await requestSuggestion(t.db, t.accountId, path, { requestId: null });
    await finishInverse(inverse.id);
    const failed = { kind: 'failed', reason: 'r'.repeat(777) } as const;
    expect(await addedBy(() => recordOutput(t.db, t.accountId, path, failed))).toEqual({ bytes: 777, rows: 0 });
  });

  it('The usage of an account grows once with the explanation of an objective, however often that changes', async () => {
    const { path } = await loadLinearObjective(t);
    const explain = (caseCount: number) => () =>
      saveExplanation(
        t.db,
        t.accountId,
        { ...path, inverseId: caseCount },
        { caseCount, insight: null, diagnosis: null },
      );
    expect(await addedBy(explain(10))).toEqual({ bytes: 512 + 40 * 2 * 3 + 96 * 3 + 16 * 2, rows: 0 });
    expect(await addedBy(explain(11))).toEqual({ bytes: 0, rows: 0 });
  });

  it('The usage of an account counts webhooks, events and deliveries, and forgets them when they go', async () => {
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
    const plain = 512 + 8 * 2 + 48 * 3 + 256 + 8 * (2 + 3 * 3);
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

  it('The usage of an account counts the bytes of large stored answers until they are purged, and small ones not at all', async () => {
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

  it('The usage of an account stays exact while many transactions write and some roll back', async () => {
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
    expect((await addedBy(writeAll)).rows).toBe(10 + 4 * 20);
  });

  it('The usage of an account is counted without waiting for another transaction of it', async () => {
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

  it('The statement of docs/storage.md corrects the usage after rows were changed behind the triggers', async () => {
    const docs = await readFile(new URL('../../docs/storage.md', import.meta.url), 'utf8');
    const statement = /```sql\n([\s\S]*?)```/.exec(docs)![1]!;
    await addedBy(() => sql.raw(statement).execute(t.db));
    await sql`insert into account_usage (account_id, stored_bytes, stored_rows) values (${t.accountId}, 77, -7)`.execute(
      t.db,
    );
    expect(await counted()).not.toEqual(await stored());
    await sql.raw(statement).execute(t.db);
    expect(await counted()).toEqual(await stored());
  });

  it('The usage of an account does not shrink with a deletion', async () => {
    const { model } = await loadLinearObjective(t);
    expect(await addedBy(() => deleteModel(t.db, t.accountId, model.id))).toEqual({ bytes: 0, rows: 0 });
  });
});

describe('a quota', () => {
  const limits = { ...NO_QUOTA, openObjectives: 0, queuedSuggestions: 0, cases: 0, cells: 0 };

  it('A quota of rows refuses a suggestion without room, leaves nothing behind, and accepts the output of an open one', async () => {
    const { path } = await loadLinearObjective(t);
    const ask = async (more: number) => {
      const storedRows = (await counted()).rows + more;
      return requestSuggestion(t.db, t.accountId, path, { requestId: null, limits: { ...limits, storedRows } });
    };
    const output = { kind: 'output', output: linear([1, 2]), computeTimeNs: null } as const;
    // Iteration 2 makes room for 3 too.
    for (const more of [2, 0]) {
      await finishInverse((await ask(more)).inverse.id);
      await recordOutput(t.db, t.accountId, path, output);
    }
    const before = await counted();
    await expect(ask(3)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await counted()).toEqual(before);
    expect((await ask(4)).inverse.iteration).toBe(4);
  });

  it('A quota of bytes names the usage, the quota and what to do', async () => {
    const quota = { storedBytes: 1_000, storedRows: 0 };
    const refused = createModel(t.db, t.accountId, { name: 'one too many', description: null }, quota);
    await expect(refused).rejects.toThrow(
      /^This account stores [\d,]+ bytes in [\d,]+ rows; its quota is 1,000 bytes\. Delete .* \(DELETE \/v1\/deleted\)/,
    );
  });
});
