import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forAccount, poolUsage } from '../../../src/db/connection/client.ts';
import { ConnectionShares, sharesOf } from '../../../src/db/connection/connection-shares.ts';
import { databaseTrouble } from '../../../src/db/connection/transaction.ts';
import { openTestAccount, type TestAccount } from '../../support/fixtures.ts';

describe('shares of a pool', () => {
  it('A share leaves connections to others at every size of a pool', () => {
    for (let size = 1; size <= 100; size++) {
      const { perAccount, total } = sharesOf(size);
      expect(perAccount).toBeGreaterThanOrEqual(1);
      expect(total).toBeGreaterThanOrEqual(perAccount);
      if (size > 2) expect(total).toBeLessThan(size);
      if (size > 3) expect(perAccount).toBeLessThan(total);
    }
  });

  it('Connections go round robin to the accounts that wait', async () => {
    const shares = new ConnectionShares({ perAccount: 2, total: 2 }, 60_000);
    const order: number[] = [];
    const leaves: (() => void)[] = [];
    const enter = async (account: number) => {
      leaves.push(await shares.enter(account));
      order.push(account);
    };
    const all = [1, 1, 1, 1, 1, 2, 3].map(enter);
    for (let freed = 0; freed < all.length; freed++) {
      await new Promise((resolve) => setImmediate(resolve));
      leaves[freed]!();
      leaves[freed]!();
    }
    await Promise.all(all);
    expect(order).toEqual([1, 1, 1, 2, 3, 1, 1]);
  });
});

it('An account that gets no connection in time stops waiting and lets others go first', async () => {
  const shares = new ConnectionShares({ perAccount: 1, total: 1 }, 10);
  const leave = await shares.enter(1);
  const error = await shares.enter(2).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(databaseTrouble(error)).toBe('away');
  const next = shares.enter(3);
  leave();
  (await next)();
});

describe('the handle of an account', () => {
  let t: TestAccount;
  beforeAll(async () => {
    t = await openTestAccount();
  });
  afterAll(() => t.close());

  it('An account holds at most half of the connections, and another account is served meanwhile', async () => {
    const gate = await t.db.connection().execute(async (holder) => {
      await sql`select pg_advisory_lock(7)`.execute(holder);
      const blocked = Array.from({ length: 50 }, () =>
        sql`select pg_advisory_xact_lock_shared(7)`.execute(forAccount(t.db, 1)),
      );
      await expect.poll(() => poolUsage(t.db).open - poolUsage(t.db).idle).toBe(1 + sharesOf(10).perAccount);
      const other = await sql<{ one: number }>`select 1 as one`.execute(forAccount(t.db, 2));
      expect(other.rows).toEqual([{ one: 1 }]);
      await sql`select pg_advisory_unlock(7)`.execute(holder);
      return { blocked };
    });
    await Promise.all(gate.blocked);
    await expect.poll(() => poolUsage(t.db).open - poolUsage(t.db).idle).toBe(0);
  });

  it('An account returns its share when a statement or a transaction fails', async () => {
    const db = forAccount(t.db, 3);
    for (let i = 0; i < 20; i++) {
      await expect(sql`select 1 / 0`.execute(db)).rejects.toThrow('division');
      await expect(db.transaction().execute((trx) => sql`select 1 / 0`.execute(trx))).rejects.toThrow('division');
    }
    await sql`select 1`.execute(db);
  });
});
