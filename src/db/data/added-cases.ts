/** Cases added to a trial, in batches that are never changed, and the corrections of all of its cases. */
import { type RawBuilder, sql } from 'kysely';
import type { AddedCases } from '../../domain/data/added-cases.ts';
import type { CaseRows } from '../../domain/data/fresh-rows.ts';
import type { RunResult } from '../../domain/data/run-result.ts';
import { Matrix } from '../../domain/matrix.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { decodeMatrix, encodeMatrix } from '../matrices.ts';

export interface NewAddedCases extends Omit<AddedCases, 'leftOut'> {
  readonly trialId: number;
  readonly revision: number;
  /** One row per case, NaN where not known; null without any. */
  readonly jacobians: Matrix | null;
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
      jacobians: added.jacobians && encodeMatrix(added.jacobians),
    })
    .execute();
}

/** Consecutive cases of one batch. */
export interface AddedRows extends CaseRows {
  /** Number of the first of them. */
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
  const inputs = slice('inputs', first, count);
  const rows = await selectOutputs(db, accountId, trialId, first, count).select(inputs.as('inputs')).execute();
  return rows.map((row) => {
    const { number, outputs, failed } = toOutputs(row, first);
    return { number, source: row.source, inputs: decodeMatrix(row.inputs), outputs, failed };
  });
}

/** The outputs of these cases, of all batches together, without the inputs; with the source of each. */
export async function readAddedOutputs(
  db: Db | Trx,
  accountId: number,
  trialId: number,
  first: number,
  count: number,
): Promise<Pick<CaseRows, 'outputs' | 'failed'> & { readonly sources: readonly (string | null)[] }> {
  const rows = await selectOutputs(db, accountId, trialId, first, count).execute();
  const batches = rows.map((row) => ({ ...toOutputs(row, first), source: row.source }));
  const columns = batches[0]?.outputs.columns ?? 0;
  const total = batches.reduce((sum, { outputs }) => sum + outputs.rows, 0);
  const values = new Float64Array(total * columns);
  for (const { number, outputs } of batches) values.set(outputs.values, (number - first) * columns);
  return {
    outputs: new Matrix(total, columns, values),
    failed: batches.flatMap(({ number, failed }) => failed.map((at) => number - first + at)),
    sources: batches.flatMap(({ outputs, source }) => Array.from({ length: outputs.rows }, () => source)),
  };
}

/** The derivatives that came with these cases, by batch; batches without any are left out. */
export async function readAddedJacobians(
  db: Db | Trx,
  accountId: number,
  trialId: number,
  first: number,
  count: number,
): Promise<readonly { readonly number: number; readonly jacobians: Matrix }[]> {
  const rows = await selectOutputs(db, accountId, trialId, first, count)
    .select(slice('jacobians', first, count).as('jacobians'))
    .where('jacobians', 'is not', null)
    .execute();
  return rows.map(({ firstNumber, jacobians }) => ({
    number: Math.max(first, firstNumber),
    jacobians: decodeMatrix(jacobians),
  }));
}

function selectOutputs(db: Db | Trx, accountId: number, trialId: number, first: number, count: number) {
  return db
    .selectFrom('added_cases')
    .select(['first_number as firstNumber', 'failed_cases as failed', 'source'])
    .select(slice('outputs', first, count).as('outputs'))
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .where('first_number', '>=', batchOf(trialId, first))
    .where('first_number', '<', first + count)
    .where(sql<boolean>`first_number + case_count > ${first}`)
    .orderBy('first_number');
}

/** The first number of the batch with the case of a number: without it a trial's earlier batches, however many, were all looked at. */
function batchOf(trialId: number, number: number): RawBuilder<number> {
  return sql<number>`coalesce((
    select max(b.first_number) from added_cases b where b.trial_id = ${trialId} and b.first_number <= ${number}::int), 0)`;
}

function toOutputs(
  row: { readonly firstNumber: number; readonly failed: readonly number[]; readonly outputs: Buffer },
  first: number,
): Pick<AddedRows, 'number' | 'outputs' | 'failed'> {
  const skipped = Math.max(0, first - row.firstNumber);
  const outputs = decodeMatrix(row.outputs);
  const failed = row.failed.map((at) => at - skipped).filter((at) => at >= 0 && at < outputs.rows);
  return { number: row.firstNumber + skipped, outputs, failed };
}

