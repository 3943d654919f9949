/** The scheduled count of what accounts store: after a pass it equals the truth, and the quota is judged by it. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countStorage } from '../../../src/application/accounts/count-storage.ts';
import { readAccount } from '../../../src/application/accounts/read-account.ts';
import { purgeAtOnce, purgeDeleted } from '../../../src/application/deletion/purge-deleted.ts';
import { createModel, deleteModel, updateModel } from '../../../src/application/problem/manage-models.ts';
import { loadObjectives } from '../../../src/application/search/load-objectives.ts';
import { recordOutput } from '../../../src/application/search/record-output.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { createWebhook, deleteWebhook } from '../../../src/application/webhooks/manage-webhooks.ts';
import { readUsage, takeCounting } from '../../../src/db/accounts/account-usage.ts';
import { purgeExpiredKeys, storeOutcome } from '../../../src/db/accounts/idempotency-keys.ts';
import { inTransaction } from '../../../src/db/connection/transaction.ts';
import { saveExplanation } from '../../../src/db/search/explanations.ts';
import { NO_QUOTA } from '../../../src/domain/accounts/storage.ts';
import {
  LINEAR_OBJECTIVE,
  linear,
  loadLinearObjective,
  openTestAccount,
  type TestAccount,
} from '../../support/fixtures.ts';
import { countAll, listCounted, listStored } from '../../support/stored.ts';

let t: TestAccount;
beforeAll(async () => {
  t = await openTestAccount();
});
afterAll(() => t.close());

async function counted() {
  return (await readAccount(t.db, t.accountId)).usage;
}

/** After a pass that counts every slice, which equals the truth. */
async function count() {
  await countAll(t.db);
  expect(await listCounted(t.db)).toEqual(await listStored(t.db));
  return counted();
}

async function addedBy(work: () => Promise<unknown>) {
  const before = await count();
  await work();
  const after = await count();
  return { bytes: after.bytes - before.bytes, rows: after.rows - before.rows };
}

/** As a worker would. */
async function finishInverse(inverseId: number): Promise<void> {
  await sql`delete from suggestion_jobs where inverse_id = ${inverseId}`.execute(t.db);
  await sql`update inverses set input = '{1,2}', suggested_at = now() where id = ${inverseId}`.execute(t.db);
}

/** Lets so much time pass since the last count of every slice. */
const age = (interval: string) =>
  sql`update storage_slices set counted_at = counted_at - ${interval}::interval, grown_at = grown_at - ${interval}::interval`.execute(
    t.db,
  );

const forgetCounts = () => sql`truncate account_usage, storage_slices, storage_counts, storage_changes`.execute(t.db);

