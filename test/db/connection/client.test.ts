import { sql } from 'kysely';
import pg from 'pg';
import { expect, it } from 'vitest';
import { connectTo } from '../../../harness/database-handle.ts';
import { type Db, sqlState } from '../../../src/db/connection/transaction.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const APPLICATION = 'backsolve-client-test';

it('A connection has its time limits and never compiles a statement, from the first one on', async () => {
  const database = await createTestDatabase();
  const db = connectTo(database.directUrl, { applicationName: APPLICATION });
  const { rows } = await sql`
    select name, setting from pg_settings
    where name in ('jit', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')
    order by name`.execute(db);
  await db.destroy();
  await database.drop();
  expect(rows).toEqual([
    { name: 'idle_in_transaction_session_timeout', setting: '10000' },
    { name: 'jit', setting: 'off' },
    { name: 'lock_timeout', setting: '5000' },
    { name: 'statement_timeout', setting: '10000' },
  ]);
});

it('A transaction on a lost connection rejects with the cause, not with its rollback', async () => {
  const database = await createTestDatabase();
  const [db, other] = [1, 2].map(() => connectTo(database.directUrl, { applicationName: APPLICATION })) as [Db, Db];
  const ending = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    const sleeping = sql`select pg_sleep(60)`.execute(trx);
    sleeping.catch(() => undefined);
    await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(other);
    await sleeping;
  });
  expect(sqlState(await ending.catch((error: unknown) => error))).toBe('57P01');
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  await Promise.all([db.destroy(), other.destroy()]);
  await database.drop();
});

it('A destroyed handle has closed its connections, so that the server may stop immediately', async () => {
  const database = await createTestDatabase();
  const watcher = new pg.Client({ connectionString: database.directUrl });
  await watcher.connect();
  const countOpen = async () => {
    const { rows } = await watcher.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where application_name = $1',
      [APPLICATION],
    );
    return rows[0]!.count;
  };
  const db = connectTo(database.directUrl, { poolSize: 8, applicationName: APPLICATION });
  const open = await Promise.all(Array.from({ length: 8 }, () => db.startTransaction().execute()));
  for (const trx of open) await sql`select 1`.execute(trx);
  expect(await countOpen()).toBe(8);
  await Promise.all(open.map((trx) => trx.rollback().execute()));
  await db.destroy();
  expect(await countOpen()).toBe(0);
  await watcher.end();
  await database.drop();
});
