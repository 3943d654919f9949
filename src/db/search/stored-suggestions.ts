/** The statements of a cycle for the worker that store a suggestion. See iterations.ts. */
import { type RawBuilder, sql } from 'kysely';
import type { NewEvent } from '../../domain/event.ts';
import type { LearnedFrom } from '../../domain/inverse.ts';
import { type NearestSoFar, NO_NEAREST_CASE } from '../../domain/objective.ts';
import type { Ending } from '../../domain/search/ending.ts';
import type { Transition } from '../../domain/search/stop-reason.ts';
import type { LeasedJob } from '../../domain/suggestion-job.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { type EventLists, eventsTold, listEvents, recordingEvents } from '../webhooks/events.ts';
import { lockRunning, type Row } from './iteration-rows.ts';
import type { NearestIteration } from './objectives.ts';
import { FINISHED_CHANNEL, finishingJob } from './suggestion-jobs.ts';

export interface StoredSuggestion {
  readonly job: LeasedJob;
  readonly state: Transition;
  readonly input: readonly number[];
  /** Set when the objective stops with it: the known output of the repeated input. */
  readonly output: readonly number[] | null;
  /** Why it stops; null when it does not. */
  readonly ended: Ending | null;
  readonly suggestTimeNs: number;
  readonly isOptimal: boolean;
  /** Whether the input has been run before. */
  readonly isRepeat?: boolean;
  /** The iteration that is the optimal one now, unless this one is; null: none is named. */
  readonly optimalIteration: number | null;
  /** What the model expected of the outputs, lower ends then upper ends, if it expected anything. */
  readonly expected?: readonly number[] | null;
  /** Of the data that it was computed from. */
  readonly dataRevision: number;
  /** See Snapshot. */
  readonly basis: number;
  readonly pendingIterations: readonly number[];
  /** How likely the model considers its success; null where it says nothing. */
  readonly chance: number | null;
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
  /** JSON text. */
  readonly ended: string | null;
  readonly status: string;
  readonly input: readonly number[];
  readonly output: readonly number[] | null;
  readonly suggestTimeNs: number;
  readonly isOptimal: boolean;
  readonly isRepeat: boolean;
  readonly optimalIteration: number | null;
  readonly expected: readonly number[] | null;
  readonly dataRevision: number;
  readonly basis: number;
  /** null: none. */
  readonly pending: readonly number[] | null;
  readonly chance: number | null;
  readonly isCaseJudged: boolean;
  /** JSON text. */
  readonly learnedFrom: string | null;
}

type Value = <Name extends keyof SuggestionToStore>(name: Name) => SuggestionToStore[Name];

