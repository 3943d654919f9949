/** The log of corrections. Of the corrections of one case the newest counts; the row of an inverse is changed itself as well. */
import { type RawBuilder, sql } from 'kysely';
import type { Correction, CorrectionTarget } from '../../domain/corrections/correction.ts';
import type { Jacobian } from '../../domain/data/jacobian.ts';
import type { RunResult } from '../../domain/data/run-result.ts';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { MUST_HOLD } from '../search/objectives.ts';
import { WAS_CORRECTED } from '../search/run-columns.ts';

const COLUMNS = [
  'id',
  'revision',
  'case_number as caseNumber',
  'objective_id as objectiveId',
  'inverse_id as inverseId',
  'iteration',
  'old_output as oldOutput',
  'old_jacobian as oldJacobian',
  'old_failure_reason as oldFailureReason',
  'was_excluded as wasExcluded',
  'new_output as newOutput',
  'new_jacobian as newJacobian',
  'new_failure_reason as newFailureReason',
  'is_excluded as isExcluded',
  'reason',
  'is_note as isNote',
  'corrected_by as correctedBy',
  'created_at as createdAt',
] as const;

interface CorrectionRow
  extends Pick<Correction, 'id' | 'revision' | 'reason' | 'isNote' | 'correctedBy' | 'createdAt'> {
  readonly caseNumber: number | null;
  readonly objectiveId: number | null;
  readonly inverseId: number | null;
  readonly iteration: number | null;
  readonly oldOutput: readonly number[] | null;
  readonly oldJacobian: readonly number[] | null;
  readonly oldFailureReason: string | null;
  readonly wasExcluded: boolean;
  readonly newOutput: readonly number[] | null;
  readonly newJacobian: readonly number[] | null;
  readonly newFailureReason: string | null;
  readonly isExcluded: boolean;
}

/** A check constraint makes it a case or an inverse. */
function toCorrection(row: CorrectionRow): Correction {
  const { id, revision, reason, isNote, correctedBy, createdAt, caseNumber } = row;
  const target: CorrectionTarget =
    caseNumber !== null
      ? { kind: 'case', caseNumber }
      : { kind: 'inverse', objectiveId: row.objectiveId!, inverseId: row.inverseId!, iteration: row.iteration! };
  const before = {
    output: row.oldOutput,
    jacobian: row.oldJacobian,
    failureReason: row.oldFailureReason,
    isExcluded: row.wasExcluded,
  };
  const after = {
    output: row.newOutput,
    jacobian: row.newJacobian,
    failureReason: row.newFailureReason,
    isExcluded: row.isExcluded,
  };
  return { id, revision, target, before, after, reason, isNote, correctedBy, createdAt };
}

