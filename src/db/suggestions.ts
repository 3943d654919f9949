/** The statements of a cycle for the worker: what a suggestion is computed from, and storing it. See iterations.ts. */
import { type RawBuilder, sql } from 'kysely';
import type { NewEvent } from '../domain/event.ts';
import type { InputDetails, InputSpace, InputType } from '../domain/input-space.ts';
import type { LearnedFrom } from '../domain/inverse.ts';
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
import {
  CASE_COLUMNS,
  type CaseColumns,
  caseSources,
  gatheredRuns,
  type KnownCases,
  type KnownRuns,
  newestRuns,
  OTHER_RUNS,
  type RunColumns,
  toKnownCases,
  toKnownRuns,
  WAS_RUN,
} from './known-runs.ts';
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
  readonly learnedFrom: LearnedFrom | null;
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
  readonly isCaseJudged: boolean;
  /** JSON text. */
  readonly learnedFrom: string | null;
}

const storeSuggestionOnce = compileSqlOnce<SuggestionToStore, Row>((value) => {
  const output = sql`${value('output')}::float8[]`;
  const isCurrent = sql`data_revision = ${value('dataRevision')}::integer`;
  const isCaseJudged = sql`${value('isCaseJudged')}::boolean`;
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
        stopped_at = case when ${output} is null then i.stopped_at else now() end,
        learned_from = ${value('learnedFrom')}::jsonb, updated_at = now()
      from finished f
      where i.id = f.inverse_id
      returning i.id),
    counted as (
      update objectives o set
        stop_reason = ${value('stopReason')}::smallint,
        attempt_count = o.attempt_count + case when ${output} is null then 1 else 0 end,
        optimal_inverse_id = case when ${value('isOptimal')}::boolean then i.id else o.optimal_inverse_id end,
        ${judged('nearest_iteration', sql`${value('nearestIteration')}::integer`)},
        ${judged('nearest_case', sql`case when ${isCaseJudged} then ${value('nearestCase')}::integer else o.nearest_case end`)},
        ${judged('nearest_case_input', sql`case when ${isCaseJudged} then ${value('nearestCaseInput')}::float8[] else o.nearest_case_input end`)},
        ${judged('nearest_case_output', sql`case when ${isCaseJudged} then ${value('nearestCaseOutput')}::float8[] else o.nearest_case_output end`)},
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
  { job, state, events, nearest, learnedFrom, ...suggestion }: StoredSuggestion,
): Promise<boolean> {
  const rows = await storeSuggestionOnce(db, {
    ...suggestion,
    expected: suggestion.expected ?? null,
    // The case is written once for each revision of the data.
    ...NO_NEAREST_CASE,
    ...nearest,
    isCaseJudged: 'nearestCase' in nearest,
    learnedFrom: learnedFrom && JSON.stringify(learnedFrom),
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
export interface Snapshot extends KnownCases {
  readonly objective: ObjectiveWithParents;
  readonly space: InputSpace;
  /** Runs of the trial's other objectives, as far as the objective learns from them, by objective and iteration. */
  readonly others: KnownRuns;
  /**
   * Its own inverses that were run, from the initial point, which is iteration 1, in order of iteration; without excluded
   * ones. Outputs of failed runs are NaN.
   */
  readonly iterations: readonly number[];
  readonly inputs: Matrix;
  readonly outputs: Matrix;
  readonly optimalOutput: readonly number[] | null;
  /** To be stored with the suggestion: what `readSnapshotOf` needs. */
  readonly learnedFrom: LearnedFrom | null;
}

interface PlainRow extends Omit<InputSpace, 'inputTypes' | 'details'> {
  readonly inputTypes: readonly string[];
  readonly inputDetails: unknown;
  readonly inputCases: Buffer;
  readonly outputCases: Buffer;
  readonly failedCases: readonly number[];
  readonly optimalOutput: readonly number[] | null;
}

interface SnapshotRow extends PlainRow, CaseColumns {
  readonly revision: number;
}

const SPACE = sql`p.minimums, p.maximums, p.input_types as "inputTypes", p.categories, p.input_details as "inputDetails"`;

/** The columns of `runs` under names that begin with `prefix`. */
function runColumns(runs: string, prefix: string) {
  return sql.join(RUN_NAMES.map((name) => sql`${sql.ref(`${runs}.${name}`)} as ${sql.id(prefix + name)}`));
}

const OWN_RUNS = sql`inverses i where i.objective_id = o.id and ${WAS_RUN} and i.excluded_at is null`;

const RUN_NAMES = ['objectiveIds', 'iterations', 'inputs', 'outputs'] as const;
const [OWN, OTHER] = ['own.', 'other.'] as const;

function readRuns(row: Row, prefix: string): KnownRuns {
  return toKnownRuns(Object.fromEntries(RUN_NAMES.map((name) => [name, row[prefix + name]])) as unknown as RunColumns);
}

/** The cases as they were loaded and the own runs; with whether there is more, which makes the rest of the row useless. */
const selectPlain = compileSqlOnce<
  { accountId: number; objectiveId: number },
  Row & PlainRow & Omit<RunColumns, 'objectiveIds'> & { readonly isMoreKnown: boolean }
>(
  (value) => sql`
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${OPTIMAL_OUTPUT}, p.input_count as "inputCount", ${SPACE},
      ${matrixColumn('p.input_cases')} as "inputCases", ${matrixColumn('s.output_cases')} as "outputCases",
      s.failed_cases as "failedCases", r.iterations, r.inputs, r.outputs,
      t.revision > 0 or o.continues_id is not null or o.reuse and exists (
        select from objectives q where q.trial_id = o.trial_id and q.id <> o.id and q.disabled_at is null) as "isMoreKnown"
    from objectives o
    join trials t on t.id = o.trial_id
    join projects p on p.id = o.project_id
    join output_case_sets s on s.id = t.output_case_set_id
    cross join lateral (${gatheredRuns(OWN_RUNS, { isOfOne: true })}) r
    where o.account_id = ${value('accountId')} and o.id = ${value('objectiveId')}`,
);

const selectSnapshot = compileSqlOnce<{ accountId: number; objectiveId: number }, Row & SnapshotRow>(
  (value) => sql`
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${OPTIMAL_OUTPUT}, ${SPACE}, ${CASE_COLUMNS}, t.revision,
      ${runColumns('r', OWN)}, ${runColumns('x', OTHER)}
    from objectives o
    join trials t on t.id = o.trial_id
    join projects p on p.id = o.project_id
    join output_case_sets s on s.id = t.output_case_set_id
    ${caseSources(sql`t.revision`)}
    cross join lateral (${gatheredRuns(OWN_RUNS)}) r
    cross join lateral (${OTHER_RUNS}) x
    where o.account_id = ${value('accountId')} and o.id = ${value('objectiveId')}`,
);

/**
 * Undefined when the objective was deleted, or purged with what it needs. One statement in the usual case, with one look along
 * inverses_one_per_iteration; where more is known than it reads, another one reads everything again.
 */
export async function readSnapshot(
  db: Db,
  { accountId, objectiveId }: { readonly accountId: number; readonly objectiveId: number },
): Promise<Snapshot | undefined> {
  const [plain] = await selectPlain(db, { accountId, objectiveId });
  if (plain === undefined || plain['disabledAt'] !== null) return undefined;
  if (!plain.isMoreKnown) return toPlainSnapshot(plain);
  const [row] = await selectSnapshot(db, { accountId, objectiveId });
  return row === undefined || row['disabledAt'] !== null ? undefined : toSnapshot(row);
}

const NO_RUNS = toKnownRuns({ objectiveIds: null, iterations: null, inputs: null, outputs: null });

function toPlainSnapshot(row: Row & PlainRow & Omit<RunColumns, 'objectiveIds'>): Snapshot {
  return {
    inputCases: decodeMatrix(row.inputCases),
    outputCases: decodeMatrix(row.outputCases),
    failedCases: row.failedCases,
    caseNumbers: null,
    objective: readWithParents(row),
    space: toSpace(row),
    others: NO_RUNS,
    iterations: row.iterations ?? [],
    inputs: decodeMatrix(row.inputs),
    outputs: decodeMatrix(row.outputs),
    optimalOutput: row.optimalOutput,
    learnedFrom: null,
  };
}

/** The types and the details were checked before they were stored. */
function toSpace({ inputCount, minimums, maximums, inputTypes, categories, inputDetails }: PlainRow): InputSpace {
  const details = inputDetails === null ? {} : { details: inputDetails as InputDetails };
  return { inputCount, minimums, maximums, inputTypes: inputTypes as readonly InputType[], categories, ...details };
}

function toSnapshot(row: Row & SnapshotRow): Snapshot {
  const { iterations, inputs, outputs } = readRuns(row, OWN);
  const others = readRuns(row, OTHER);
  return {
    ...toKnownCases(row),
    objective: readWithParents(row),
    space: toSpace(row),
    others,
    iterations,
    inputs,
    outputs,
    optimalOutput: row.optimalOutput,
    learnedFrom: describeKnown(row.revision, others),
  };
}

/** Iterations of an objective become known in their order, so that the last one says which were known. */
function describeKnown(revision: number, { objectiveIds, iterations }: KnownRuns): LearnedFrom | null {
  const last = new Map(objectiveIds.map((id, row) => [id, iterations[row]!]));
  return revision === 0 && last.size === 0 ? null : { revision, objectives: [...last] };
}

/**
 * The inverses `i` of the table expression `from` that had been run, as they were at revision `k.revision` of the trial's data:
 * the oldest later correction says what held before it.
 */
function runsAsOf(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select i.objective_id, i.iteration, i.input, case when c.id is null then i.output else c.old_output end as output
    from ${from}
    left join lateral (
      select c.id, c.old_output, c.was_excluded from corrections c
      where c.inverse_id = i.id and c.revision > k.revision order by c.revision limit 1) c on true
    where (${WAS_RUN} or c.id is not null) and not coalesce(c.was_excluded, i.excluded_at is not null)`;
}

const selectSnapshotOf = compileSqlOnce<{ accountId: number; inverseId: number }, Row & SnapshotRow>(
  (value) => sql`
    with known as materialized (
      select i.objective_id, i.iteration, coalesce((i.learned_from->>'revision')::integer, 0) as revision,
        coalesce(i.learned_from->'objectives', '[]') as others
      from inverses i
      where i.account_id = ${value('accountId')} and i.id = ${value('inverseId')} and i.iteration > 1
        and i.input is not null)
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${OPTIMAL_OUTPUT}, ${SPACE}, ${CASE_COLUMNS}, k.revision,
      k.others as "knownOthers", ${runColumns('r', OWN)}, ${runColumns('x', OTHER)}
    from known k
    join objectives o on o.id = k.objective_id
    join trials t on t.id = o.trial_id
    join projects p on p.id = o.project_id
    join output_case_sets s on s.id = t.output_case_set_id
    ${caseSources(sql`k.revision`)}
    cross join lateral (${gatheredRuns(
      sql`(${runsAsOf(sql`(select * from inverses i where i.objective_id = o.id and i.iteration < k.iteration) i`)}) i`,
    )}) r
    cross join lateral (${gatheredRuns(
      newestRuns(
        runsAsOf(sql`
          jsonb_array_elements(k.others) q (entry)
          join inverses i on i.objective_id = (q.entry->>0)::bigint and i.iteration <= (q.entry->>1)::integer`),
      ),
    )}) x`,
);

/**
 * What a stored suggestion was computed from: cases added, runs loaded and corrections made since are undone. Undefined unless
 * the inverse has been suggested and everything that it learned from is still stored. Deleted objectives count until they are
 * purged. The limits and counters of the objective are those of now.
 */
export async function readSnapshotOf(
  db: Db,
  { accountId, inverseId }: { readonly accountId: number; readonly inverseId: number },
): Promise<Snapshot | undefined> {
  const [row] = await selectSnapshotOf(db, { accountId, inverseId });
  if (row === undefined) return undefined;
  const snapshot = toSnapshot(row);
  const isWhole = JSON.stringify(snapshot.learnedFrom?.objectives ?? []) === JSON.stringify(row['knownOthers']);
  return isWhole ? snapshot : undefined;
}

/** Where an objective looks that is about to be stored. */
export interface NewLearner {
  readonly accountId: number;
  readonly trialId: number;
  readonly reuse: boolean;
  readonly continuesId: number | null;
}

const selectOtherRuns = compileSqlOnce<NewLearner, RunColumns>(
  (value) => sql`
    select x.*
    from (select 0::bigint as id, ${value('trialId')}::bigint as trial_id, ${value('reuse')}::boolean as reuse,
      ${value('continuesId')}::bigint as continues_id) o
    join trials t on t.id = o.trial_id
    join output_case_sets s on s.id = t.output_case_set_id
    cross join lateral (${OTHER_RUNS}) x
    where t.account_id = ${value('accountId')}`,
);

/** The runs of other objectives that a new objective of the trial will learn from. */
export async function readOtherRuns(trx: Trx, learner: NewLearner): Promise<KnownRuns> {
  const [row] = await selectOtherRuns(trx, learner);
  return toKnownRuns(row!);
}

const selectCases = compileSqlOnce<{ accountId: number; trialId: number }, CaseColumns>(
  (value) => sql`
    select ${CASE_COLUMNS}
    from trials t
    join projects p on p.id = t.project_id
    join output_case_sets s on s.id = t.output_case_set_id
    ${caseSources(sql`t.revision`)}
    where t.account_id = ${value('accountId')} and t.id = ${value('trialId')}`,
);

/** All cases of a trial as they are now, designed and added. The trial must exist. */
export async function readKnownCases(trx: Trx, accountId: number, trialId: number): Promise<KnownCases> {
  const [row] = await selectCases(trx, { accountId, trialId });
  return toKnownCases(row!);
}
