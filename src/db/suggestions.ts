/** The statements of a cycle for the worker: what a suggestion is computed from, and storing it. See iterations.ts. */
import { type RawBuilder, sql } from 'kysely';
import type { NewEvent } from '../domain/event.ts';
import type { InputDetails, InputSpace, InputType } from '../domain/input-space.ts';
import type { Matrix } from '../domain/matrix.ts';
import { type NearestSoFar, NO_NEAREST_CASE } from '../domain/objective.ts';
import type { Transition } from '../domain/stop-reason.ts';
import type { LeasedJob } from '../domain/suggestion-job.ts';
import { compileSqlOnce } from './compiled.ts';
import { type EventLists, eventsTold, listEvents, recordingEvents } from './events.ts';
import {
  columns,
  lockRunning,
  OBJECTIVE_WITH_PARENTS,
  OPTIMAL_OUTPUT,
  type Row,
  readWithParents,
} from './iteration-rows.ts';
import { decodeMatrix, matrixColumn } from './matrices.ts';
import type { NearestIteration, ObjectiveWithParents } from './objectives.ts';
import { FINISHED_CHANNEL, finishingJob } from './suggestion-jobs.ts';
import type { Db, Trx } from './transaction.ts';

export interface StoredSuggestion {
  readonly job: LeasedJob;
  readonly state: Transition;
  readonly input: readonly number[];
  /** Set when the objective stops with it: the known output of the repeated input. */
  readonly output: readonly number[] | null;
  readonly suggestTimeNs: number;
  readonly isOptimal: boolean;
  /** What the model expected of the outputs, lower ends then upper ends, if it expected anything. */
  readonly expected?: readonly number[] | null;
  /** Of the data that it was computed from. */
  readonly dataRevision: number;
  /** With all runs judged; with the nearest case when it was not known before. */
  readonly nearest: NearestSoFar | NearestIteration;
  readonly events: readonly NewEvent[];
}

interface SuggestionToStore extends EventLists, NearestSoFar {
  readonly accountId: number;
  readonly objectiveId: number;
  readonly jobId: number;
  readonly leaseToken: string;
  readonly stopReason: number;
  readonly status: string;
  readonly input: readonly number[];
  readonly output: readonly number[] | null;
  readonly suggestTimeNs: number;
  readonly isOptimal: boolean;
  readonly expected: readonly number[] | null;
  readonly dataRevision: number;
}

const storeSuggestionOnce = compileSqlOnce<SuggestionToStore, Row>((value) => {
  const output = sql`${value('output')}::float8[]`;
  const isCurrent = sql`data_revision = ${value('dataRevision')}::integer`;
  // What was judged by data that has changed since is not stored.
  const judged = (column: string, found: RawBuilder<unknown>) =>
    sql`${sql.id(column)} = case when l.${isCurrent} then ${found} else ${sql.ref(`o.${column}`)} end`;
  return sql`
    with objective as materialized (${lockRunning(value('accountId'), value('objectiveId'))}),
    finished as (${finishingJob(value('jobId'), value('leaseToken'), sql`(select id from objective where ${output} is null or ${isCurrent})`)}),
    inverse as (
      update inverses i set
        status = ${value('status')}, input = ${value('input')}::float8[], output = ${output},
        expected = ${value('expected')}::float8[],
        suggest_time_ns = ${value('suggestTimeNs')}::bigint, suggested_at = now(),
        stopped_at = case when ${output} is null then i.stopped_at else now() end, updated_at = now()
      from finished f
      where i.id = f.inverse_id
      returning i.id),
    counted as (
      update objectives o set
        stop_reason = ${value('stopReason')}::smallint,
        attempt_count = o.attempt_count + case when ${output} is null then 1 else 0 end,
        optimal_inverse_id = case when ${value('isOptimal')}::boolean then i.id else o.optimal_inverse_id end,
        ${judged('nearest_iteration', sql`${value('nearestIteration')}::integer`)},
        ${judged('nearest_case', sql`coalesce(${value('nearestCase')}::integer, o.nearest_case)`)},
        ${judged('nearest_case_input', sql`coalesce(${value('nearestCaseInput')}::float8[], o.nearest_case_input)`)},
        ${judged('nearest_case_output', sql`coalesce(${value('nearestCaseOutput')}::float8[], o.nearest_case_output)`)},
        ${judged('judged_through', sql`${value('judgedThrough')}::integer`)}, updated_at = now()
      from inverse i cross join objective l
      where o.id = ${value('objectiveId')}::bigint),
    ${recordingEvents(value('accountId'), value('eventNames'), value('eventResourceIds'), sql`exists (select from inverse)`)}
    select pg_notify(${sql.lit(FINISHED_CHANNEL)}, i.id::text), ${eventsTold()} from inverse i`;
});

