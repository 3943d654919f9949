/** Records that are too large for a body are shortened without being read whole. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectTo } from '../../../harness/database-handle.ts';
import { renderEvent } from '../../../src/application/webhooks/render-event.ts';
import type { Db } from '../../../src/db/connection/transaction.ts';
import { listNewestInverses } from '../../../src/db/search/inverses.ts';
import type { EventName } from '../../../src/domain/webhooks/event.ts';
import { eventSchema, sdkEvents } from '../../../src/http/sdk/events.wire.ts';
import { loadLinearObjective } from '../../support/fixtures.ts';
import { MAXIMUM_BYTES, type Outbox, openOutbox } from './outbox.ts';
import { openReceiver } from './receiver.ts';

let outbox: Outbox;
let watched: Db;
const statements: string[] = [];
beforeAll(async () => {
  outbox = await openOutbox();
  watched = connectTo(outbox.url, {
    poolSize: 2,
    statementTimeoutMs: 30_000,
    aroundStatement: (text, run) => {
      statements.push(text);
      return run();
    },
  });
});
afterAll(async () => {
  await watched.destroy();
  await outbox.close();
});

/** The body of an event about a record, and the statements that were run for it. */
async function render(name: EventName, resourceId: number) {
  statements.length = 0;
  const event = { id: 1, accountId: outbox.accountId, name, resourceId, createdAt: new Date() };
  const bytes = await renderEvent({ db: watched, form: sdkEvents, maximumBytes: MAXIMUM_BYTES }, event);
  expect(bytes!.length).toBeLessThanOrEqual(MAXIMUM_BYTES);
  const body = JSON.parse(new TextDecoder().decode(bytes));
  eventSchema.parse(body);
  return { body, statements: [...statements] };
}

/** Adds `count` completed iterations to an objective; every tenth is a failed run. */
async function addInverses(objectiveId: number, count: number): Promise<void> {
  await sql`
    insert into inverses (account_id, objective_id, iteration, status, input, output)
    select account_id, id, n, case when n % 10 = 0 then 'failed' else 'active' end, '{1,2}',
      case when n % 10 = 0 then null else '{1,2,3}'::float8[] end
    from objectives, generate_series(2, ${count + 1}::int) n where id = ${objectiveId}`.execute(outbox.db);
}

it('an objective that is too large shows its newest inverses and the optimal one, and no more are read than can fit', async () => {
  const { objective } = await loadLinearObjective(outbox);
  await addInverses(objective.id, 5_000);
  await sql`update objectives set optimal_inverse_id = ${objective.inverses[0]!.id} where id = ${objective.id}`.execute(
    outbox.db,
  );
  const { body } = await render('inverse.output_loaded', objective.id);
  expect(body).toMatchObject({ shortened: true, link: `/api/objectives/${objective.id}` });
  expect(body.data.inverses.at(-1).iteration).toBe(5_001);
  expect(body.data.inverses.length).toBeGreaterThan(100);
  expect(body.data.optimalInverse.iteration).toBe(1);

  const limit = { maximumBytes: 10_000, withOutputBytes: 1_000, withoutOutputBytes: 100 };
  const { inverses, total } = await listNewestInverses(outbox.db, outbox.accountId, objective.id, limit);
  expect(total).toBe(5_001);
  // 4992 to 5001: nine outputs and one failed run are 9,100 bytes, with 4991 they are 10,100.
  expect(inverses.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 11 }, (_, k) => 4_991 + k));
});

it('an objective that fits is sent whole', async () => {
  const { objective } = await loadLinearObjective(outbox);
  await addInverses(objective.id, 50);
  const { body } = await render('objectives.loaded', objective.id);
  expect(body.data.inverses).toHaveLength(51);
  expect(body).not.toHaveProperty('shortened');
});

it('a project and a trial with large matrices are sent without them, and the matrices are not read', async () => {
  const { project, trial } = await loadLinearObjective(outbox);
  const fill = sql`(select array_agg(array[n, n / 3.0]) from generate_series(1, 100000) n)`;
  await sql`update projects set input_cases = ${fill}, case_count = 100000 where id = ${project.id}`.execute(outbox.db);
  await sql`update output_case_sets set output_cases = ${fill}, output_count = 2, case_count = 100000`.execute(
    outbox.db,
  );
  const created = await render('project.created', project.id);
  expect(created.body).toMatchObject({ shortened: true, link: `/api/models/${project.modelId}` });
  expect(created.body.data).toMatchObject({ id: project.id, caseCount: 100_000, inputCases: [] });
  expect(created.statements.filter((text) => text.includes('input_cases'))).toEqual([]);
  const loaded = await render('output_cases.loaded', trial.id);
  expect(loaded.body).toMatchObject({ shortened: true, link: `/api/trials/${trial.id}` });
  expect(loaded.body.data).toMatchObject({ id: trial.id, caseCount: 100_000, outputCases: [] });
  expect(loaded.statements.filter((text) => text.includes('array_send'))).toEqual([]);
});

it('a shortened body is signed like any other', async () => {
  const receiver = await openReceiver();
  const { objective } = await loadLinearObjective(outbox);
  await addInverses(objective.id, 2_000);
  await outbox.register(receiver.url, ['objective.stopped']);
  await sql`
    with told as (
      insert into events (account_id, name, resource_id) values (${outbox.accountId}, 'objective.stopped', ${objective.id})
      returning id)
    insert into webhook_deliveries (account_id, webhook_id, event_id)
    select ${outbox.accountId}, w.id, t.id from told t, webhooks w`.execute(outbox.db);
  expect(await outbox.drain()).toEqual([{ kind: 'delivered', status: 204 }]);
  const [got] = receiver.received;
  expect(Buffer.byteLength(got!.body)).toBeLessThanOrEqual(MAXIMUM_BYTES);
  expect(JSON.parse(got!.body)).toMatchObject({ name: 'objective.stopped', shortened: true });
  await receiver.close();
});
