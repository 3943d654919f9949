/** Requests that wait while their key is revoked: what they waited for is not sent. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseApiKey } from '../../src/domain/accounts/api-key.ts';
import { blackBox, type NativeService, openNativeService, prepareObjective, type Send } from './native-service.ts';
import { makeVisitors } from './session-browser.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService();
});
afterAll(() => service.close());

const { signIn } = makeVisitors(() => service);
const UNAUTHENTICATED = { status: 401, body: { type: 'urn:backsolve:problem:unauthenticated' } };

const revoke = (key: string) =>
  sql`update api_keys set revoked_at = now() where key_id = ${parseApiKey(key)!.keyId}`.execute(service.db);

/** Resolves once something waits in this process for changes of objectives. */
const untilWaiting = () => expect.poll(() => service.changeWaiters.waiting).toBeGreaterThan(0);

/** An objective whose next input is open, with its history and an output for it. */
async function openIteration() {
  const { objectiveUrl, loaded } = await prepareObjective(service.send);
  await service.send('POST', `${objectiveUrl}/inverses`, {}, { prefer: 'respond-async' });
  await sql`update inverses set input = '{1,2}', suggested_at = now() where objective_id = ${loaded.body.id} and input is null`.execute(
    service.db,
  );
  await sql`delete from suggestion_jobs where objective_id = ${loaded.body.id}`.execute(service.db);
  const complete = async () => {
    const done = await service.send('POST', `${objectiveUrl}/inverse-output`, { output: blackBox([1, 2]) });
    expect(done.status, done.text).toBe(200);
  };
  const follow = async (send: Send) => {
    const { headers } = await send('GET', `${objectiveUrl}/history`);
    return () =>
      send('GET', `${objectiveUrl}/history`, undefined, { 'if-none-match': String(headers.etag), prefer: 'wait=60' });
  };
  return { objectiveUrl, complete, follow };
}

it('A history that changes after the key was revoked', async () => {
  const key = await service.makeKey('test');
  const { complete, follow } = await openIteration();
  const [held, allowed] = [await follow(service.sendAs(key)), await follow(service.send)];
  const answers = [held(), allowed()];
  await untilWaiting();
  await revoke(key);
  await complete();
  expect(await answers[0]).toMatchObject(UNAUTHENTICATED);
  expect(await answers[1]).toMatchObject({ status: 200, headers: { 'preference-applied': 'wait=60' } });
});

it.each(['v1', 'api'] as const)('A suggestion under /%s whose wait ends after the key was revoked', async (dialect) => {
  const key = await service.makeKey('test');
  const { objectiveUrl, loaded } = await prepareObjective(service.send);
  const { id } = loaded.body;
  const url = dialect === 'v1' ? `${objectiveUrl}/inverses` : `/api/objectives/${id}/suggest-inverse`;
  const answer = service.sendAs(key)('POST', url, {});
  const jobs = sql`select from suggestion_jobs where objective_id = ${id}`;
  await expect.poll(async () => (await jobs.execute(service.db)).rows.length).toBe(1);
  await revoke(key);
  await service.send('POST', `${objectiveUrl}/stop`);
  expect(await answer).toMatchObject(UNAUTHENTICATED);
});

it('A list of objectives that changes after the session was ended', async () => {
  const browser = await signIn();
  const { objectiveUrl } = await prepareObjective(browser.send);
  const { headers } = await browser.send('GET', '/v1/objectives');
  const own = { 'sec-fetch-site': 'same-origin' };
  const etag = String(headers.etag);
  const answer = browser.send('GET', '/v1/objectives', undefined, { ...own, 'if-none-match': etag, prefer: 'wait=60' });
  await untilWaiting();
  await sql`delete from browser_sessions where token_hash = sha256(${browser.token()}::text::bytea)`.execute(
    service.db,
  );
  await service.sendAs(browser.key)('POST', `${objectiveUrl}/stop`);
  expect(await answer).toMatchObject({ status: 401, body: { type: 'urn:backsolve:problem:session-ended' } });
});
