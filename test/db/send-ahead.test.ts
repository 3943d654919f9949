import { PassThrough } from 'node:stream';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { BEGINS_TRANSACTION, ENDS_TRANSACTION, sendAhead } from '../../src/db/send-ahead.ts';
import { type Db, sqlState, type Trx } from '../../src/db/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const BEGIN = sql.raw(BEGINS_TRANSACTION);
const END = sql.raw(ENDS_TRANSACTION);

describe('a transaction', () => {
  let database: TestDatabase;
  let db: Db;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = connectTo(database.url);
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });

  const insert = (trx: Trx, name: string) => sql`insert into accounts (name) values (${name})`.execute(trx);
  const exists = async (name: string) => {
    const { rows } = await sql`select from accounts where name = ${name}`.execute(db);
    return rows.length === 1;
  };

  it('holds its first statement, be it a read or a write', async () => {
    const failure = new Error('on purpose');
    const writing = db.transaction().execute(async (trx) => {
      await insert(trx, 'written first');
      throw failure;
    });
    await expect(writing).rejects.toBe(failure);
    const reading = db.transaction().execute(async (trx) => {
      await sql`select 1`.execute(trx);
      await insert(trx, 'written after a read');
      throw failure;
    });
    await expect(reading).rejects.toBe(failure);
    expect(await exists('written first')).toBe(false);
    expect(await exists('written after a read')).toBe(false);
  });

  it('commits the statement that ends it', async () => {
    await db.transaction().execute(async (trx) => {
      await sql`${END} insert into accounts (name) values ('sent with the commit')`.execute(trx);
    });
    expect(await exists('sent with the commit')).toBe(true);
  });

  it('whose last statement fails rejects with its error and leaves nothing, and the connection goes on', async () => {
    const failing = db.transaction().execute(async (trx) => {
      await insert(trx, 'undone');
      await sql`${END} insert into accounts (name) values (null)`.execute(trx);
    });
    const error = await failing.catch((caught: unknown) => caught);
    expect(sqlState(error)).toBe('23502');
    expect(await exists('undone')).toBe(false);
  });

  const WORK = [
    ['a read', (trx: Trx) => sql`select 1 from accounts for update`.execute(trx)],
    ['a write', (trx: Trx) => insert(trx, 'behind a failure')],
  ] as const;

  it.each(WORK)(
    'whose first statement fails rejects %s with its error, on a connection that goes on',
    async (_, work) => {
      const { rows: before } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
      const failing = db.transaction().execute(async (trx) => {
        await sql`${BEGIN} select 1 / 0`.execute(trx);
        await work(trx);
      });
      expect(sqlState(await failing.catch((caught: unknown) => caught))).toBe('22012');
      expect(await exists('behind a failure')).toBe(false);
      expect((await sql`select pg_backend_pid() as pid`.execute(db)).rows).toEqual(before);
    },
  );

  it('that only begins and ends is one', async () => {
    expect(await db.transaction().execute(async () => 'done')).toBe('done');
  });
});

describe('behind a begin that is not answered yet', () => {
  /** A client that answers when it is told to. */
  function setup() {
    const sent: { text: string; answer: PromiseWithResolvers<unknown> }[] = [];
    const client = {
      connection: { stream: new PassThrough() },
      query: (text: string) => {
        const answer = Promise.withResolvers<unknown>();
        sent.push({ text, answer });
        return answer.promise;
      },
    } as unknown as pg.Client;
    sendAhead(client);
    return { sent, texts: () => sent.map(({ text }) => text), query: client.query.bind(client) as Query };
  }
  type Query = (text: string) => Promise<unknown>;
  const settle = () => new Promise(setImmediate);

  it('a read is sent, and a failed begin fails it', async () => {
    const { sent, texts, query } = setup();
    await query('begin');
    const reading = query('select 1 for update');
    await settle();
    expect(texts()).toEqual(['begin', 'select 1 for update']);
    sent[0]!.answer.reject(new Error('no begin'));
    sent[1]!.answer.resolve({ rows: [] });
    await expect(reading).rejects.toThrow('no begin');
  });

  it('a write waits, and is never sent when begin fails', async () => {
    const { sent, texts, query } = setup();
    await query('begin');
    const writing = query('insert into models default values');
    await settle();
    expect(texts()).toEqual(['begin']);
    sent[0]!.answer.reject(new Error('no begin'));
    await expect(writing).rejects.toThrow('no begin');
    expect(texts()).toEqual(['begin']);
  });
});
