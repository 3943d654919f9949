/** Tests what a client asks of the search beyond the targets: read, stored, shown and passed to the optimizer. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toSuggestRequest } from '../../src/application/search/engine-input.ts';
import { readSnapshotOf } from '../../src/db/search/suggestions.ts';
import { suggest as propose } from '../../src/optimizer/suggest.ts';
import { type NativeService, NEVER, openNativeService, prepareTrial } from './native-service.ts';

let service: NativeService;
let trialUrl: string;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  ({ trialUrl } = await prepareTrial(service.send));
});
afterAll(() => service.close());

const load = (body: object) => service.send('POST', `${trialUrl}/objectives`, { ...NEVER, ...body });

it('Weights and priorities are shown where the objective is, and a suggestion is repeated with them', async () => {
  const { status, body } = await load({ weights: [1, 10, 0.5], priorities: [1, 2, 2] });
  expect([status, body.weights, body.priorities]).toEqual([201, [1, 10, 0.5], [1, 2, 2]]);
  const url = `/v1/objectives/${body.id}`;
  const shown = { weights: [1, 10, 0.5], priorities: [1, 2, 2] };
  expect((await service.send('GET', url)).body).toMatchObject(shown);
  expect((await service.send('GET', `${url}/history`)).body).toMatchObject(shown);
  const { body: inverse } = await service.send('POST', `${url}/inverses`);
  const [{ account_id: accountId }] = (
    await sql<{ account_id: number }>`select account_id from inverses where id = ${inverse.id}`.execute(service.db)
  ).rows as [{ account_id: number }];
  const snapshot = (await readSnapshotOf(service.db, { accountId, inverseId: inverse.id }))!;
  const request = toSuggestRequest(snapshot, 20_000);
  expect(request.goal).toMatchObject(shown);
  const repeated = propose(request);
  expect(repeated.kind === 'candidate' && [...repeated.input]).toEqual(inverse.input);
});

it('What is stated by name is stored by position', async () => {
  const { status, body } = await load({ weights: { y2: 7 }, priorities: { y3: 3, y1: 2 } });
  expect([status, body.weights, body.priorities]).toEqual([201, [1, 7, 1], [2, 1, 3]]);
  const wrong = await load({ weights: { y2: 'much', y9: 1 } });
  expect(wrong.status).toBe(400);
  expect(wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
    '/weights/y2',
    '/weights/y9',
  ]);
});

it('Without options nothing is stored', async () => {
  const plain = (await load({})).body;
  const equal = (await load({ weights: [1, 1, 1], priorities: [3, 3, 3] })).body;
  for (const { id } of [plain, equal]) {
    const { rows } = await sql`select options from objectives where id = ${id}`.execute(service.db);
    expect(rows).toEqual([{ options: null }]);
  }
  expect(plain).toMatchObject({ weights: null, priorities: null });
});

it('Wrong options are named, and nothing is stored', async () => {
  const before = await service.send('GET', `${trialUrl}/objectives`);
  const { status, body } = await load({ weights: [1, 2], priorities: [1, 2, 9] });
  expect(status).toBe(400);
  expect(body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(['/priorities/2', '/weights']);
  expect((await service.send('GET', `${trialUrl}/objectives`)).body).toEqual(before.body);
});
