/** Notes with files on objectives and their runs under /v1. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countStorage } from '../../src/application/accounts/count-storage.ts';
import { purgeAtOnce, purgeDeleted } from '../../src/application/deletion/purge-deleted.ts';
import { purgeNotes } from '../../src/application/notes/keep-notes.ts';
import { SMALL_JPEG, withExif } from '../support/pictures.ts';
import { type NativeService, openNativeService, prepareObjective, type Send } from './native-service.ts';

const MOST = 200_000;
const QUOTA = { storedBytes: 5_000_000, storedRows: 0, openObjectives: 0, queuedSuggestions: 0, cases: 0, cells: 0 };

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ settings: { suggestWaitMs: 0, fileBytes: MOST, account: QUOTA } });
});
afterAll(() => service.close());

const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64');
const fileOf = (name: string, content: string | Buffer) => ({ name, content: base64(content) });

async function prepare(account = `account ${crypto.randomUUID()}`) {
  const send = service.sendAs(await service.makeKey(account));
  const { loaded, objectiveUrl } = await prepareObjective(send);
  const { body: inverse } = await send('POST', `${objectiveUrl}/inverses`, {}, { prefer: 'respond-async' });
  const flat = `/v1/objectives/${loaded.body.id}`;
  return { send, objectiveUrl, flat, notes: `${flat}/notes`, inverse, account };
}

const list = async (send: Send, notes: string) => (await send('GET', notes)).body;

it('Notes are written on an objective and on a run that is still open, by whom and when, and are listed in order', async () => {
  const { send, notes, inverse, objectiveUrl } = await prepare();
  const first = await send('POST', notes, { text: 'rig 3, new seal' });
  expect([first.status, first.headers['location']]).toEqual([201, `${notes}/${first.body.id}`]);
  expect(first.body).toMatchObject({ text: 'rig 3, new seal', inverseId: null, iteration: null, file: null });
  expect(first.body).toMatchObject({ editedBy: null, editedAt: null, deletedAt: null, writtenBy: expect.any(String) });
  const nested = await send('POST', `${objectiveUrl}/notes`, { text: 'noisy', inverseId: inverse.id });
  expect(nested.headers['location']).toBe(`${objectiveUrl}/notes/${nested.body.id}`);
  expect(nested.body).toMatchObject({ inverseId: inverse.id, iteration: inverse.iteration });
  expect(await list(send, notes)).toEqual([first.body, nested.body]);
  expect(await list(send, `${notes}?order=newest&limit=1`)).toEqual([nested.body]);
  expect(await list(send, `${notes}?inverse=${inverse.id}`)).toEqual([nested.body]);
  expect((await send('GET', `${notes}/${first.body.id}`)).body).toEqual(first.body);
});

it('A note tells whoever follows the objective, and is the note of its run in histories until it is deleted', async () => {
  const { send, notes, inverse, flat } = await prepare();
  const before = await send('GET', `${flat}/history`);
  const waiting = send('GET', `${flat}/history`, undefined, {
    'if-none-match': String(before.headers['etag']),
    prefer: 'wait=60',
  });
  await expect.poll(() => service.changeWaiters.waiting, { interval: 5 }).toBe(1);
  const { body: note } = await send('POST', notes, { text: 'valve stuck', inverseId: inverse.id });
  const { body } = await waiting;
  const at = inverse.iteration;
  expect(body).toMatchObject({ notes: { [at]: 'valve stuck' }, notedBy: { [at]: note.writtenBy } });
  await send('DELETE', `${notes}/${note.id}`);
  expect((await send('GET', `${flat}/history`)).body).toMatchObject({ notes: {}, notedBy: {}, notedAt: {} });
});

it('A note changes no suggestion: the search has the same version and nothing is decided again', async () => {
  const { send, notes, inverse, flat } = await prepare();
  const read = async () => {
    const { rows } =
      await sql`select version, data_revision from objectives where id = ${flat.split('/').at(-1)}`.execute(service.db);
    return rows;
  };
  const before = await read();
  await send('POST', notes, { text: 'x', inverseId: inverse.id });
  expect(await read()).toEqual(before);
});

it('The text of a note is changed, unless somebody else was faster, and never to nothing', async () => {
  const { send, notes } = await prepare();
  const { body: note } = await send('POST', notes, { text: 'one' });
  const url = `${notes}/${note.id}`;
  const changed = await send('PATCH', url, { text: 'two', replaces: 'one' });
  expect(changed.body).toMatchObject({ text: 'two', editedBy: note.writtenBy, editedAt: expect.any(String) });
  const late = await send('PATCH', url, { text: 'three', replaces: 'one' });
  expect(late).toMatchObject({ status: 409, body: { type: 'urn:backsolve:problem:note-changed' } });
  // A repeat of a change that was stored is no conflict.
  expect((await send('PATCH', url, { text: 'two', replaces: 'one' })).body).toEqual(changed.body);
  expect((await send('PATCH', url, { text: '' })).body.errors).toMatchObject([{ property: 'text' }]);
  expect((await send('GET', url)).body).toEqual(changed.body);
});

it('A deleted note is restored with its file, until it is purged', async () => {
  const { send, notes } = await prepare();
  const { body: note } = await send('POST', notes, { text: 'x', file: fileOf('a.txt', 'abc') });
  const url = `${notes}/${note.id}`;
  for (let again = 0; again < 2; again++) expect((await send('DELETE', url)).status).toBe(204);
  expect(await list(send, notes)).toEqual([]);
  expect((await send('GET', url)).body.deletedAt).toEqual(expect.any(String));
  expect((await send('PATCH', url, { text: 'y' })).status).toBe(404);
  expect((await send('POST', `${url}/restore`)).body).toEqual(note);
  expect(await list(send, notes)).toEqual([note]);
  await send('DELETE', url);
  expect((await purgeNotes(service.db, 30)).purged).toBe(0);
  await sql`update notes set counts_from = now() - interval '31 days' where id = ${note.id}`.execute(service.db);
  expect((await purgeNotes(service.db, 30)).purged).toBe(1);
  expect((await send('POST', `${url}/restore`)).status).toBe(404);
  const { body: other } = await send('POST', notes, { text: 'purged at will' });
  await send('DELETE', `${notes}/${other.id}`);
  await send('DELETE', '/v1/deleted');
  expect((await purgeNotes(service.db, 30)).purged).toBe(1);
  expect((await send('GET', `${notes}/${other.id}`)).status).toBe(404);
});

it('Two people note together, and both notes are kept', async () => {
  const { send, notes, account } = await prepare();
  const other = service.sendAs(await service.makeKey(account));
  const texts = Array.from({ length: 20 }, (_, i) => `note ${i}`);
  const answers = await Promise.all(texts.map((text, i) => (i % 2 ? other : send)('POST', notes, { text })));
  expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 201));
  const kept = (await list(send, notes)).map(({ text }: { text: string }) => text);
  expect(kept.sort()).toEqual(texts.sort());
});

it('Wrong notes are refused with what to do', async () => {
  const { send, notes, objectiveUrl } = await prepare();
  const other = await prepare();
  const refused = async (body: object, property: string) => {
    const answer = await send('POST', notes, body);
    expect([answer.status, answer.body.errors?.[0]?.property], answer.text).toEqual([400, property]);
    return answer.body.errors[0].message as string;
  };
  expect(await refused({}, 'text')).toContain('unless there is a file');
  await refused({ text: 'x'.repeat(2_001) }, 'text');
  await refused({ text: 'a\u0000b' }, 'text');
  expect(await refused({ text: 'x', inverseId: other.inverse.id }, 'inverseId')).toContain('no run with the id');
  expect(await refused({ file: fileOf('empty.txt', '') }, 'file.content')).toContain('is empty');
  expect(await refused({ file: { name: 'a', content: 'no base64!' } }, 'file.content')).toContain('base64');
  expect(await refused({ file: fileOf('a', Buffer.alloc(MOST + 1)) }, 'file.content')).toContain(`at most ${MOST}`);
  expect(await refused({ file: { ...fileOf('a', 'a'), thumbnail: base64('a') } }, 'file.thumbnail')).toContain('JPEG');
  expect((await send('POST', notes, { file: fileOf('a', Buffer.alloc(2 * MOST)) })).status).toBe(413);
  await send('DELETE', objectiveUrl);
  expect((await send('POST', notes, { text: 'late' })).status).toBe(404);
  expect(await list(send, notes)).toEqual([]);
});

it('A key that may only read lists notes and saves files, and writes nothing', async () => {
  const { send, notes, account } = await prepare();
  const { body: note } = await send('POST', notes, { text: 'x', file: fileOf('a.txt', 'abc') });
  const reader = service.sendAs(await service.makeKey(account, ['read']));
  expect(await list(reader, notes)).toEqual([note]);
  expect((await reader('GET', `${notes}/${note.id}/file`)).text).toBe('abc');
  for (const [method, url, body] of [
    ['POST', notes, { text: 'y' }],
    ['PATCH', `${notes}/${note.id}`, { text: 'y' }],
    ['DELETE', `${notes}/${note.id}`, undefined],
    ['POST', `${notes}/${note.id}/restore`, undefined],
  ] as const) {
    expect((await reader(method, url, body)).status, `${method} ${url}`).toBe(403);
  }
});

describe('a file', () => {
  it('Comes back byte for byte as an attachment that no browser shows or runs', async () => {
    const { send, notes } = await prepare();
    const html = '<script>alert(1)</script>';
    const { body: note } = await send('POST', notes, { file: fileOf('..\\Prüfstand "1".html', html) });
    expect(note.file).toEqual({ name: 'Prüfstand -1-.html', mediaType: 'text/plain', bytes: 25, hasThumbnail: false });
    const { status, headers, text } = await send('GET', `${notes}/${note.id}/file`);
    expect([status, text]).toEqual([200, html]);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="Pr?fstand -1-.html"; filename*=UTF-8''Pr%C3%BCfstand%20-1-.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect((await send('GET', `${notes}/${note.id}/thumbnail`)).status).toBe(404);
    const { body: plain } = await send('POST', notes, { text: 'no file' });
    expect((await send('GET', `${notes}/${plain.id}/file`)).status).toBe(404);
  });

  it('Is told by its content, and its thumbnail has lost where the photo was taken', async () => {
    const { send, notes } = await prepare();
    const photo = withExif(Buffer.from(SMALL_JPEG, 'base64'), 'GPS 48.1');
    const sent = { ...fileOf('weld.png', photo), thumbnail: base64(photo) };
    const { body: note } = await send('POST', notes, { text: 'weld', file: sent });
    expect(note.file).toMatchObject({ mediaType: 'image/jpeg', hasThumbnail: true, bytes: photo.length });
    const { headers } = await send('GET', `${notes}/${note.id}/thumbnail`);
    expect(headers).toMatchObject({ 'content-type': 'image/jpeg', 'x-content-type-options': 'nosniff' });
    const stored = await sql<{ content: Buffer; thumbnail: Buffer }>`
      select content, thumbnail from notes where id = ${note.id}`.execute(service.db);
    const { content, thumbnail } = stored.rows[0]!;
    expect(content.equals(photo)).toBe(true);
    expect(thumbnail.toString('latin1')).not.toContain('GPS');
  });

  it('Is stored once however often its upload is repeated under a key', async () => {
    const { send, notes } = await prepare();
    const body = { text: 'x', file: fileOf('a.txt', 'abc') };
    const upload = () => send('POST', notes, body, { 'idempotency-key': 'upload-1' });
    const answers = await Promise.all([upload(), upload(), upload()]);
    // One that arrives while the first is running is asked to come back.
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const again = await upload();
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(await list(send, notes)).toEqual([again.body]);
  });

  it('Is in the export, where its note is', async () => {
    const { send, notes, inverse } = await prepare();
    const { body: note } = await send('POST', notes, {
      text: 'x',
      inverseId: inverse.id,
      file: fileOf('a.txt', 'abc'),
    });
    const { body: gone } = await send('POST', notes, { text: 'gone' });
    await send('DELETE', `${notes}/${gone.id}`);
    const exported = async (query: string) =>
      (await send('GET', `/v1/export${query}`)).text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ type }) => type === 'note');
    expect(await exported('')).toEqual([{ type: 'note', ...note, content: base64('abc') }]);
    expect(await exported('?deleted=true')).toMatchObject([{ id: note.id }, { id: gone.id, content: null }]);
  });

  it('Counts in the storage of the account, which refuses what is beyond its quota, and goes with its objective', async () => {
    const { send, notes, objectiveUrl } = await prepare();
    const usage = async () => {
      await countStorage(service.db);
      return (await send('GET', '/v1/account')).body.storedBytes as number;
    };
    const before = await usage();
    const content = Buffer.alloc(150_000, 'abcdefgh');
    await send('POST', notes, { file: fileOf('a.bin', content) });
    const grown = (await usage()) - before;
    expect(grown).toBeGreaterThanOrEqual(content.length);
    expect(grown).toBeLessThan(content.length + 1_000);
    const { rows } = await sql<{ id: number }>`select account_id as id from notes order by id desc limit 1`.execute(
      service.db,
    );
    await sql`update account_usage set stored_bytes = 4900000 where account_id = ${rows[0]!.id}`.execute(service.db);
    const full = await send('POST', notes, { file: fileOf('b.bin', content) });
    expect(full).toMatchObject({ status: 403, body: { type: 'urn:backsolve:problem:quota-exceeded' } });
    await send('DELETE', objectiveUrl);
    await purgeAtOnce(service.db, rows[0]!.id, null);
    await purgeDeleted(service.db, { keptDays: 30 });
    const left = await sql`select from notes where account_id = ${rows[0]!.id}`.execute(service.db);
    expect(left.rows).toEqual([]);
  });

  it('The account says how large a file may be', async () => {
    expect((await service.send('GET', '/v1/account')).body.files).toEqual({ bytes: MOST });
  });
});
