/** Drafts of the page: what is typed and not sent yet. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { purgeDrafts } from '../../src/application/accounts/page-drafts.ts';
import { type NativeService, openNativeService, prepareObjective, type Send } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ settings: { suggestWaitMs: 0 } });
});
afterAll(() => service.close());

async function openAccount(): Promise<Send> {
  return service.sendAs(await service.makeKey(`account ${crypto.randomUUID()}`));
}

const put = (send: Send, subject: string, text: string | null, writer = 'one') =>
  send('PUT', '/v1/drafts', { subject, writer, text });
const read = async (send: Send, query = '') =>
  (await send('GET', `/v1/drafts${query}`)).body.drafts.map(({ writer, text }: Record<string, string>) => [
    writer,
    text,
  ]);

it('Every browser has a draft of its own at a subject, which is replaced and removed', async () => {
  const send = await openAccount();
  const stored = await put(send, 'new-problem', 'first');
  expect([stored.status, stored.body.drafts]).toEqual([
    200,
    [{ subject: 'new-problem', writer: 'one', text: 'first', updatedAt: expect.any(String) }],
  ]);
  // The same text is no change.
  expect((await put(send, 'new-problem', 'first')).body).toEqual(stored.body);
  await put(send, 'new-problem', 'other', 'two');
  await put(send, 'new-problem', 'second');
  expect(await read(send)).toEqual([
    ['one', 'second'],
    ['two', 'other'],
  ]);
  expect(await read(await openAccount())).toEqual([]);
  expect((await put(send, 'new-problem', null)).body).toEqual({ drafts: [] });
  expect((await put(send, 'new-problem', null)).status).toBe(200);
  expect(await read(send)).toEqual([['two', 'other']]);
});

it('Drafts are bounded in size and number, and end by themselves', async () => {
  const send = await openAccount();
  expect((await put(send, 'new-problem', 'x'.repeat(65_536))).status).toBe(200);
  for (const [subject, writer, text] of [
    ['new-problem', 'one', 'x'.repeat(65_537)],
    ['elsewhere', 'one', ''],
    ['outputs/1/', 'one', ''],
    ['new-problem', 'a b', ''],
  ] as const) {
    expect((await put(send, subject, text, writer)).status).toBe(400);
  }
  for (let n = 0; n < 100; n++) await put(send, 'new-problem', 'x', `writer-${n}`);
  const writers = (await read(send)).map(([writer]: string[]) => writer);
  expect([writers.length, writers.includes('one'), writers[0]]).toEqual([100, false, 'writer-99']);
  await sql`update page_drafts set updated_at = now() - interval '30 days' where writer = 'writer-7'`.execute(
    service.db,
  );
  expect(await read(send)).toHaveLength(99);
  expect((await purgeDrafts(service.db)).purged).toBe(1);
});

it('Outputs that are typed for a run show in the history of the objective, and wake those who follow it', async () => {
  const send = await openAccount();
  const t = await prepareObjective(send);
  const id = t.loaded.body.id;
  const { body: inverse } = await send('POST', `${t.objectiveUrl}/inverses`, {}, { prefer: 'respond-async' });
  const subject = `outputs/${id}/${inverse.id}`;
  const history = (headers = {}) => send('GET', `/v1/objectives/${id}/history`, undefined, headers);
  const before = await history();
  expect(before.body.typing).toEqual([]);
  const waiting = history({ 'if-none-match': String(before.headers['etag']), prefer: 'wait=60' });
  await expect.poll(() => service.changeWaiters.waiting, { interval: 5 }).toBe(1);
  const stored = await put(send, subject, '["1","",""]');
  const typing = [{ inverseId: inverse.id, writer: 'one', updatedAt: stored.body.drafts[0].updatedAt }];
  expect((await waiting).body.typing).toEqual(typing);
  expect(await read(send, `?subject=${subject}`)).toEqual([['one', '["1","",""]']]);
  await put(send, subject, null);
  const after = await history();
  expect([after.body.typing, after.headers['etag']]).toEqual([[], before.headers['etag']]);
  const other = await openAccount();
  expect((await put(other, subject, 'x')).status).toBe(404);
  expect((await put(send, `outputs/${id}/999999999`, 'x')).status).toBe(404);
  await send('DELETE', t.objectiveUrl);
  expect((await put(send, subject, 'x')).status).toBe(404);
});

it('A key that may only read sees drafts and writes none', async () => {
  const account = `account ${crypto.randomUUID()}`;
  const reader = service.sendAs(await service.makeKey(account, ['read']));
  expect(await read(reader)).toEqual([]);
  expect((await put(reader, 'new-problem', 'x')).status).toBe(403);
});
