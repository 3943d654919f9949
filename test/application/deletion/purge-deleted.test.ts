/** The purge: records that are due are removed for good with everything below them, and nothing else is. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { countStorage } from '../../../src/application/accounts/count-storage.ts';
import { correctCase, correctInverse } from '../../../src/application/corrections/correct-run.ts';
import { createTrial, deleteTrial } from '../../../src/application/data/manage-trials.ts';
import { listDeleted, purgeAtOnce, purgeDeleted } from '../../../src/application/deletion/purge-deleted.ts';
import { deleteModel } from '../../../src/application/problem/manage-models.ts';
import { deleteProject } from '../../../src/application/problem/manage-projects.ts';
import { loadObjectives } from '../../../src/application/search/load-objectives.ts';
import { deleteObjective } from '../../../src/application/search/read-objectives.ts';
import { recordOutput } from '../../../src/application/search/record-output.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { createWebhook } from '../../../src/application/webhooks/manage-webhooks.ts';
import { inTransaction } from '../../../src/db/connection/transaction.ts';
import { removeSome } from '../../../src/db/deletion/purge.ts';
import { saveExplanation } from '../../../src/db/search/explanations.ts';
import { insertEvents } from '../../../src/db/webhooks/events.ts';
import {
  LINEAR_OBJECTIVE,
  linear,
  loadLinearObjective,
  openTestAccount,
  type TestAccount,
} from '../../support/fixtures.ts';
import { countAll, listCounted, listStored } from '../../support/stored.ts';

const KEPT_DAYS = 30;

let t: TestAccount;
beforeAll(async () => {
  t = await openTestAccount();
});
afterAll(() => t.close());
afterEach(async () => {
  await sql`truncate deletions, events, webhooks, webhook_deliveries, webhook_previous_secrets`.execute(t.db);
});

const TABLES = [
  'models',
  'projects',
  'output_case_sets',
  'trials',
  'objectives',
  'inverses',
  'explanations',
  'suggestion_jobs',
  'events',
  'webhook_deliveries',
  'deletions',
] as const;

async function countRows(): Promise<Readonly<Record<(typeof TABLES)[number], number>>> {
  const counts = TABLES.map((table) => sql`(select count(*)::int from ${sql.table(table)}) as ${sql.ref(table)}`);
  const { rows } = await sql<Record<(typeof TABLES)[number], number>>`select ${sql.join(counts)}`.execute(t.db);
  return rows[0]!;
}

const age = (days: number) =>
  sql`update deletions set counts_from = counts_from - ${days} * interval '1 day'`.execute(t.db);
/** The pass that counts storage then knows what is gone. */
async function purge() {
  await countAll(t.db);
  const counts = await purgeDeleted(t.db, { keptDays: KEPT_DAYS });
  await countStorage(t.db);
  expect(await listCounted(t.db)).toEqual(await listStored(t.db));
  return counts;
}
/** Makes everything deleted so far due, and purges it. */
async function purgeAll() {
  await age(KEPT_DAYS + 1);
  return purge();
}

/** As a worker would. */
async function finishInverse(inverseId: number): Promise<void> {
  await sql`delete from suggestion_jobs where inverse_id = ${inverseId}`.execute(t.db);
  await sql`update inverses set input = '{1,2}', suggested_at = now() where id = ${inverseId}`.execute(t.db);
}

/** A whole tree with everything that can hang on it: another trial, explanations, open and completed inverses, a waiting job. */
async function growTree() {
  const { db, accountId } = t;
  const grown = await loadLinearObjective(t);
  const other = await createTrial(db, accountId, { projectId: grown.project.id }, { outputCaseSetId: null });
  const second = await loadObjectives(db, accountId, { trialId: other.id }, LINEAR_OBJECTIVE);
  const { inverse } = await requestSuggestion(db, accountId, grown.path, { requestId: null });
  await finishInverse(inverse.id);
  await recordOutput(db, accountId, grown.path, { kind: 'output', output: linear([1, 2]), computeTimeNs: null });
  await requestSuggestion(db, accountId, grown.path, { requestId: null });
  const explanation = { caseCount: 3, insight: null, diagnosis: null };
  await saveExplanation(db, accountId, { objectiveId: grown.objective.id, inverseId: inverse.id }, explanation);
  await saveExplanation(db, accountId, { objectiveId: second.id, inverseId: inverse.id }, explanation);
  return { ...grown, other, second, lastInverseId: inverse.id };
}

