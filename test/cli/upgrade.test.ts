/** A folder that several releases use, one after the other. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeOver } from '../../src/cli/data-folder.ts';
import { openDatabase } from '../../src/composing/database.ts';
import { listMigrations } from '../../src/db/history.ts';
import { makeMigrationCheck, migrate } from '../../src/db/migrate.ts';
import { VERSION } from '../../src/installation.ts';
import { makeLog } from '../../src/log.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { loadConfig } from '../../src/settings/config.ts';

const log = makeLog({ level: 'silent' });
let dataDir: string;
let postgres: EmbeddedPostgres;
let db: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'backsolve-upgrade-'));
  postgres = await startEmbeddedPostgres({ dataDir, log, loseDataOnCrash: true });
  db = openDatabase(loadConfig({}), postgres.url, log);
});
afterAll(async () => {
  await db.destroy();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const copies = async () => (await readdir(dataDir)).filter((name) => name.startsWith('before-'));
const take = () => takeOver(db, postgres.url, dataDir, log);

test('a later release copies the database before it changes it, once, and an earlier one refuses and says which it needs', async () => {
  await migrate(db);
  // As a release left it that had another text of a view.
  await sql`update repeatable_migrations set revision = revision - 1 where name = 'repeatable/stored-records'`.execute(
    db,
  );
  await sql`
    with a as (insert into accounts (name) values ('default') returning id)
    insert into api_keys (account_id, key_id, secret_hash, label) select id, 'abcdefgh', '\\x00', 'kept' from a`.execute(
    db,
  );
  await take();
  expect(await makeMigrationCheck(db)()).toBe(true);
  expect(await copies()).toEqual([`before-${VERSION}.backup`]);
  const copy = path.join(dataDir, `before-${VERSION}.backup`);
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  const text = gunzipSync(await readFile(copy)).toString('utf8');
  expect(JSON.parse(text.split('\n')[0]!).migrations.at(-1)).toBe((await listMigrations()).at(-1));
  expect(text).toContain('kept');

  const written = (await stat(copy)).mtimeMs;
  await take();
  expect((await stat(copy)).mtimeMs).toBe(written);

  await sql`insert into kysely_migration (name, timestamp) values ('0999-of-a-later-release', now()::text)`.execute(db);
  await writeFile(path.join(dataDir, 'release.json'), '{"backsolve":"9.8.7"}');
  await expect(take()).rejects.toThrow(
    /needs Backsolve 9\.8\.7 or later: it has the migration 0999-of-a-later-release.*restore/s,
  );
  expect(await readFile(path.join(dataDir, 'release.json'), 'utf8')).toContain('9.8.7');
  await expect(migrate(db)).rejects.toThrow('A later release has migrated this database (0999-of-a-later-release)');
  await sql`delete from kysely_migration where name = '0999-of-a-later-release'`.execute(db);
  await take();
});
