import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { makeMigrationCheck } from '../../src/db/migrate.ts';
import { createTestDatabase } from '../support/postgres.ts';

it('The schema is up to date while no migration is missing, which one statement finds out', async () => {
  const database = await createTestDatabase();
  const statements: string[] = [];
  const db = connectTo(database.url, {
    aroundStatement: (text, run) => {
      statements.push(text);
      return run();
    },
  });
  const isUpToDate = makeMigrationCheck(db);
  expect(await isUpToDate()).toBe(true);
  expect(await isUpToDate()).toBe(true);
  expect(statements).toHaveLength(2);
  await sql`insert into kysely_migration (name, timestamp) values ('9999-of-a-later-version', '')`.execute(db);
  expect(await isUpToDate()).toBe(true);
  await sql`delete from kysely_migration where name like '0003-%'`.execute(db);
  expect(await isUpToDate()).toBe(false);
  await sql`drop table kysely_migration`.execute(db);
  expect(await isUpToDate()).toBe(false);
  await db.destroy();
  await expect(isUpToDate()).rejects.toThrow();
  await database.drop();
});
