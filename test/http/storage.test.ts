/** Usage and quota of an account, as clients of both dialects see them. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountLimits } from '../../src/application/accounts/account-limits.ts';
import { countStorage } from '../../src/application/accounts/count-storage.ts';
import { purgeDeleted } from '../../src/application/deletion/purge-deleted.ts';
import { countAll } from '../support/stored.ts';
import {
  blackBox,
  type NativeService,
  OBJECTIVES,
  openNativeService,
  prepareObjective,
  type Send,
} from './native-service.ts';

/** Changed by the tests; the ingress reads them with every request. */
const limits: { -readonly [Name in keyof AccountLimits]: AccountLimits[Name] } = {
  openObjectives: 1_000,
  queuedSuggestions: 0,
  cases: 10_000,
  cells: 0,
  storedBytes: 0,
  storedRows: 0,
};

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({
    settings: { account: limits, rateLimitPerMinute: 0, deletedDataKeptDays: 30 },
  });
});
afterAll(() => service.close());

/** A separate account with a running objective, one of whose inverses awaits its output. */
async function prepareAccount() {
  Object.assign(limits, { storedBytes: 0, storedRows: 0 });
  const send = service.sendAs(await service.makeKey(`account ${crypto.randomUUID()}`));
  const prepared = await prepareObjective(send);
  const opened = await send('POST', `${prepared.objectiveUrl}/inverses`, {}, { prefer: 'respond-async' });
  await settle(opened.body.id);
  await countAll(service.db);
  return { ...prepared, send, inverseId: opened.body.id as number };
}

/** Like a worker. */
async function settle(inverseId: number): Promise<void> {
  await sql`delete from suggestion_jobs where inverse_id = ${inverseId}`.execute(service.db);
  await sql`update inverses set input = '{1,2}', suggested_at = now() where id = ${inverseId}`.execute(service.db);
}

const usageOf = async (send: Send) => {
  const { storedBytes, storedRows } = (await send('GET', '/v1/account')).body;
  return { storedBytes, storedRows } as { storedBytes: number; storedRows: number };
};

describe('the account', () => {
  it('The account reports its usage and all its limits, null for those it does not have', async () => {
    const { send } = await prepareAccount();
    limits.storedRows = 500;
    const { status, body } = await send('GET', '/v1/account');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(Number),
      workbooks: null,
      files: { bytes: 0 },
      name: expect.stringMatching(/^account /),
      cell: null,
      storedBytes: expect.any(Number),
      // Model, project, set, trial, objective and two inverses.
      storedRows: 7,
      limits: {
        storedBytes: null,
        storedRows: 500,
        openObjectives: 1_000,
        queuedSuggestions: null,
        cases: 10_000,
        caseNumbers: null,
        webhooks: 50,
        requestsPerMinute: null,
      },
      deletedDataKeptDays: 30,
    });
    expect(body.storedBytes).toBeGreaterThan(1_000);
  });
});

const newModel = () => ({ name: `model ${crypto.randomUUID()}` });
const SPACE = { name: 'space', inputCount: 1, minimums: [0], maximums: [1], inputTypes: ['float'], categories: [] };