type Tree = Awaited<ReturnType<typeof growTree>>;

const DELETIONS: Readonly<Record<string, (tree: Tree) => Promise<void>>> = {
  model: ({ model }) => deleteModel(t.db, t.accountId, model.id),
  project: ({ project }) => deleteProject(t.db, t.accountId, { projectId: project.id }),
  trial: ({ trial }) => deleteTrial(t.db, t.accountId, { trialId: trial.id }),
  objective: ({ path }) => deleteObjective(t.db, t.accountId, path),
};

/** Rows that are gone when a tree has lost what was deleted of it. */
const REMOVED: Readonly<Record<string, Partial<Awaited<ReturnType<typeof countRows>>>>> = {
  model: { models: 1, projects: 1, output_case_sets: 1, trials: 2, objectives: 2, inverses: 4, explanations: 2 },
  project: { projects: 1, output_case_sets: 1, trials: 2, objectives: 2, inverses: 4, explanations: 2 },
  trial: { trials: 1, objectives: 1, inverses: 3, explanations: 1 },
  objective: { objectives: 1, inverses: 3, explanations: 1 },
};

it('Added cases of a deleted trial are purged some at a time, and counted', async () => {
  const { model, trial } = await growTree();
  await sql`
    insert into added_cases (account_id, trial_id, revision, first_number, case_count, inputs, outputs, failed_cases)
    select ${t.accountId}, ${trial.id}, n, n + 2, 1, '{{1,2}}', '{{1,2,3}}', '{}' from generate_series(1, 4500) n`.execute(
    t.db,
  );
  await deleteTrial(t.db, t.accountId, { trialId: trial.id });
  const left: number[] = [];
  for (let removed: unknown = 0; removed !== 'gone'; ) {
    removed = await inTransaction(t.db, (trx) =>
      removeSome(trx, { id: 0, kind: 'trial', recordId: trial.id, accountId: t.accountId, modelId: model.id }),
    );
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from added_cases where trial_id = ${trial.id}`.execute(t.db);
    left.push(rows[0]!.count);
  }
  expect([...new Set(left)]).toEqual([4500, 2500, 500, 0]);
});

describe.each(Object.keys(DELETIONS))('a deleted %s', (kind) => {
  it('A deleted record is kept for its time and then purged with everything below it, and nothing else', async () => {
    await growTree();
    const tree = await growTree();
    await DELETIONS[kind]!(tree);
    const before = await countRows();
    expect(before.deletions).toBe(1);
    expect(await purge()).toEqual({ rows: 0, deletions: 0 });
    await age(KEPT_DAYS - 1);
    expect(await purge()).toEqual({ rows: 0, deletions: 0 });
    expect(await countRows()).toEqual(before);
    await age(1);
    const { rows, deletions } = await purge();
    expect(deletions).toBe(1);
    const removed = REMOVED[kind]!;
    const after = await countRows();
    for (const table of TABLES) {
      const gone = table === 'deletions' ? 1 : (removed[table] ?? 0);
      expect([table, before[table] - after[table]]).toEqual([table, gone]);
    }
    const { explanations = 0, ...counted } = removed;
    expect(explanations).toBeGreaterThan(0);
    expect(rows).toBe(Object.values(counted).reduce((sum, count) => sum + count, 0));
    expect(await purge()).toEqual({ rows: 0, deletions: 0 });
  });

  it('A purged record takes its events and their deliveries along, even unfinished ones', async () => {
    const register = () =>
      createWebhook({ db: t.db, judgeUrl: () => undefined }, t.accountId, {
        url: 'https://receiver.example/',
        description: null,
        eventNames: null,
      });
    await register();
    await register();
    const kept = await growTree();
    const tree = await growTree();
    const suggested = (inverseId: number) =>
      inTransaction(t.db, (trx) =>
        insertEvents(trx, t.accountId, [{ name: 'inverse.suggested', resourceId: inverseId }]),
      );
    await suggested(kept.lastInverseId);
    await suggested(tree.lastInverseId);
    const before = await countRows();
    await DELETIONS[kind]!(tree);
    await purgeAll();
    // Events of the deleted objective: loaded, its inverse suggested, the output of that loaded.
    const events = { model: 6, project: 6, trial: 4, objective: 3 }[kind]!;
    const after = await countRows();
    expect(before.events - after.events).toBe(events);
    expect(before.webhook_deliveries - after.webhook_deliveries).toBe(2 * events);
    const { rows } = await sql`
      select from events e where not exists (
        select from projects where id = e.resource_id and e.name = 'project.created'
        union all select from trials where id = e.resource_id and e.name = 'output_cases.loaded'
        union all select from objectives where id = e.resource_id and e.name like any ('{objective%,inverse.output_loaded}')
        union all select from inverses where id = e.resource_id and e.name = 'inverse.suggested')`.execute(t.db);
    expect(rows).toEqual([]);
  });
});

describe('the purge', () => {
  it('A purged objective takes the corrections of its inverses along, and a purged trial all that are left', async () => {
    const { trial, objective, path } = await loadLinearObjective(t);
    const context = { accountId: t.accountId, actor: 'test' };
    const change = { kind: 'excluded', isExcluded: true } as const;
    const correction = { change, reason: 'typo', mayReopen: false };
    await correctInverse(t.db, context, { inverseId: objective.inverses[0]!.id }, correction);
    await correctCase(t.db, context, { trialId: trial.id, number: 1 }, correction);
    const countCorrections = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from corrections`.execute(t.db);
      return rows[0]!.count;
    };
    expect(await countCorrections()).toBe(2);
    await deleteObjective(t.db, t.accountId, path);
    await purgeAtOnce(t.db, t.accountId, null);
    await purgeAll();
    expect(await countCorrections()).toBe(1);
    await deleteTrial(t.db, t.accountId, { trialId: trial.id });
    await purgeAtOnce(t.db, t.accountId, null);
    await purgeAll();
    expect(await countCorrections()).toBe(0);
  });

  it('The purge removes some rows per transaction, however many a deletion covers', async () => {
    const { path } = await growTree();
    await sql`
      insert into inverses (account_id, objective_id, iteration, input)
      select account_id, ${path.objectiveId}, n, '{1,2}' from inverses, generate_series(100, 5100) n
      where objective_id = ${path.objectiveId} and iteration = 1`.execute(t.db);
    await sql`create table seen (txid xid8, rows integer)`.execute(t.db);
    await sql`
      create function see() returns trigger language plpgsql as
      $$ begin insert into seen select pg_current_xact_id(), count(*) from gone; return null; end $$`.execute(t.db);
    await sql`
      create trigger see after delete on inverses referencing old table as gone
      for each statement execute function see()`.execute(t.db);
    await deleteObjective(t.db, t.accountId, path);
    await purgeAll();
    const { rows } = await sql<{ rows: number }>`
      select sum(rows)::int as rows from seen group by txid order by 1`.execute(t.db);
    expect(rows.map((one) => one.rows)).toEqual([1_004, 2_000, 2_000]);
    await sql`drop function see cascade`.execute(t.db);
    await sql`drop table seen`.execute(t.db);
  });

  it('A purge that ends in the middle leaves the rest to the next one', async () => {
    const trees = [await growTree(), await growTree()];
    for (const tree of trees) await DELETIONS['model']!(tree);
    await age(KEPT_DAYS + 1);
    const leaving = new AbortController();
    const first = purgeDeleted(t.db, { keptDays: KEPT_DAYS, signal: leaving.signal });
    leaving.abort();
    const { rows, deletions } = await first;
    expect(rows).toBeGreaterThan(0);
    expect(deletions).toBe(0);
    const [listed] = (await listDeleted(t.db, t.accountId, KEPT_DAYS, { limit: 10, after: null })).items;
    expect(listed).toMatchObject({ kind: 'model', recordId: trees[0]!.model.id, isBeingPurged: true });
    expect((await purge()).deletions).toBe(2);
  });

  it('The purge runs in several workers together, beside clients that write, delete and purge', async () => {
    const trees = [];
    for (let i = 0; i < 12; i++) trees.push(await growTree());
    const before = await countRows();
    // Parts of what others delete as a whole, and the same at the same time.
    const parts = [...trees.slice(0, 8)].flatMap((tree) => [DELETIONS['objective']!(tree), DELETIONS['trial']!(tree)]);
    await Promise.all([...parts, ...trees.slice(0, 10).map((tree) => DELETIONS['model']!(tree))]);
    const leave = new AbortController();
    const worker = async () => {
      let finished = 0;
      while (!leave.signal.aborted) finished += (await purgeDeleted(t.db, { keptDays: KEPT_DAYS })).deletions;
      return finished;
    };
    const workers = [worker(), worker(), worker(), worker()];
    const play = async (tree: Tree) => {
      const { db, accountId } = t;
      for (let round = 0; round < 10; round++) {
        const objective = await loadObjectives(db, accountId, { trialId: tree.other.id }, LINEAR_OBJECTIVE);
        const path = { objectiveId: objective.id };
        const { inverse } = await requestSuggestion(db, accountId, path, { requestId: null });
        await finishInverse(inverse.id);
        await recordOutput(db, accountId, path, { kind: 'output', output: linear([1, 2]), computeTimeNs: null });
        await deleteObjective(db, accountId, path);
        await purgeAtOnce(db, accountId, null);
      }
    };
    await Promise.all(trees.slice(10).map(play));
    await expect.poll(async () => (await countRows()).deletions).toBe(0);
    leave.abort();
    await Promise.all(workers);
    const after = await countRows();
    expect(before.models - after.models).toBe(10);
    expect(before.inverses - after.inverses).toBe(40);
    expect(before.suggestion_jobs - after.suggestion_jobs).toBe(10);
  });

  it('The purge skips locked rows, purges the others, and comes back for them', async () => {
    const held = await growTree();
    const free = await growTree();
    for (const tree of [held, free]) await DELETIONS['model']!(tree);
    await age(KEPT_DAYS + 1);
    await t.db.transaction().execute(async (trx) => {
      await sql`select from objectives where trial_id = ${held.trial.id} for update`.execute(trx);
      expect((await purge()).deletions).toBe(1);
    });
    const { rows } = await sql<{
      id: number;
    }>`select id from models where id in (${held.model.id}, ${free.model.id})`.execute(t.db);
    expect(rows).toEqual([{ id: held.model.id }]);
    expect((await purge()).deletions).toBe(1);
  });

  it('The purge reports a deletion that it cannot carry out, and carries out the others', async () => {
    const broken = await growTree();
    const others = [await growTree(), await growTree()];
    for (const tree of [broken, ...others]) await DELETIONS['model']!(tree);
    await sql`create table refers (id bigint references models)`.execute(t.db);
    await sql`insert into refers values (${broken.model.id})`.execute(t.db);
    await age(KEPT_DAYS + 1);
    await expect(purge()).rejects.toMatchObject({
      message: '1 deletions could not be purged',
      errors: [expect.objectContaining({ code: '23503' })],
    });
    expect((await countRows()).deletions).toBe(1);
    await sql`drop table refers`.execute(t.db);
    expect((await purge()).deletions).toBe(1);
  });

  it('The purge leaves records alone that an operator has restored', async () => {
    const { model, path } = await growTree();
    await deleteModel(t.db, t.accountId, model.id);
    await sql`update models set disabled_at = null where id = ${model.id}`.execute(t.db);
    const before = await countRows();
    expect(await purgeAll()).toEqual({ rows: 0, deletions: 1 });
    expect(await countRows()).toEqual({ ...before, deletions: before.deletions - 1 });
    await deleteObjective(t.db, t.accountId, path);
  });

  it('The purge follows a deletion immediately when nothing is kept, or when its account asks for it', async () => {
    const trees = [await growTree(), await growTree(), await growTree()];
    for (const tree of trees) await DELETIONS['model']!(tree);
    const { items } = await listDeleted(t.db, t.accountId, KEPT_DAYS, { limit: 10, after: null });
    expect(items.map(({ purgeAt, deletedAt }) => purgeAt.getTime() - deletedAt.getTime())).toEqual(
      items.map(() => KEPT_DAYS * 86_400_000),
    );
    await purgeAtOnce(t.db, t.accountId, items[1]!.id);
    expect((await purge()).deletions).toBe(1);
    const left = (await listDeleted(t.db, t.accountId, KEPT_DAYS, { limit: 10, after: null })).items;
    expect(left.map(({ recordId }) => recordId)).toEqual([trees[0]!.model.id, trees[2]!.model.id]);
    await expect(purgeAtOnce(t.db, t.accountId, items[1]!.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await purgeDeleted(t.db, { keptDays: 0 })).deletions).toBe(2);
  });
});

it('Every reference to a purged table has an index, so that no row costs a scan of a table', async () => {
  const { rows } = await sql<{ constraint: string }>`
    select c.conrelid::regclass || '.' || a.attname as constraint
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confrelid <> 'accounts'::regclass and not exists (
      select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]
        -- Serves every reference that is not null.
        and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = '(' || a.attname || ' IS NOT NULL)'))
    order by 1`.execute(t.db);
  expect(rows).toEqual([]);
});