/**
 * Locks the objective, ends the job, and stores its suggestion with both states and the events. False when the lease was lost,
 * the objective has ended or was deleted, or it would end on data that has changed since: nothing was written. Waiting requests are
 * notified on commit.
 */
export async function storeSuggestion(
  db: Db | Trx,
  { job, state, events, nearest, ...suggestion }: StoredSuggestion,
): Promise<boolean> {
  const rows = await storeSuggestionOnce(db, {
    ...suggestion,
    expected: suggestion.expected ?? null,
    // The case is written once for each revision of the data, and null leaves it as it is.
    ...NO_NEAREST_CASE,
    ...nearest,
    ...listEvents(events),
    accountId: job.accountId,
    objectiveId: job.objectiveId,
    jobId: job.id,
    leaseToken: job.leaseToken,
    stopReason: state.stopReason,
    status: state.inverseStatus,
  });
  return rows.length === 1;
}

/** What a suggestion is computed from. */
export interface Snapshot {
  readonly objective: ObjectiveWithParents;
  readonly space: InputSpace;
  /** Designed or loaded cases, one row each: row i of the outputs answers row i of the inputs. */
  readonly inputCases: Matrix;
  readonly outputCases: Matrix;
  /** Zero-based rows of the output cases whose run failed. */
  readonly failedCases: readonly number[];
  /** Inverses that were run, without the initial point, in order of iteration. Outputs of failed runs are NaN. */
  readonly iterations: readonly number[];
  readonly inputs: Matrix;
  readonly outputs: Matrix;
  readonly optimalOutput: readonly number[] | null;
}

interface SnapshotRow extends Omit<InputSpace, 'inputTypes' | 'details'> {
  readonly inputTypes: readonly string[];
  readonly inputDetails: unknown;
  readonly inputCases: Buffer;
  readonly outputCases: Buffer;
  readonly failedCases: readonly number[];
  readonly iterations: readonly number[] | null;
  readonly inputs: Buffer | null;
  readonly outputs: Buffer | null;
  readonly optimalOutput: readonly number[] | null;
}

const selectSnapshot = compileSqlOnce<{ accountId: number; objectiveId: number }, Row & SnapshotRow>(
  (value) => sql`
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${OPTIMAL_OUTPUT},
      p.input_count as "inputCount", p.minimums, p.maximums, p.input_types as "inputTypes", p.categories,
      p.input_details as "inputDetails",
      ${matrixColumn('p.input_cases')} as "inputCases", ${matrixColumn('s.output_cases')} as "outputCases",
      s.failed_cases as "failedCases", r.iterations, r.inputs, r.outputs
    from objectives o
    join trials t on t.id = o.trial_id
    join projects p on p.id = o.project_id
    join output_case_sets s on s.id = t.output_case_set_id
    cross join lateral (
      select array_agg(i.iteration order by i.iteration) as iterations,
        array_send(array_agg(i.input order by i.iteration)) as inputs,
        array_send(array_agg(
          coalesce(i.output, array_fill('NaN'::float8, array[cardinality(o.objectives)])) order by i.iteration)) as outputs
      from inverses i
      where i.objective_id = o.id and i.iteration > 1 and i.input is not null and i.excluded_at is null
        -- A repeat of a known run, in an objective that was reopened since, is no run of its own.
        and (i.output is not null and i.status <> 'stopped' or i.status = 'failed')) r
    where o.account_id = ${value('accountId')} and o.id = ${value('objectiveId')}`,
);

/** Undefined when the objective was deleted, or purged with what it needs. One look along inverses_one_per_iteration. */
export async function readSnapshot(
  db: Db,
  { accountId, objectiveId }: { readonly accountId: number; readonly objectiveId: number },
): Promise<Snapshot | undefined> {
  const [row] = await selectSnapshot(db, { accountId, objectiveId });
  if (row === undefined || row['disabledAt'] !== null) return undefined;
  const { inputCount, minimums, maximums, inputTypes, categories, inputDetails } = row;
  const details = inputDetails === null ? {} : { details: inputDetails as InputDetails };
  return {
    objective: readWithParents(row),
    // The types and the details were checked before they were stored.
    space: { inputCount, minimums, maximums, inputTypes: inputTypes as readonly InputType[], categories, ...details },
    inputCases: decodeMatrix(row.inputCases),
    outputCases: decodeMatrix(row.outputCases),
    failedCases: row.failedCases,
    iterations: row.iterations ?? [],
    inputs: decodeMatrix(row.inputs),
    outputs: decodeMatrix(row.outputs),
    optimalOutput: row.optimalOutput,
  };
}