/** @param finished  selects the inverse_id of the job if its suggestion may be stored, given the locked row `objective` */
function storingSuggestion(value: Value, finished: RawBuilder<unknown>): RawBuilder<Row> {
  const output = sql`${value('output')}::float8[]`;
  const isCurrent = sql`data_revision = ${value('dataRevision')}::integer`;
  const isCaseJudged = sql`${value('isCaseJudged')}::boolean`;
  // What was judged by data that has changed since is not stored, and neither is what an output came after that may be nearer.
  const isJudged = sql`l.${isCurrent} and (not l.is_parallel or l.completed_count = ${value('basis')}::integer)`;
  const judged = (column: string, found: RawBuilder<unknown>) =>
    sql`${sql.id(column)} = case when ${isJudged} then ${found} else ${sql.ref(`o.${column}`)} end`;
  return sql<Row>`
    with objective as materialized (${lockRunning(value('accountId'), value('objectiveId'))}),
    finished as (${finished}),
    inverse as (
      update inverses i set
        status = ${value('status')}, input = ${value('input')}::float8[], output = ${output},
        expected = ${value('expected')}::float8[],
        suggest_time_ns = ${value('suggestTimeNs')}::bigint, suggested_at = now(),
        stopped_at = case when ${output} is null then i.stopped_at else now() end,
        basis = ${value('basis')}::integer, pending = ${value('pending')}::integer[],
        repeat_of = case when ${value('isRepeat')}::boolean then coalesce((
          select min(r.id) from inverses r
          where r.objective_id = i.objective_id and r.iteration < i.iteration and r.input = ${value('input')}::float8[]), 0) end,
        chance = ${value('chance')}::float8, learned_from = ${value('learnedFrom')}::jsonb, updated_at = now()
      from finished f
      where i.id = f.inverse_id
      returning i.id),
    counted as (
      update objectives o set
        stop_reason = ${value('stopReason')}::smallint,
        ended = coalesce(${value('ended')}::jsonb, o.ended),
        attempt_count = o.attempt_count + case when ${output} is null then 1 else 0 end,
        optimal_inverse_id = case
          when ${value('isOptimal')}::boolean then i.id
          when ${value('optimalIteration')}::integer is not null and ${isJudged} then (
            select q.id from inverses q
            where q.objective_id = o.id and q.iteration = ${value('optimalIteration')}::integer)
          else o.optimal_inverse_id end,
        ${judged('nearest_iteration', sql`${value('nearestIteration')}::integer`)},
        ${judged('nearest_case', sql`case when ${isCaseJudged} then ${value('nearestCase')}::integer else o.nearest_case end`)},
        ${judged('nearest_case_input', sql`case when ${isCaseJudged} then ${value('nearestCaseInput')}::float8[] else o.nearest_case_input end`)},
        ${judged('nearest_case_output', sql`case when ${isCaseJudged} then ${value('nearestCaseOutput')}::float8[] else o.nearest_case_output end`)},
        ${judged('judged_through', sql`${value('judgedThrough')}::integer`)}, updated_at = now()
      from inverse i cross join objective l
      where o.id = ${value('objectiveId')}::bigint),
    ${recordingEvents(value('accountId'), value('eventNames'), value('eventResourceIds'), sql`exists (select from inverse)`)}
    select pg_notify(${sql.lit(FINISHED_CHANNEL)}, i.id::text), ${eventsTold()} from inverse i`;
}

const storeSuggestionOnce = compileSqlOnce<SuggestionToStore, Row>((value) => {
  const isCurrent = sql`data_revision = ${value('dataRevision')}::integer`;
  const isStorable = sql`not is_parallel and (${value('output')}::float8[] is null or ${isCurrent})`;
  const objectiveId = sql`(select id from objective where ${isStorable})`;
  return storingSuggestion(value, finishingJob(value('jobId'), value('leaseToken'), objectiveId));
});

const storeLockedOnce = compileSqlOnce<SuggestionToStore & { readonly inverseId: number }, Row>((value) =>
  storingSuggestion(value, sql`select ${value('inverseId')}::bigint as inverse_id from objective`),
);

/**
 * Locks the objective, ends the job, and stores its suggestion with both states and the events. False when the lease was lost,
 * the objective has ended or was deleted, it would end on data that has changed since, or several of its inverses may be open: nothing
 * was written. Waiting requests are notified on commit.
 */
export async function storeSuggestion(db: Db | Trx, suggestion: StoredSuggestion): Promise<boolean> {
  return (await storeSuggestionOnce(db, toStore(suggestion))).length === 1;
}

/**
 * The same behind the locks of the objective, which runs, and of the job, which stays as it is. Waiting requests are notified on
 * commit.
 */
export async function storeLockedSuggestion(trx: Trx, suggestion: StoredSuggestion): Promise<void> {
  await storeLockedOnce(trx, { ...toStore(suggestion), inverseId: suggestion.job.inverseId });
}

function toStore({
  job,
  state,
  events,
  nearest,
  learnedFrom,
  pendingIterations,
  ended,
  ...suggestion
}: StoredSuggestion): SuggestionToStore {
  return {
    ...suggestion,
    pending: pendingIterations.length === 0 ? null : pendingIterations,
    isRepeat: suggestion.isRepeat ?? false,
    ended: ended && JSON.stringify(ended),
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
  };
}

/**
 * Notes that nothing new was found while other inverses were open. The caller holds the lock of the objective.
 *
 * @param completedCount  as it was when this was found
 */
export async function storeNothingNew(trx: Trx, objectiveId: number, completedCount: number): Promise<void> {
  await sql`update objectives set nothing_new_at = ${completedCount} where id = ${objectiveId}`.execute(trx);
}
