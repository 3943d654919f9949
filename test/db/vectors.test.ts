import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeMatrix, encodeMatrix, matrixColumn, matrixRows } from '../../src/db/matrices.ts';
import { Matrix } from '../../src/domain/matrix.ts';
import { openTestAccount, type TestAccount } from '../support/fixtures.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);

it('Any finite vector survives the database exactly', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(finite, { maxLength: 20 }), async (vector) => {
      const { rows } = await sql<{ vector: number[] }>`select ${vector}::float8[] as vector`.execute(account.db);
      expect(rows[0]!.vector).toEqual(vector);
    }),
    { numRuns: 200 },
  );
});

it('Any list of cases survives the database exactly, and so do its parts', async () => {
  const matrix = fc
    .nat({ max: 6 })
    .chain((width) =>
      fc.array(fc.array(finite, { minLength: width + 1, maxLength: width + 1 }), { minLength: 1, maxLength: 8 }),
    );
  await fc.assert(
    fc.asyncProperty(matrix, fc.nat({ max: 9 }), fc.integer({ min: 1, max: 9 }), async (cases, from, count) => {
      const sent = encodeMatrix(Matrix.from(cases));
      const { rows } = await sql<{ whole: Buffer; part: Buffer }>`
        select ${matrixColumn('cases')} as whole, ${matrixRows('cases', from, count)} as part
        from (select ${sent}::float8[] as cases) given`.execute(account.db);
      expect(decodeMatrix(rows[0]!.whole).toRows()).toEqual(cases);
      expect(decodeMatrix(rows[0]!.part).toRows()).toEqual(cases.slice(from, from + count));
    }),
    { numRuns: 100 },
  );
});

it('Cases that were stored as text read the same', async () => {
  const { rows } = await sql<{ cases: Buffer }>`
    select ${matrixColumn('cases')} as cases from (select '{{1.5,-2},{1e300,0.1}}'::float8[] as cases) given`.execute(
    account.db,
  );
  expect(decodeMatrix(rows[0]!.cases).toRows()).toEqual([
    [1.5, -2],
    [1e300, 0.1],
  ]);
});