describe('the count of storage', () => {
  it('An account that was never counted stores nothing, and its first requests work under a quota', async () => {
    expect(await readUsage(t.db, t.accountId)).toEqual({ bytes: 0, rows: 0 });
    const quota = { storedBytes: 10_000, storedRows: 100 };
    const first = { name: 'first', description: null };
    await expect(createModel(t.db, t.accountId, first, quota)).resolves.toBeDefined();
    expect((await count()).rows).toBe(1);
  });

  it('A pass counts every record by its size', async () => {
    let loaded: Awaited<ReturnType<typeof loadLinearObjective>>;
    const added = await addedBy(async () => {
      loaded = await loadLinearObjective(t);
    });
    // Model, project, set, trial, objective, iteration 1.
    expect(added.rows).toBe(6);
    expect(added.bytes).toBeGreaterThan(256 + 1024 + 512 + 256 + 512 + 192);
    const explain = () =>
      saveExplanation(
        t.db,
        t.accountId,
        { ...loaded!.path, inverseId: 1 },
        { caseCount: 1, insight: null, diagnosis: null },
      );
    const explained = await addedBy(explain);
    expect(explained.rows).toBe(0);
    expect(explained.bytes).toBeGreaterThan(128);
  });

  it('A changed text of a model counts with the next pass', async () => {
    const { id } = await createModel(t.db, t.accountId, { name: crypto.randomUUID(), description: null });
    const describeAs = (description: string | null) => () => updateModel(t.db, t.accountId, id, { description });
    const before = await count();
    for (const [text, bytes] of [['x'.repeat(5_000), 5_000] as const, [null, 0] as const]) {
      await describeAs(text)();
      expect(await countStorage(t.db)).toEqual({ slices: 1 });
      expect(await counted()).toEqual({ bytes: before.bytes + bytes, rows: before.rows });
    }
  });

  it('An output and the reason of a failure count when their slice is counted again, a minute later', async () => {
    const { path } = await loadLinearObjective(t);
    const { inverse } = await requestSuggestion(t.db, t.accountId, path, { requestId: null });
    await finishInverse(inverse.id);
    const before = await count();
    await recordOutput(t.db, t.accountId, path, { kind: 'failed', reason: 'r'.repeat(100) });
    await countStorage(t.db);
    expect(await counted()).toEqual(before);
    await age('1 minute');
    await countStorage(t.db);
    expect((await counted()).bytes - before.bytes).toBe(101);
  });

  it('A slice that no longer grows is counted ever more rarely, and once a day at least', async () => {
    await count();
    expect(await countStorage(t.db)).toEqual({ slices: 0 });
    await sql`update storage_slices set grown_at = counted_at - interval '1 hour'`.execute(t.db);
    await age('29 minutes');
    expect(await countStorage(t.db)).toEqual({ slices: 0 });
    await age('2 minutes');
    expect((await countStorage(t.db)).slices).toBeGreaterThan(0);
    await sql`update storage_slices set grown_at = counted_at - interval '1 year'`.execute(t.db);
    await age('25 hours');
    expect((await countStorage(t.db)).slices).toBeGreaterThan(0);
  });

  it('A record of a transaction that commits after the count of its slice is found a minute later', async () => {
    const model = () => ({ name: crypto.randomUUID(), description: null });
    await count();
    await t.db.transaction().execute(async (trx) => {
      await createModel(trx, t.accountId, model());
      await createModel(t.db, t.accountId, model());
      await countStorage(t.db);
    });
    expect(await listCounted(t.db)).not.toEqual(await listStored(t.db));
    await age('1 minute');
    await countStorage(t.db);
    expect(await listCounted(t.db)).toEqual(await listStored(t.db));
  });

  it('Every slice is counted by itself, and records of several slices add up', async () => {
    await sql`select setval(pg_get_serial_sequence('models', 'id'), 50000)`.execute(t.db);
    const add = () => createModel(t.db, t.accountId, { name: crypto.randomUUID(), description: null });
    expect(await addedBy(add)).toEqual({ bytes: 256 + 36, rows: 1 });
    const { rows } = await sql<{ slice: number }>`
      select distinct slice from storage_counts where kind = 'models' order by 1`.execute(t.db);
    expect(rows.map(({ slice }) => slice)).toEqual([0, 3]);
  });

  it('Webhooks, events and deliveries count, and are forgotten when they go', async () => {
    const { db, accountId } = t;
    const judged = { db, judgeUrl: () => undefined };
    const url = { url: 'https://a.example/', description: null, eventNames: null };
    const before = await count();
    const { webhook } = await createWebhook(judged, accountId, url);
    await createWebhook(judged, accountId, url);
    const { trial } = await loadLinearObjective(t);
    await count();
    const load = () => loadObjectives(db, accountId, { trialId: trial.id }, LINEAR_OBJECTIVE);
    const added = await addedBy(load);
    expect(added.rows).toBe(2);
    expect(added.bytes).toBeGreaterThan(512 + 8 * 2 + 48 * 3 + 192 + 192 + 2 * 320);
    expect((await addedBy(() => deleteWebhook(db, accountId, webhook.id))).rows).toBe(-1);
    await sql`delete from events`.execute(db);
    await sql`delete from webhooks`.execute(db);
    expect((await count()).rows - before.rows).toBe(6 + 2);
  });

  it('Large stored answers count until they are purged, small ones not at all', async () => {
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
    await sql`update idempotency_keys set created_at = now() - interval '25 hours'`.execute(db);
    await forgetCounts();
    const before = await count();
    expect(await purgeExpiredKeys(db)).toBe(2);
    await countStorage(db);
    expect(await counted()).toEqual({ bytes: before.bytes - bytes, rows: before.rows });
    await sql`update storage_slices set grown_at = grown_at - interval '2 days'`.execute(db);
    await count();
    const { rows: left } = await sql`select from storage_slices where kind = 'idempotency_keys'`.execute(db);
    expect(left).toEqual([]);
  });

  it('A deletion still counts, and its purge frees the storage with the next pass', async () => {
    const before = await count();
    const { model, path } = await loadLinearObjective(t);
    const { inverse } = await requestSuggestion(t.db, t.accountId, path, { requestId: null });
    await finishInverse(inverse.id);
    const full = await count();
    await deleteModel(t.db, t.accountId, model.id);
    expect(await count()).toEqual(full);
    await purgeAtOnce(t.db, t.accountId, null);
    await purgeDeleted(t.db, { keptDays: 30 });
    await countStorage(t.db);
    expect(await counted()).toEqual(before);
  });

  it('Every table of an account counts, except those that are bounded otherwise', async () => {
    const { rows } = await sql<{ name: string }>`
      select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not exists (
        select from pg_depend d join pg_rewrite r on r.oid = d.objid
        where r.ev_class = 'stored_records'::regclass and d.refobjid = c.oid)
      order by 1`.execute(t.db);
    expect(rows.map(({ name }) => name)).toEqual([
      'account_usage',
      'api_keys',
      'browser_sessions',
      'deletions',
      'invitations',
      'memberships',
      'page_drafts',
      'sign_in_links',
      'storage_counts',
      'suggestion_jobs',
      'webhook_previous_secrets',
    ]);
  });

  it('Counts that were lost are made again', async () => {
    const before = await count();
    await forgetCounts();
    expect(await counted()).toEqual({ bytes: 0, rows: 0 });
    expect(await count()).toEqual(before);
  });

  it('One process counts at a time, and others leave it to that one', async () => {
    await count();
    await createModel(t.db, t.accountId, { name: crypto.randomUUID(), description: null });
    await t.db.transaction().execute(async (trx) => {
      expect(await takeCounting(trx)).toBe(true);
      expect(await countStorage(t.db)).toEqual({ slices: 0 });
    });
    expect(await countStorage(t.db)).toEqual({ slices: 1 });
    expect(await countStorage(t.db, AbortSignal.abort())).toEqual({ slices: 0 });
  });

  it('Passes at the same time as writers leave a count that equals the truth', async () => {
    const { trial } = await loadLinearObjective(t);
    const write = async (i: number) => {
      if (i % 4 === 0) return countStorage(t.db);
      if (i % 4 === 1) return createModel(t.db, t.accountId, { name: crypto.randomUUID(), description: null });
      const objective = await loadObjectives(t.db, t.accountId, { trialId: trial.id }, LINEAR_OBJECTIVE);
      return requestSuggestion(t.db, t.accountId, { objectiveId: objective.id }, { requestId: null });
    };
    const before = await count();
    await Promise.all(Array.from({ length: 40 }, (_, i) => write(i)));
    expect((await count()).rows).toBeGreaterThanOrEqual(before.rows + 10 + 20 * 3);
  });
});

