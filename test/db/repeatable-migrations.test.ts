/** Repeatable migrations: applied when their text changes, never put back to an older revision, whole or not at all. */
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeMigrationCheck, migrate } from '../../src/db/migrate.ts';
import { openTestAccount, type TestAccount } from '../support/fixtures.ts';
import { copyMigrations, type MigrationsFolder } from '../support/migrations-folder.ts';

const REPEATABLE = new URL('../../migrations/repeatable/', import.meta.url);

let t: TestAccount;
let release: MigrationsFolder;
beforeEach(async () => {
  t = await openTestAccount();
  release = await copyMigrations(false);
});
afterEach(async () => {
  await t.close();
  await release[Symbol.asyncDispose]();
});

const fileOf = (name: string) => path.join(release.path, 'repeatable', name);

/** Migrates with a function that returns `answer` as the only repeatable migration. */
async function migrateWith(revision: number, answer: number, rest = ''): Promise<readonly string[]> {
  await writeFile(
    fileOf('answer.sql'),
    `-- revision ${revision}\ncreate or replace function answer() returns integer language sql as 'select ${answer}';\n${rest}`,
  );
  const { applied } = await migrate(t.db, { folder: release.url });
  return applied;
}

async function answer(): Promise<number> {
  const { rows } = await sql<{ answer: number }>`select answer() as answer`.execute(t.db);
  return rows[0]!.answer;
}

it('A repeatable migration is applied once, and again when its revision or its text changes', async () => {
  expect(await migrateWith(1, 10)).toEqual(['repeatable/answer']);
  expect(await migrateWith(1, 10)).toEqual([]);
  expect(await migrateWith(2, 20)).toEqual(['repeatable/answer']);
  expect(await answer()).toBe(20);
  expect(await migrateWith(2, 21)).toEqual(['repeatable/answer']);
  expect(await answer()).toBe(21);
});

it('An earlier release that migrates during a rolling upgrade leaves the newer revision alone', async () => {
  await migrateWith(2, 20);
  expect(await migrateWith(1, 10)).toEqual([]);
  expect(await answer()).toBe(20);
});

it('A repeatable migration that fails leaves neither its text nor its record', async () => {
  await migrateWith(1, 10);
  await expect(migrateWith(2, 20, 'select 1 / 0;')).rejects.toThrow(/division by zero/);
  expect(await answer()).toBe(10);
  expect(await migrateWith(2, 20)).toEqual(['repeatable/answer']);
});

it('A migrator that is killed before its commit leaves nothing behind, and the next one continues', async () => {
  await migrateWith(1, 10);
  const killer = new pg.Client({ connectionString: t.directUrl });
  await killer.connect();
  try {
    // The migrator ends its own session in the middle, as a kill would.
    const killed = migrateWith(2, 20, 'select pg_terminate_backend(pg_backend_pid());');
    await expect(killed).rejects.toThrow();
    const { rows } = await killer.query<{ answer: number }>('select answer()');
    expect(rows).toEqual([{ answer: 10 }]);
    expect(await migrateWith(2, 20)).toEqual(['repeatable/answer']);
    expect(await answer()).toBe(20);
  } finally {
    await killer.end();
  }
});

it('Migrators that start together apply a repeatable migration once', async () => {
  await migrateWith(1, 10);
  await writeFile(
    fileOf('answer.sql'),
    "-- revision 2\ncreate or replace function answer() returns integer language sql as 'select 20';",
  );
  const outcomes = await Promise.all([1, 2, 3].map(() => migrate(t.db, { folder: release.url })));
  expect(outcomes.flatMap(({ applied }) => applied)).toEqual(['repeatable/answer']);
  expect(await answer()).toBe(20);
});

it('A file without a revision is refused by name', async () => {
  await writeFile(fileOf('nameless.sql'), 'select 1;');
  await expect(migrate(t.db, { folder: release.url })).rejects.toThrow(
    'migrations/repeatable/nameless.sql must begin with "-- revision <number>"',
  );
});

it('The schema is up to date with the text of this release or a newer revision, and not with another text', async () => {
  const isUpToDate = makeMigrationCheck(t.db);
  expect(await isUpToDate()).toBe(true);
  const record = sql`update repeatable_migrations set`;
  await sql`${record} revision = revision + 1, checksum = 'of a later release'`.execute(t.db);
  expect(await isUpToDate()).toBe(true);
  await sql`${record} revision = revision - 1`.execute(t.db);
  expect(await isUpToDate()).toBe(false);
  const all = (await readdir(REPEATABLE)).map((file) => `repeatable/${file.replace('.sql', '')}`).sort();
  expect((await migrate(t.db)).applied).toEqual(all);
  expect(await isUpToDate()).toBe(true);
});
