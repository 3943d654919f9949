/** Migrating while other sessions use the tables. */
import pg from 'pg';
import { expect, it } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { execute } from '../../harness/one-statement.ts';
import { makeMigrationCheck, migrate } from '../../src/db/migrate.ts';
import { createTestDatabase } from '../support/postgres.ts';

/** A database without a schema, with a handle that waits for locks for `lockTimeoutMs`. */
async function openEmpty(lockTimeoutMs: number) {
  const { directUrl: url, drop } = await createTestDatabase();
  await execute(url, 'drop schema public cascade; create schema public');
  const db = connectTo(url, { poolSize: 2, lockTimeoutMs });
  const close = async () => {
    await db.destroy();
    await drop();
  };
  return { url, db, close };
}

it('A migration starts over when a table is in use for longer than the lock timeout', async () => {
  const t = await openEmpty(100);
  const user = new pg.Client({ connectionString: t.url });
  await user.connect();
  try {
    // Written at the end of the first migration, when its tables are there already.
    await user.query('create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)');
    await user.query('begin; lock table kysely_migration in share mode');
    const retries: Error[] = [];
    const { applied } = await migrate(t.db, {
      onRetry: (error) => {
        retries.push(error);
        void user.query('commit');
      },
    });
    expect(applied[0]).toBe('0001-create-accounts');
    expect(retries.map((error) => error.message)).toEqual([expect.stringContaining('lock timeout')]);
    expect(await makeMigrationCheck(t.db)()).toBe(true);
  } finally {
    await user.end();
    await t.close();
  }
});

it('A migration reports any other failure immediately, and leaves nothing half done', async () => {
  const t = await openEmpty(1_000);
  try {
    await execute(t.url, 'create table suggestion_jobs ()');
    const retries: Error[] = [];
    await expect(migrate(t.db, { onRetry: (error) => retries.push(error) })).rejects.toThrow(/already exists/);
    expect(retries).toEqual([]);
    expect(await makeMigrationCheck(t.db)()).toBe(false);
    await expect(execute(t.url, 'select from accounts')).rejects.toThrow(/does not exist/);
  } finally {
    await t.close();
  }
});
