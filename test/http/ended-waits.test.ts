/** The answer to a client that waits for a suggestion while the objective is stopped or deleted. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NativeService, openNativeService, prepareObjective } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService();
});
afterAll(() => service.close());

/** Requests a suggestion in one dialect; resolves once the iteration is open, with the pending answer and the objective. */
async function ask(dialect: 'v1' | 'api') {
  const objective = await prepareObjective(service.send);
  const objectiveId = objective.loaded.body.id;
  const url =
    dialect === 'v1' ? `${objective.objectiveUrl}/inverses` : `/api/objectives/${objectiveId}/suggest-inverse`;
  const suggest = () => service.send('POST', url, {});
  const answer = suggest();
  const opened = sql`select from suggestion_jobs where objective_id = ${objectiveId}`;
  await expect.poll(async () => (await opened.execute(service.db)).rows.length).toBe(1);
  return { ...objective, answer, suggest };
}

it('Stopping an objective ends the wait with its stopped inverse', async () => {
  const { objectiveUrl, answer, suggest } = await ask('v1');
  await service.send('POST', `${objectiveUrl}/stop`);
  const stopped = await answer;
  expect(stopped.status).toBe(201);
  expect(stopped.headers['retry-after']).toBeUndefined();
  expect(stopped.body).toMatchObject({ iteration: 2, status: 'stopped', input: null });
  expect(stopped.body.stoppedAt).toMatch(/Z$/);
  expect((await service.send('GET', String(stopped.headers.location))).body).toMatchObject({ status: 'stopped' });
  expect((await suggest()).body.type).toBe('urn:backsolve:problem:objective-ended');
});

it('An existing client learns that the objective has ended, immediately and on a repeat', async () => {
  const { objectiveUrl, answer, suggest } = await ask('api');
  await service.send('POST', `${objectiveUrl}/stop`);
  for (const refused of [await answer, await suggest()]) {
    expect(refused.status).toBe(400);
    expect(refused.body.type).toBe('urn:backsolve:problem:objective-ended');
  }
});

it.each(['v1', 'api'] as const)('Deleting the project ends a wait under /%s with 404', async (dialect) => {
  const { projectUrl, objectiveUrl, answer, suggest } = await ask(dialect);
  expect((await service.send('DELETE', projectUrl)).status).toBe(204);
  expect((await answer).status).toBe(404);
  expect((await suggest()).status).toBe(404);
  const { inverses, stopReason } = (await service.send('GET', objectiveUrl)).body;
  expect(stopReason).toBe(2);
  expect(inverses.at(-1)).toMatchObject({ iteration: 2, status: 'stopped', disabledAt: expect.any(String) });
});

it('An Idempotency-Key whose wait ended with 404 gets 404 again', async () => {
  const { objectiveUrl } = await prepareObjective(service.send);
  const headers = { 'idempotency-key': crypto.randomUUID(), prefer: 'respond-async' };
  const suggest = () => service.send('POST', `${objectiveUrl}/inverses`, {}, headers);
  expect((await suggest()).status).toBe(202);
  await service.send('DELETE', objectiveUrl);
  expect((await suggest()).status).toBe(404);
});

it('An Idempotency-Key whose inverse was suggested and reported as failed gets the inverse again', async () => {
  const { objectiveUrl } = await prepareObjective(service.send);
  const headers = { 'idempotency-key': crypto.randomUUID(), prefer: 'respond-async' };
  const suggest = () => service.send('POST', `${objectiveUrl}/inverses`, {}, headers);
  const { id } = (await suggest()).body;
  await sql`update inverses set input = '{1,2}', suggested_at = now() where id = ${id}`.execute(service.db);
  await sql`delete from suggestion_jobs where inverse_id = ${id}`.execute(service.db);
  await service.send('POST', `${objectiveUrl}/inverse-output`, { failed: true, reason: 'mesh collapsed' });
  const again = await suggest();
  expect(again.status).toBe(201);
  expect(again.body).toMatchObject({ id, status: 'failed', input: [1, 2] });
});