/** The rows of a batch with numbers from `first` on; a slice leaves out what the array does not have. */
function slice(column: 'inputs' | 'outputs' | 'jacobians', first: number, count: number): RawBuilder<Buffer> {
  const start = sql`${first}::integer - first_number`;
  return sql<Buffer>`array_send(${sql.ref(column)}[${start} + 1 : ${start} + ${count}::integer])`;
}

/** Two looks along added_cases_numbered: the batches of a trial are numbered without a gap. */
export async function countAddedCases(db: Db | Trx, accountId: number, trialId: number): Promise<number> {
  const batches = sql`from added_cases where account_id = ${accountId} and trial_id = ${trialId} order by first_number`;
  const { rows } = await sql<{ count: number }>`
    select coalesce((select first_number + case_count ${batches} desc limit 1)
      - (select first_number ${batches} limit 1), 0) as count`.execute(db);
  return rows[0]!.count;
}

/** Some of the cases that were added to a trial in one call. */
export interface ExportedAddedCases {
  readonly trialId: number;
  readonly revision: number;
  /** Number of the first of these rows, from 1. */
  readonly firstNumber: number;
  readonly rows: number;
  readonly source: string | null;
  readonly createdAt: Date;
  /** JSON; zero-based rows of these. */
  readonly failedCases: string;
  /** JSON. */
  readonly inputs: string;
  readonly outputs: string;
  /** One row each, NaN where not known; null without any. */
  readonly jacobians: Matrix | null;
}

/** The added cases with numbers from `from` on, at most `count` of them, or `withJacobians`, and those of one call; undefined past the last one. */
export async function readAddedCasesAsJson(
  db: Db,
  trialId: number,
  from: number,
  count: number,
  withJacobians = count,
): Promise<ExportedAddedCases | undefined> {
  const start = sql`(r.number - a.first_number)`;
  const { rows } = await sql<Omit<ExportedAddedCases, 'jacobians'> & { readonly jacobians: Buffer | null }>`
    select a.trial_id as "trialId", a.revision, r.number as "firstNumber", r.count as rows, a.source, a.created_at as "createdAt",
      coalesce((select json_agg(f.at - ${start}) from unnest(a.failed_cases) f (at)
        where f.at >= ${start} and f.at < ${start} + r.count), '[]')::text as "failedCases",
      array_to_json(a.inputs[${start} + 1 : ${start} + r.count])::text as inputs,
      array_to_json(a.outputs[${start} + 1 : ${start} + r.count])::text as outputs,
      array_send(a.jacobians[${start} + 1 : ${start} + r.count]) as jacobians
    from added_cases a cross join lateral (
      select greatest(a.first_number, ${from}::int) as number,
        least(case when a.jacobians is null then ${count}::int else ${withJacobians}::int end, a.first_number + a.case_count - greatest(a.first_number, ${from}::int)) as count) r
    where a.trial_id = ${trialId} and a.first_number >= ${batchOf(trialId, from)}
      and a.first_number + a.case_count > ${from}::int
    order by a.first_number limit 1`.execute(db);
  const [row] = rows;
  return row && { ...row, jacobians: row.jacobians && decodeMatrix(row.jacobians) };
}

export interface CorrectedCase {
  /** From 1. */
  readonly number: number;
  readonly result: RunResult;
}

/** The corrected ones among the cases with numbers from `first` on, at most `count` of them, as they count now, by number. */
export async function readCorrectedCases(
  db: Db | Trx,
  accountId: number,
  trialId: number,
  first: number,
  count: number,
): Promise<readonly CorrectedCase[]> {
  const { rows } = await sql<Pick<CorrectedCase, 'number'> & RunResult>`
    select distinct on (case_number) case_number as number, new_output as output, new_jacobian as jacobian,
      new_failure_reason as "failureReason", is_excluded as "isExcluded"
    from corrections
    where account_id = ${accountId} and trial_id = ${trialId} and case_number is not null
      and case_number >= ${first} and case_number < ${first + count}
    order by case_number, revision desc`.execute(db);
  return rows.map(({ number, ...result }) => ({ number, result }));
}

/** The outputs that corrections gave these cases at any time; null where the run failed. */
export function readCorrectedOutputs(
  db: Db | Trx,
  accountId: number,
  trialId: number,
  first: number,
  count: number,
): Promise<readonly { readonly caseNumber: number; readonly output: readonly number[] | null }[]> {
  return db
    .selectFrom('corrections')
    .select(['case_number as caseNumber', 'new_output as output'])
    .distinct()
    .$narrowType<{ caseNumber: number }>()
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .where('case_number', '>=', first)
    .where('case_number', '<', first + count)
    .execute();
}