describe('a quota', () => {
  const limits = { ...NO_QUOTA, openObjectives: 0, queuedSuggestions: 0, cases: 0, cells: 0 };

  it('A quota may be passed until the next pass, then refuses a suggestion, and accepts the output of an open one', async () => {
    const { path } = await loadLinearObjective(t);
    const storedRows = (await count()).rows + 1;
    const ask = () =>
      requestSuggestion(t.db, t.accountId, path, { requestId: null, limits: { ...limits, storedRows } });
    const output = { kind: 'output', output: linear([1, 2]), computeTimeNs: null } as const;
    for (const _ of [1, 2]) {
      await finishInverse((await ask()).inverse.id);
      await recordOutput(t.db, t.accountId, path, output);
    }
    const open = await ask();
    await finishInverse(open.inverse.id);
    const after = await count();
    expect(after.rows).toBe(storedRows + 2);
    await recordOutput(t.db, t.accountId, path, output);
    await expect(ask()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await counted()).toEqual(after);
  });

  it('A quota of bytes names the usage, the quota and what to do', async () => {
    await count();
    const quota = { storedBytes: 1_000, storedRows: 0 };
    const refused = createModel(t.db, t.accountId, { name: 'one too many', description: null }, quota);
    await expect(refused).rejects.toThrow(
      /^This account stores [\d,]+ bytes in [\d,]+ rows; its quota is 1,000 bytes\. Delete .* purge .* counted once a minute/,
    );
  });
});
