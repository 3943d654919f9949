/** Rows of cases, of a project or of a set of output cases, a bounded number of them at a time. */
import { sql } from 'kysely';
import type { Matrix } from '../../domain/matrix.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { decodeMatrix, matrixRows } from '../matrices.ts';

/** The column that holds the cases of a table. */
const CASES = { projects: 'input_cases', output_case_sets: 'output_cases' } as const;

export type CasesTable = keyof typeof CASES;

/** Cases from the zero-based row `first` on, at most `count` of them; none past the last one. The record must exist. */
export async function readCases(
  db: Db | Trx,
  accountId: number,
  table: CasesTable,
  id: number,
  first: number,
  count: number,
): Promise<Matrix> {
  const { rows } = await sql<{ cases: Buffer }>`
    select ${matrixRows(CASES[table], first, count)} as cases from ${sql.table(table)}
    where account_id = ${accountId} and id = ${id}`.execute(db);
  return decodeMatrix(rows[0]!.cases);
}

/** The derivatives that came with those rows of a set of output cases; no rows without any. */
export async function readCaseJacobians(
  db: Db | Trx,
  accountId: number,
  setId: number,
  first: number,
  count: number,
): Promise<Matrix> {
  const { rows } = await sql<{ jacobians: Buffer | null }>`
    select ${matrixRows('jacobians', first, count)} as jacobians from output_case_sets
    where account_id = ${accountId} and id = ${setId}`.execute(db);
  return decodeMatrix(rows[0]!.jacobians);
}

/** Cases as JSON text, '[]' past the last one; undefined when the record is gone. */
export async function readCasesAsJson(
  db: Db,
  table: CasesTable,
  id: number,
  first: number,
  count: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ cases: string }>`
    select array_to_json(${sql.ref(CASES[table])}[${first + 1}::int:${first + count}::int])::text as cases
    from ${sql.table(table)} where id = ${id}`.execute(db);
  return rows[0]?.cases;
}
