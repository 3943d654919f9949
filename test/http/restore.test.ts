/** Deletions that are taken back. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NativeService, openNativeService, prepareObjective } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ settings: { deletedDataKeptDays: 30 } });
});
afterAll(() => service.close());

const ids = async () => (await service.send('GET', '/v1/deleted')).body.map(({ id }: { id: number }) => id);

it('a deleted model comes back with everything in it, as it was', async () => {
  const { send } = service;
  const { model, loaded } = await prepareObjective(send);
  const url = `/v1/models/${model.id}`;
  const objective = loaded.headers['location'] as string;
  const lines = async (query = '') =>
    (await send('GET', `${url}/export${query}`)).text
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/"(updatedAt|updated_at)":"[^"]*"/g, '').replace(/"stopReason":\d/, ''));
  const before = await lines();
  expect((await send('DELETE', url)).status).toBe(204);
  const [deletion] = await ids();
  const restored = await send('POST', `/v1/deleted/${deletion}/restore`);
  expect(restored.status, restored.text).toBe(204);
  expect(await ids()).toEqual([]);
  // The run that was open was given up with the search.
  const given = /"status":"[a-z-]+"|"(stoppedAt|disabledAt|disabled_at)":("[^"]*"|null)|"endReason":("[^"]*"|null)/g;
  expect((await lines()).map((line) => line.replace(given, ''))).toEqual(before.map((line) => line.replace(given, '')));
  const shown = (await send('GET', objective)).body;
  expect(shown.stopReason).toBe(2);
  expect((await send('GET', '/v1/objectives')).body.map(({ id }: { id: number }) => id)).toContain(shown.id);
});

it('what was deleted before by itself stays deleted, and a child waits for its parent', async () => {
  const { send } = service;
  const { model, project, loaded } = await prepareObjective(send);
  const objective = loaded.headers['location'] as string;
  await send('DELETE', objective);
  await send('DELETE', `/v1/models/${model.id}/projects/${project.id}`);
  const [ofObjective, ofProject] = await ids();
  const early = await send('POST', `/v1/deleted/${ofObjective}/restore`);
  expect(early.status).toBe(400);
  expect(early.body.detail).toContain('restore that first');
  expect((await send('POST', `/v1/deleted/${ofProject}/restore`)).status).toBe(204);
  const listed = async () => (await send('GET', '/v1/objectives')).body.map(({ id }: { id: number }) => id);
  expect(await listed()).not.toContain(loaded.body.id);
  expect((await send('POST', `/v1/deleted/${ofObjective}/restore`)).status).toBe(204);
  expect(await listed()).toContain(loaded.body.id);
});

it('a name that is taken by now, a purge that has begun, and a second try are refused', async () => {
  const { send } = service;
  const model = (await send('POST', '/v1/models', { name: 'engine' })).body;
  await send('DELETE', `/v1/models/${model.id}`);
  const [deletion] = await ids();
  const other = (await send('POST', '/v1/models', { name: 'engine' })).body;
  const taken = await send('POST', `/v1/deleted/${deletion}/restore`);
  expect(taken.body.errors[0].message).toBe('"engine" is the name of another model of this account.');
  await send('PATCH', `/v1/models/${other.id}`, { name: 'motor' });
  await sql`update deletions set purging_since = now() where id = ${deletion}`.execute(service.db);
  expect((await send('POST', `/v1/deleted/${deletion}/restore`)).status).toBe(404);
  await sql`update deletions set purging_since = null where id = ${deletion}`.execute(service.db);
  expect((await send('POST', `/v1/deleted/${deletion}/restore`)).status).toBe(204);
  expect((await send('POST', `/v1/deleted/${deletion}/restore`)).status).toBe(404);
});