/** The caller holds the lock of the trial and has raised its revision. */
export async function insertCorrection(
  trx: Trx,
  accountId: number,
  trialId: number,
  correction: Omit<Correction, 'id' | 'createdAt'>,
): Promise<Correction> {
  const { target, before, after } = correction;
  const inverse = target.kind === 'inverse' ? target : undefined;
  const row = await trx
    .insertInto('corrections')
    .values({
      account_id: accountId,
      trial_id: trialId,
      revision: correction.revision,
      case_number: target.kind === 'case' ? target.caseNumber : null,
      objective_id: inverse?.objectiveId ?? null,
      inverse_id: inverse?.inverseId ?? null,
      iteration: inverse?.iteration ?? null,
      old_output: before.output,
      old_jacobian: before.jacobian,
      old_failure_reason: before.failureReason,
      was_excluded: before.isExcluded,
      new_output: after.output,
      new_jacobian: after.jacobian,
      new_failure_reason: after.failureReason,
      is_excluded: after.isExcluded,
      reason: correction.reason,
      is_note: correction.isNote,
      corrected_by: correction.correctedBy,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toCorrection(row);
}

/** Oldest first. */
export async function listCorrections(
  db: Db,
  accountId: number,
  trialId: number,
  page: PageRequest,
): Promise<Page<Correction>> {
  const rows = await db
    .selectFrom('corrections')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .where('id', '>', page.after ?? 0)
    // Revisions rise with the ids, and their index begins with the trial.
    .orderBy('revision')
    .limit(page.limit + 1)
    .execute();
  return toPage(rows.map(toCorrection), page);
}

/** Primary key. */
export async function findCorrection(
  db: Db | Trx,
  accountId: number,
  trialId: number,
  id: number,
): Promise<Correction | undefined> {
  const row = await db
    .selectFrom('corrections')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('trial_id', '=', trialId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toCorrection(row);
}

/** Whether the same case or inverse was corrected later; notes do not count. The caller holds the lock of the trial. */
export async function hasNewerCorrection(
  trx: Trx,
  trialId: number,
  { revision, target }: Correction,
): Promise<boolean> {
  const row = await trx
    .selectFrom('corrections')
    .select('id')
    .where('trial_id', '=', trialId)
    .where('revision', '>', revision)
    .where('is_note', '=', false)
    .where(
      target.kind === 'case' ? 'case_number' : 'inverse_id',
      '=',
      target.kind === 'case' ? target.caseNumber : target.inverseId,
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the trial has at least `count` corrections. Looks at `count` entries of corrections_in_order. */
export async function hasCorrections(trx: Trx, trialId: number, count: number): Promise<boolean> {
  const row = await trx
    .selectFrom('corrections')
    .select('id')
    .where('trial_id', '=', trialId)
    .orderBy('revision')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the inverse was ever corrected. Served by corrections_of_inverses. */
export async function wasCorrected(trx: Trx, inverseId: number): Promise<boolean> {
  const row = await trx
    .selectFrom('inverses as i')
    .select('i.id')
    .where('i.id', '=', inverseId)
    .where(sql<boolean>`${WAS_CORRECTED}`)
    .executeTakeFirst();
  return row !== undefined;
}

/** A run that was corrected, by its input. */
interface CorrectedRun {
  readonly input: readonly number[];
  readonly before: RunResult;
  readonly after: RunResult;
}

/**
 * Makes the inverses of the trial that repeat a run follow its correction, and returns the ids of their objectives: they take its
 * new output, and are excluded while it is excluded or failed. The caller holds the locks of the trial and its objectives. Looks at the
 * inverses of this trial only: `offset 0` keeps the server from reading the whole table under these locks.
 */
export async function correctRepeats(
  trx: Trx,
  accountId: number,
  trialId: number,
  { input, before, after }: CorrectedRun,
): Promise<readonly number[]> {
  const isOut: RawBuilder<boolean> = sql`${after.isExcluded || after.output === null}::boolean`;
  const { rows } = await sql<{ objectiveId: number }>`
    update inverses i set
      output = coalesce(${after.output}::float8[], i.output),
      excluded_at = case when ${isOut} then coalesce(i.excluded_at, now()) end, updated_at = now()
    where i.id in (
      select r.id from objectives o cross join lateral (
        select s.id from inverses s
        where s.objective_id = o.id and s.status = 'stopped' and s.output is not null and s.loaded_at is null and s.input = ${input}::float8[]
          and (s.output = ${before.output}::float8[] or s.excluded_at is not null)
        offset 0) r
      where o.account_id = ${accountId} and o.trial_id = ${trialId} and o.disabled_at is null and not ${MUST_HOLD})
    returning i.objective_id as "objectiveId"`.execute(trx);
  return [...new Set(rows.map(({ objectiveId }) => objectiveId))];
}

/** An initial point that is a copy of a case. */
export interface Copy {
  readonly target: Extract<CorrectionTarget, { kind: 'inverse' }>;
  readonly before: RunResult & { readonly output: readonly number[] };
}

/**
 * The initial points of the trial's objectives that have the input of a case and its output before a correction, in order of
 * objective. A copy cannot fail: while the case was failed, copies of its last output were excluded. The caller holds the locks of
 * the trial and its objectives. `offset 0` as for repeats.
 */
export async function findCopies(
  trx: Trx,
  accountId: number,
  trialId: number,
  { caseNumber, input, before }: Pick<CorrectedRun, 'input' | 'before'> & { readonly caseNumber: number },
): Promise<readonly Copy[]> {
  const { rows } = await sql<{
    objectiveId: number;
    inverseId: number;
    output: readonly number[];
    jacobian: Jacobian | null;
    isExcluded: boolean;
  }>`
    select o.id as "objectiveId", i.id as "inverseId", i.output, i.jacobian, i.excluded_at is not null as "isExcluded"
    from objectives o cross join lateral (
      select s.id, s.input, s.output, s.jacobian, s.excluded_at from inverses s where s.objective_id = o.id and s.iteration = 1 offset 0) i
    where o.account_id = ${accountId} and o.trial_id = ${trialId} and o.disabled_at is null
      and i.input = ${input}::float8[] and i.output = coalesce(${before.output}::float8[], (
        select c.old_output from corrections c
        where c.trial_id = ${trialId} and c.case_number = ${caseNumber} and c.old_output is not null and i.excluded_at is not null
        order by c.revision desc limit 1))
    order by o.id`.execute(trx);
  return rows.map(({ objectiveId, inverseId, output, jacobian, isExcluded }) => ({
    target: { kind: 'inverse', objectiveId, inverseId, iteration: 1 },
    before: { output, jacobian, failureReason: null, isExcluded },
  }));
}
