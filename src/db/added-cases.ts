/** Cases added to a trial, in batches that are never changed, and the corrections of all of its cases. */
import { type RawBuilder, sql } from 'kysely';
import type { AddedCases } from '../domain/added-cases.ts';
import type { CaseRows } from '../domain/fresh-rows.ts';
import { decodeMatrix, encodeMatrix } from './matrices.ts';
import type { Db, Trx } from './transaction.ts';

export interface NewAddedCases extends Omit<AddedCases, 'leftOut'> {
  readonly trialId: number;
  readonly revision: number;
  /** Number of the first of them: one more than the cases that the trial has. */
  readonly firstNumber: number;
  readonly source: string | null;
}

/** The caller holds the lock of the trial. */
export async function insertAddedCases(trx: Trx, accountId: number, added: NewAddedCases): Promise<void> {
  await trx
    .insertInto('added_cases')
    .values({
      account_id: accountId,
      trial_id: added.trialId,
      revision: added.revision,
      first_number: added.firstNumber,
      case_count: added.inputs.rows,
      inputs: encodeMatrix(added.inputs),
      outputs: encodeMatrix(added.outputs),
      failed_cases: added.failed,
      source: added.source,
    })
    .execute();
}

/** How many cases were added to a trial, in all its batches. */
export async function countAddedCases(db: Db | Trx, accountId: number, trialId: number): Promise<number> {
  const { count } = await db
    .selectFrom('added_cases')
    .select(sql<number>`coalesce(sum(case_count), 0)::integer`.as('count'))
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Consecutive cases of one batch. */
export interface AddedRows extends CaseRows {
  /** Of the first of them. */
  readonly number: number;
  readonly source: string | null;
}

/** The added cases with numbers from `first` on, at most `count` of them. One look along added_cases_numbered. */
export async function readAddedRows(
  db: Db | Trx,
  accountId: number,
  trialId: number,
  first: number,
  count: number,
): Promise<readonly AddedRows[]> {
  const rows = await db
    .selectFrom('added_cases')
    .select(['first_number as firstNumber', 'failed_cases as failed', 'source'])
    .select([slice('inputs', first, count).as('inputs'), slice('outputs', first, count).as('outputs')])
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .where('first_number', '<', first + count)
    .where(sql<boolean>`first_number + case_count > ${first}`)
    .orderBy('first_number')
    .execute();
  return rows.map((row) => {
    const skipped = Math.max(0, first - row.firstNumber);
    const inputs = decodeMatrix(row.inputs);
    const failed = row.failed.map((at) => at - skipped).filter((at) => at >= 0 && at < inputs.rows);
    return {
      number: row.firstNumber + skipped,
      source: row.source,
      inputs,
      outputs: decodeMatrix(row.outputs),
      failed,
    };
  });
}

/** The rows of a batch with numbers from `first` on; a slice leaves out what the array does not have. */
function slice(column: 'inputs' | 'outputs', first: number, count: number): RawBuilder<Buffer> {
  const start = sql`${first}::integer - first_number`;
  return sql<Buffer>`array_send(${sql.ref(column)}[${start} + 1 : ${start} + ${count}::integer])`;
}

export interface CaseCorrection {
  readonly caseNumber: number;
  /** null if the run failed. */
  readonly output: readonly number[] | null;
  readonly isExcluded: boolean;
}

/** What corrections made of the cases with numbers from `first` on, at most `count` of them, oldest correction first. */
export function readCaseCorrections(
  db: Db | Trx,
  accountId: number,
  trialId: number,
  first: number,
  count: number,
): Promise<readonly CaseCorrection[]> {
  return db
    .selectFrom('corrections')
    .select(['case_number as caseNumber', 'new_output as output', 'is_excluded as isExcluded'])
    .$narrowType<{ caseNumber: number }>()
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .where('case_number', '>=', first)
    .where('case_number', '<', first + count)
    .orderBy('revision')
    .execute();
}