describe.each(['storedRows', 'storedBytes'] as const)('an account that has used up its quota of %s', (quota) => {
  type Prepared = Awaited<ReturnType<typeof prepareAccount>>;
  const adding: readonly (readonly [string, (t: Prepared) => readonly [string, unknown]])[] = [
    ['a model', () => ['/v1/models', newModel()]],
    ['a project', (t) => [`/v1/models/${t.model.id}/projects`, { ...SPACE, inputCases: [[0]] }]],
    ['output cases', (t) => [`${t.projectUrl}/output-cases`, { outputCount: 3, outputCases: [[1, 2, 3]] }]],
    ['a trial', (t) => [`${t.projectUrl}/trials`, {}]],
    ['objectives', (t) => [`${t.trialUrl}/objectives`, OBJECTIVES]],
    ['an inverse', (t) => [`/v1/trials/${t.trialId}/initialize-inverse`, { ...OBJECTIVES, convergence: 0.5 }]],
    ['a model of the SDK dialect', () => ['/api/models', newModel()]],
    ['a project of the SDK dialect', (t) => [`/api/models/${t.model.id}/projects`, SPACE]],
    [
      'output cases of the SDK dialect',
      (t) => [`/api/projects/${t.project.id}/output-cases`, { outputCount: 3, outputCases: [[1, 2, 3]] }],
    ],
    ['objectives of the SDK dialect', (t) => [`/api/trials/${t.trialId}/objectives`, OBJECTIVES]],
  ];

  it.each(adding)(
    'A full account is refused %s, also with an Idempotency-Key, and gets it when there is room again',
    async (_, request) => {
      const t = await prepareAccount();
      const before = await usageOf(t.send);
      limits[quota] = before[quota];
      const [url, body] = request(t);
      const key = { 'idempotency-key': crypto.randomUUID() };
      for (const headers of [{}, key]) {
        const refused = await t.send('POST', url, body, headers);
        expect(refused.status, refused.text).toBe(403);
        expect(refused.body).toMatchObject({
          type: 'urn:backsolve:problem:quota-exceeded',
          title: 'The storage quota of the account is used up',
          detail: expect.stringMatching(/^This account stores .*; its quota is .*then purge the deleted records/),
        });
      }
      expect(await usageOf(t.send)).toEqual(before);
      limits[quota] += 100_000;
      expect((await t.send('POST', url, body, key)).status).toBe(201);
    },
  );

  it('A full account is refused the next suggestion and loses no output of the open one', async () => {
    const t = await prepareAccount();
    limits[quota] = 1;
    const key = { 'idempotency-key': crypto.randomUUID() };
    const loaded = await t.send('POST', `${t.objectiveUrl}/inverse-output`, { output: blackBox([1, 2]) }, key);
    expect(loaded).toMatchObject({ status: 200, body: { id: t.inverseId, output: blackBox([1, 2]) } });
    for (const url of [`${t.objectiveUrl}/inverses`, `/api/objectives/${t.loaded.body.id}/suggest-inverse`]) {
      const refused = await t.send('POST', url, {});
      expect(refused.status).toBe(403);
      expect(refused.body.type).toBe('urn:backsolve:problem:quota-exceeded');
    }
    expect((await t.send('GET', t.objectiveUrl)).body.inverses).toHaveLength(2);
    expect((await t.send('POST', `${t.objectiveUrl}/stop`)).status).toBe(200);
  });

  it('A full account can still read, rename, stop and delete', async () => {
    const t = await prepareAccount();
    limits[quota] = 1;
    expect((await t.send('PATCH', `/v1/models/${t.model.id}`, newModel())).status).toBe(200);
    const text = { description: 'a description, which is kept' };
    expect((await t.send('PATCH', `/v1/models/${t.model.id}`, text)).status).toBe(403);
    expect((await t.send('PATCH', t.projectUrl, { name: 'renamed' })).status).toBe(200);
    expect((await t.send('POST', `${t.objectiveUrl}/stop`)).status).toBe(200);
    expect((await t.send('DELETE', `/v1/models/${t.model.id}`)).status).toBe(204);
  });
});

it('A project whose cases would exceed the quota of bytes is refused before it is stored', async () => {
  const { model, send } = await prepareAccount();
  limits.storedBytes = (await usageOf(send)).storedBytes + 100_000;
  const inputCases = (count: number) => Array.from({ length: count }, (_, i) => [i / count]);
  const create = (count: number) =>
    send('POST', `/v1/models/${model.id}/projects`, { ...SPACE, inputCases: inputCases(count) });
  expect((await create(10_000)).status).toBe(201);
  await countStorage(service.db);
  const refused = await create(10_000);
  expect(refused.status).toBe(403);
  expect((await create(100)).status).toBe(201);
});

