/** Files of notes on storage that speaks the S3 protocol. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeAtOnce, purgeDeleted } from '../../src/application/deletion/purge-deleted.ts';
import { type ObjectStore, removeFiles } from '../../src/application/notes/note-files.ts';
import { makeS3Store } from '../../src/outside/files/s3-store.ts';
import { hasS3Storage, type S3Storage, startS3Storage } from '../support/s3-storage.ts';
import { type NativeService, openNativeService, prepareObjective } from './native-service.ts';

if (!hasS3Storage) console.log('NOT CHECKED: files on S3 storage, because there is no gofakes3 on PATH.');

describe.skipIf(!hasS3Storage)('files on S3 storage', () => {
  let storage: S3Storage;
  let store: ObjectStore;
  let service: NativeService;
  beforeAll(async () => {
    storage = await startS3Storage();
    store = makeS3Store({ ...storage, region: 'us-east-1', accessKey: 'key', secretKey: 'secret' });
    service = await openNativeService({ settings: { fileBytes: 1_000_000 }, deps: { files: store } });
  });
  afterAll(async () => {
    await service.close();
    await storage.close();
  });

  const file = (text: string) => ({ name: 'log.txt', content: Buffer.from(text).toString('base64') });
  const prepare = async () => {
    const { loaded, objectiveUrl } = await prepareObjective(service.send);
    return { objectiveUrl, notes: `/v1/objectives/${loaded.body.id}/notes` };
  };
  const remaining = async () => (await sql`select from file_removals`.execute(service.db)).rows.length;
  const makeDue = () => sql`update file_removals set due_at = now()`.execute(service.db);

  it('A file is in the bucket and not in the database, comes back and is exported as it was', async () => {
    const { notes } = await prepare();
    const { body: note } = await service.send('POST', notes, { text: 'x', file: file('hello') });
    const { rows } = await sql<{ content: Buffer | null; key: string }>`
      select content, storage_key as key from notes where id = ${note.id}`.execute(service.db);
    expect(rows[0]!.content).toBeNull();
    expect(await storage.list()).toEqual([rows[0]!.key]);
    expect((await service.send('GET', `${notes}/${note.id}/file`)).text).toBe('hello');
    const lines = (await service.send('GET', '/v1/export')).text.trim().split('\n');
    const exported = lines.map((line) => JSON.parse(line)).find(({ type }) => type === 'note');
    expect(exported).toMatchObject({ id: note.id, content: Buffer.from('hello').toString('base64') });
    expect(await remaining()).toBe(0);
  });

  it('A file goes from the bucket once its note is purged', async () => {
    const { notes, objectiveUrl } = await prepare();
    const before = await storage.list();
    const { body: note } = await service.send('POST', notes, { file: file('goes') });
    expect(await storage.list()).toHaveLength(before.length + 1);
    const { rows } = await sql<{ id: number }>`select account_id as id from notes where id = ${note.id}`.execute(
      service.db,
    );
    await service.send('DELETE', objectiveUrl);
    await purgeAtOnce(service.db, rows[0]!.id, null);
    await purgeDeleted(service.db, { keptDays: 30 });
    expect((await removeFiles(service.db, store)).removed).toBe(1);
    expect([await storage.list(), await remaining()]).toEqual([before, 0]);
  });

  it('A file that the bucket has lost is not found, and its note is still exported', async () => {
    const { notes } = await prepare();
    const before = await storage.list();
    const { body: note } = await service.send('POST', notes, { file: file('lost') });
    const key = (await storage.list()).find((each) => !before.includes(each))!;
    await store.remove(key);
    expect((await service.send('GET', `${notes}/${note.id}/file`)).status).toBe(404);
    const lines = (await service.send('GET', '/v1/export')).text.trim().split('\n');
    const exported = lines.map((line) => JSON.parse(line)).find(({ type, id }) => type === 'note' && id === note.id);
    expect(exported).toMatchObject({ file: { name: 'log.txt' }, content: null });
  });

  it('An upload whose note is refused leaves nothing in the bucket', async () => {
    const { notes } = await prepare();
    const before = await storage.list();
    const answer = await service.send('POST', notes, { inverseId: 999_999, file: file('refused') });
    expect(answer.status).toBe(400);
    expect(await storage.list()).toHaveLength(before.length + 1);
    // Whoever is slow may still be uploading.
    expect((await removeFiles(service.db, store)).removed).toBe(0);
    await makeDue();
    expect((await removeFiles(service.db, store)).removed).toBe(1);
    expect([await storage.list(), await remaining()]).toEqual([before, 0]);
  });

  it('While the storage does not answer, uploads are refused with 503, nothing is noted, and a retry under the same key succeeds', async () => {
    const { notes } = await prepare();
    const gone = await startS3Storage();
    await gone.close();
    const settings = { region: 'us-east-1', accessKey: 'key', secretKey: 'secret' };
    const broken = makeS3Store({ ...gone, ...settings });
    const working = { put: store.put, get: store.get, remove: store.remove };
    Object.assign(store, broken);
    try {
      const upload = () => service.send('POST', notes, { file: file('again') }, { 'idempotency-key': 'away' });
      const refused = await upload();
      expect(refused).toMatchObject({ status: 503, body: { type: 'urn:backsolve:problem:files-unavailable' } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await service.send('GET', notes)).body).toEqual([]);
      await makeDue();
      await expect(removeFiles(service.db, store)).rejects.toThrow('1 files could not be removed');
      Object.assign(store, working);
      expect((await upload()).status).toBe(201);
      expect((await service.send('GET', notes)).body).toHaveLength(1);
      expect((await removeFiles(service.db, store)).removed).toBe(0);
      await makeDue();
      expect((await removeFiles(service.db, store)).removed).toBe(1);
    } finally {
      Object.assign(store, working);
    }
  });
});
