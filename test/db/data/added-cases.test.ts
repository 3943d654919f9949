/** Added cases of a trial with thousands of batches: what a read looks at depends on what it reads. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction, type Trx } from '../../../src/db/connection/transaction.ts';
import {
  countAddedCases,
  readAddedCasesAsJson,
  readAddedOutputs,
  readAddedRows,
} from '../../../src/db/data/added-cases.ts';
import { loadLinearObjective, openTestAccount, type TestAccount } from '../../support/fixtures.ts';

const BATCHES = 5_000;
/** Number of the first added case; the trial has two others. */
const FIRST = 3;

let t: TestAccount;
let trialId: number;

beforeAll(async () => {
  t = await openTestAccount();
  trialId = (await loadLinearObjective(t)).trial.id;
  // Batches of two cases; case n has the inputs n, 1 and the outputs n, 2, 3, and the second of each batch failed.
  await sql`
    insert into added_cases (account_id, trial_id, revision, first_number, case_count, inputs, outputs, failed_cases)
    select ${t.accountId}, ${trialId}, n, f, 2, array[array[f, 1], array[f + 1, 1]],
      array[array[f, 2, 3], array[f + 1, 2, 3]], '{1}'
    from generate_series(1, ${BATCHES}::int) n cross join lateral (select ${FIRST}::int + 2 * (n - 1) as f) f`.execute(
    t.db,
  );
  await sql`analyze added_cases`.execute(t.db);
});
afterAll(() => t.close());

/** Rows that this session has looked at and not reported yet. */
async function countSeen(trx: Trx): Promise<number> {
  const { rows } = await sql<{ seen: number }>`
    select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as seen
    from pg_stat_xact_user_tables where relname = 'added_cases'`.execute(trx);
  return rows[0]!.seen;
}

/** Number of rows that the server looks at for a read. */
async function seenBy(read: (trx: Trx) => Promise<unknown>): Promise<number> {
  return inTransaction(t.db, async (trx) => {
    const before = await countSeen(trx);
    await read(trx);
    return (await countSeen(trx)) - before;
  });
}

it('Cases are read across batches, with the rows that failed', async () => {
  const rows = await readAddedRows(t.db, t.accountId, trialId, FIRST + 1, 4);
  expect(rows.map(({ number, inputs, failed }) => [number, inputs.toRows(), failed])).toEqual([
    [4, [[4, 1]], [0]],
    [
      5,
      [
        [5, 1],
        [6, 1],
      ],
      [1],
    ],
    [7, [[7, 1]], []],
  ]);
  const { outputs, failed } = await readAddedOutputs(t.db, t.accountId, trialId, FIRST + 1, 4);
  expect([outputs.toRows(), failed]).toEqual([[4, 5, 6, 7].map((n) => [n, 2, 3]), [0, 2]]);
  expect(await countAddedCases(t.db, t.accountId, trialId)).toBe(2 * BATCHES);
});

it('Nothing is read for another account, nor past the last case', async () => {
  expect(await readAddedRows(t.db, t.accountId + 1, trialId, FIRST, 4)).toEqual([]);
  expect(await countAddedCases(t.db, t.accountId + 1, trialId)).toBe(0);
  const { outputs } = await readAddedOutputs(t.db, t.accountId, trialId, FIRST + 2 * BATCHES, 4);
  expect(outputs.rows).toBe(0);
  expect(await readAddedCasesAsJson(t.db, trialId, FIRST + 2 * BATCHES, 4)).toBeUndefined();
});

it('A read looks at the batches that it needs, however many there are', async () => {
  const late = FIRST + 2 * BATCHES - 10;
  const looks = [
    await seenBy((trx) => readAddedRows(trx, t.accountId, trialId, late, 1)),
    await seenBy((trx) => readAddedOutputs(trx, t.accountId, trialId, late, 1)),
    await seenBy((trx) => countAddedCases(trx, t.accountId, trialId)),
    await seenBy((trx) => readAddedCasesAsJson(trx, trialId, late, 1)),
  ];
  for (const seen of looks) {
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(10);
  }
});