it('The usage of one account does not count for another', async () => {
  const { send } = await prepareAccount();
  const other = await prepareAccount();
  limits.storedRows = (await usageOf(other.send)).storedRows;
  expect((await other.send('POST', '/v1/models', newModel())).status).toBe(403);
  const fresh = service.sendAs(await service.makeKey(`account ${crypto.randomUUID()}`));
  expect(await usageOf(fresh)).toEqual({ storedBytes: 0, storedRows: 0 });
  expect((await fresh('POST', '/v1/models', newModel())).status).toBe(201);
  expect((await send('POST', '/v1/models', newModel())).status).toBe(403);
});

describe('deleted records', () => {
  it('A deletion is listed once, its records are shown as deleted, and it is purged permanently on request', async () => {
    const t = await prepareAccount();
    const other = (await t.send('POST', '/v1/models', newModel())).body;
    await t.send('DELETE', t.objectiveUrl);
    await t.send('DELETE', `/v1/models/${t.model.id}`);
    await t.send('DELETE', `/v1/models/${other.id}`);
    const inverse = await t.send('GET', `${t.objectiveUrl}/inverses/${t.inverseId}`);
    const objective = (await t.send('GET', t.objectiveUrl)).body;
    expect(inverse.body.disabledAt).toBe(objective.disabledAt);
    expect(objective.inverses[0].disabledAt).toBe(objective.disabledAt);
    expect((await t.send('GET', `/api/objectives/${objective.id}`)).body.inverses[0].disabledAt).toBe(
      objective.disabledAt,
    );

    const listed = await t.send('GET', '/v1/deleted?limit=2');
    const [first, second] = listed.body;
    const times = { deletedAt: expect.any(String), purgeAt: expect.any(String), isBeingPurged: false };
    const modelId = t.model.id;
    expect(listed.body).toEqual([
      { id: first.id, kind: 'objective', recordId: t.loaded.body.id, modelId, name: null, ...times },
      { id: second.id, kind: 'model', recordId: modelId, modelId, name: t.model.name, ...times },
    ]);
    expect(Date.parse(first.purgeAt) - Date.parse(first.deletedAt)).toBe(30 * 86_400_000);
    expect(listed.headers['link']).toBe(`</v1/deleted?limit=2&after=${second.id}>; rel="next"`);
    const next = await t.send('GET', `/v1/deleted?limit=2&after=${second.id}`);
    expect(next.body.map(({ recordId }: { recordId: number }) => recordId)).toEqual([other.id]);

    await countStorage(service.db);
    const before = await usageOf(t.send);
    expect((await t.send('DELETE', `/v1/deleted/${second.id}`)).status).toBe(202);
    expect(await purgeDeleted(service.db, { keptDays: 30 })).toMatchObject({ deletions: 1 });
    expect((await t.send('GET', `/v1/models/${modelId}`)).status).toBe(404);
    expect((await t.send('GET', '/v1/deleted')).body).toEqual([{ ...next.body[0] }]);
    await countStorage(service.db);
    const after = await usageOf(t.send);
    expect(before.storedRows - after.storedRows).toBe(7);
    expect((await t.send('DELETE', `/v1/deleted/${second.id}`)).status).toBe(404);

    expect((await t.send('DELETE', '/v1/deleted')).status).toBe(202);
    await purgeDeleted(service.db, { keptDays: 30 });
    expect((await t.send('GET', '/v1/deleted')).body).toEqual([]);
    await countStorage(service.db);
    expect(await usageOf(t.send)).toEqual({ storedBytes: 0, storedRows: 0 });
    expect((await t.send('DELETE', '/v1/deleted')).status).toBe(202);
  });

  it('A purged trial leaves its output cases, which then name no trial', async () => {
    const t = await prepareAccount();
    await t.send('DELETE', t.trialUrl);
    await t.send('DELETE', '/v1/deleted');
    await purgeDeleted(service.db, { keptDays: 30 });
    const set = await t.send('GET', `${t.projectUrl}/output-cases/${t.set.id}`);
    expect(set).toMatchObject({ status: 200, body: { id: t.set.id, trial_id: null } });
    const again = await t.send('POST', `${t.projectUrl}/trials`, {});
    expect(again.body.number).toBe(1);
    expect((await t.send('GET', `${t.projectUrl}/output-cases`)).body[0].trial_id).toBe(again.body.id);
  });
});
