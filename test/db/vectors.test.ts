import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestAccount, type TestAccount } from '../support/fixtures.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);

it('any finite vector survives the database exactly', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(finite, { maxLength: 20 }), async (vector) => {
      const { rows } = await sql<{ vector: number[] }>`select ${vector}::float8[] as vector`.execute(account.db);
      expect(rows[0]!.vector).toEqual(vector);
    }),
    { numRuns: 200 },
  );
});

it('any list of cases survives the database exactly', async () => {
  const matrix = fc
    .nat({ max: 6 })
    .chain((width) =>
      fc.array(fc.array(finite, { minLength: width + 1, maxLength: width + 1 }), { minLength: 1, maxLength: 8 }),
    );
  await fc.assert(
    fc.asyncProperty(matrix, async (cases) => {
      const { rows } = await sql<{ cases: number[][] }>`select ${cases}::float8[] as cases`.execute(account.db);
      expect(rows[0]!.cases).toEqual(cases);
    }),
    { numRuns: 100 },
  );
});
