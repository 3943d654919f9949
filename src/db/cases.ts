/** Rows of cases, of a project or of a set of output cases, a bounded number of them at a time. */
import { sql } from 'kysely';
import type { Matrix } from '../domain/matrix.ts';
import { decodeMatrix, matrixRows } from './matrices.ts';
import type { Db, Trx } from './transaction.ts';

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

/** The same as JSON text, '[]' past the last one; undefined when the record is gone. */
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

/** Some of the cases that were added to a trial, which came together. */
export interface AddedBatch {
  readonly id: number;
  /** Of the case in row 0, from 1. */
  readonly firstNumber: number;
  readonly caseCount: number;
  /** Zero-based rows whose run failed. */
  readonly failedCases: readonly number[];
}

/** The batches with cases of these numbers or greater ones, in order. Along added_cases_numbered. */
export async function listAddedBatches(
  db: Db | Trx,
  accountId: number,
  trialId: number,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<readonly AddedBatch[]> {
  return db
    .selectFrom('added_cases')
    .select(['id', 'first_number as firstNumber', 'case_count as caseCount', 'failed_cases as failedCases'])
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .where(sql<boolean>`first_number + case_count > ${from}`)
    .orderBy('first_number')
    .limit(limit)
    .execute();
}

export async function countAddedCases(db: Db | Trx, accountId: number, trialId: number): Promise<number> {
  const { count } = await db
    .selectFrom('added_cases')
    .select(sql<number>`coalesce(sum(case_count), 0)::int`.as('count'))
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Rows of one batch from the zero-based row `first` on, at most `count` of them. The batch must exist. */
export async function readAddedCases(
  db: Db | Trx,
  batchId: number,
  column: 'inputs' | 'outputs',
  first: number,
  count: number,
): Promise<Matrix> {
  const { rows } = await sql<{ cases: Buffer }>`
    select ${matrixRows(column, first, count)} as cases from added_cases where id = ${batchId}`.execute(db);
  return decodeMatrix(rows[0]!.cases);
}
