/**
 * The statements of a cycle (suggest, load output) for the ingress. Each reads or writes everything at once that its use case
 * needs, so that it is a transaction of its own and the objective is locked for no longer than one statement takes.
 *
 * A statement that waits for the lock continues with the objective as it is then, and with everything else as it was before.
 * Writes therefore repeat what they rely on in their conditions: rows that changed meanwhile are not written.
 */
import { type RawBuilder, sql } from 'kysely';
import type { NewEvent } from '../../domain/event.ts';
import { type Inverse, InverseStatus } from '../../domain/inverse.ts';
import type { Objective } from '../../domain/objective.ts';
import { StopReason, type Transition } from '../../domain/search/stop-reason.ts';
import type { StorageQuota } from '../../domain/storage.ts';
import { TrialStatus } from '../../domain/trial.ts';
import { isWithinQuota } from '../accounts/account-usage.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { type EventLists, eventsTold, listEvents, recordingEvents } from '../webhooks/events.ts';
import { BASIS_OUTPUT } from './inverses.ts';
import {
  columns,
  inverseOf,
  lockRunning,
  OBJECTIVE_WITH_PARENTS,
  OPTIMAL_OUTPUT,
  type Row,
  readInverse,
  readObjective,
  readWithParents,
} from './iteration-rows.ts';
import { LABELS, OBJECTIVE_COLUMNS, type ObjectiveWithParents } from './objectives.ts';
import { INVERSE_COLUMNS } from './run-columns.ts';
import { hasRoomInQueue, JOBS_CHANNEL } from './suggestion-jobs.ts';

/** The inverse with the highest iteration of objective `o`: one look along inverses_one_per_iteration. */
const LAST_INVERSE = sql`
  select ${columns(INVERSE_COLUMNS)}, ${BASIS_OUTPUT} from inverses i
  where i.objective_id = o.id order by i.iteration desc limit 1`;

interface IterationRequest extends StorageQuota {
  readonly accountId: number;
  readonly objectiveId: number;
  /** Where the objective has to be; null: anywhere. */
  readonly modelId: number | null;
  readonly projectId: number | null;
  readonly trialId: number | null;
  readonly requestId: string | null;
  readonly traceParent: string | null;
  /** Jobs that the account may have; 0 for any number. */
  readonly maximumQueued: number;
}

export interface RequestedIteration {
  readonly objective: ObjectiveWithParents;
  /** The last one before. */
  readonly last: Inverse;
  /** The one that was opened. */
  readonly opened: Pick<Inverse, 'id' | 'createdAt' | 'updatedAt'> | undefined;
  /** What the account has no room for, when it was for this that none was opened. */
  readonly lacks: 'storage' | 'queue' | undefined;
}

interface OpenedRow {
  readonly openedId: number | null;
  readonly openedAt: Date;
  readonly isWithinQuota: boolean | null;
  readonly hasRoomInQueue: boolean | null;
}

const openIterationOnce = compileSqlOnce<IterationRequest, Row & OpenedRow>((value) => {
  const isAt = (column: string, id: number | null) =>
    sql`(${id}::bigint is null or ${sql.ref(column)} = ${id}::bigint)`;
  const quota = { storedBytes: value('storedBytes'), storedRows: value('storedRows') };
  return sql`
    with objective as materialized (
      select ${columns(OBJECTIVE_WITH_PARENTS)}, ${LABELS} from objectives o join trials t on t.id = o.trial_id
      where o.account_id = ${value('accountId')}::bigint and o.id = ${value('objectiveId')}::bigint
      for update of o),
    last as materialized (
      select l.* from (select ${value('objectiveId')}::bigint as id) o cross join lateral (${LAST_INVERSE}) l),
    next as materialized (
      select o.id as objective_id, l.iteration + 1 as iteration,
        ${isWithinQuota(value('accountId'), quota)} as is_within_quota,
        ${hasRoomInQueue(value('accountId'), value('maximumQueued'))} as has_room_in_queue
      from objective o cross join last l
      where o."disabledAt" is null and o."stopReason" = ${sql.lit(StopReason.running)}
        and o."trialStatus" = ${sql.lit(TrialStatus.active)}
        and ${isAt('o.modelId', value('modelId'))} and ${isAt('o.projectId', value('projectId'))}
        and ${isAt('o.trialId', value('trialId'))}
        and not o."isParallel" and not (l.status = 'active' and l.output is null)),
    opened as (
      insert into inverses (account_id, objective_id, iteration)
      select ${value('accountId')}::bigint, objective_id, iteration from next
      where is_within_quota and has_room_in_queue
      on conflict on constraint inverses_one_per_iteration do nothing
      returning id, objective_id, created_at),
    job as (
      insert into suggestion_jobs (account_id, objective_id, inverse_id, request_id, trace_parent)
      select ${value('accountId')}::bigint, objective_id, id, ${value('requestId')}::text, ${value('traceParent')}::text
      from opened
      returning id)
    select o.*, ${inverseOf('l')}, n.is_within_quota as "isWithinQuota", n.has_room_in_queue as "hasRoomInQueue",
      i.id as "openedId", i.created_at as "openedAt", (select pg_notify(${sql.lit(JOBS_CHANNEL)}, '') from job)
    from objective o cross join last l left join next n on true left join opened i on true`;
});

/**
 * Locks the objective, and opens its next iteration with the job that computes it when all of this holds: it runs, it is where
 * the request says, its trial is active, no more than one of its inverses may be open, the last one is completed, and the account
 * has room. Workers hear of it on commit.
 * Undefined without such an objective. When nothing was opened and nothing of this is missing, another request was faster.
 */
export async function openIteration(db: Db | Trx, request: IterationRequest): Promise<RequestedIteration | undefined> {
  const [row] = await openIterationOnce(db, request);
  if (row === undefined) return undefined;
  const { openedId, openedAt } = row;
  return {
    objective: readWithParents(row),
    last: readInverse(row),
    opened: openedId === null ? undefined : { id: openedId, createdAt: openedAt, updatedAt: openedAt },
    lacks: row.isWithinQuota === false ? 'storage' : row.hasRoomInQueue === false ? 'queue' : undefined,
  };
}

export interface Iteration {
  readonly objective: ObjectiveWithParents;
  readonly inverse: Inverse;
  /** The output of the optimal inverse, if there is one. */
  readonly optimalOutput: readonly number[] | null;
}

type IterationRow = Row & Pick<Iteration, 'optimalOutput'>;

const selectLastIteration = compileSqlOnce<{ accountId: number; objectiveId: number }, IterationRow>(
  (value) => sql`
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${LABELS}, ${inverseOf('l')}, ${OPTIMAL_OUTPUT}
    from objectives o join trials t on t.id = o.trial_id cross join lateral (${LAST_INVERSE}) l
    where o.account_id = ${value('accountId')} and o.id = ${value('objectiveId')}`,
);

const selectIteration = compileSqlOnce<{ accountId: number; inverseId: number }, IterationRow>(
  (value) => sql`
    select ${columns(OBJECTIVE_WITH_PARENTS)}, ${LABELS}, ${inverseOf('l')}, ${OPTIMAL_OUTPUT}
    from (select ${columns(INVERSE_COLUMNS)}, ${BASIS_OUTPUT} from inverses i
      where i.account_id = ${value('accountId')} and i.id = ${value('inverseId')}) l
    join objectives o on o.id = l."objectiveId" join trials t on t.id = o.trial_id`,
);

function toIteration(row: IterationRow | undefined): Iteration | undefined {
  return row && { objective: readWithParents(row), inverse: readInverse(row), optimalOutput: row.optimalOutput };
}

/** The last iteration of an objective, or the one of an inverse; disabled ones included. Nothing is locked. Primary keys. */
export async function findIteration(
  db: Db | Trx,
  accountId: number,
  of: { readonly objectiveId: number } | { readonly inverseId: number },
): Promise<Iteration | undefined> {
  const [row] =
    'inverseId' in of
      ? await selectIteration(db, { accountId, inverseId: of.inverseId })
      : await selectLastIteration(db, { accountId, objectiveId: of.objectiveId });
  return toIteration(row);
}

export interface CompletedIteration {
  readonly accountId: number;
  readonly objectiveId: number;
  readonly inverseId: number;
  readonly state: Transition;
  /** Of the data by which it was judged. */
  readonly dataRevision: number;
  /** null: the run failed. */
  readonly output: readonly number[] | null;
  /** Nanoseconds, or null for the time since the input was handed out, by the database's clock. */
  readonly computeTimeNs: number | null;
  readonly failureReason: string | null;
  /** The optimal inverse now; null when it stays. */
  readonly optimalInverseId: number | null;
  readonly events: readonly NewEvent[];
}

interface IterationToComplete extends Omit<CompletedIteration, 'state' | 'events'>, EventLists {
  readonly isFailed: boolean;
  readonly isSatisfied: boolean;
  readonly stopReason: number;
  readonly status: string;
}

const completeIterationOnce = compileSqlOnce<IterationToComplete, Row>((value) => {
  const nowIf = (condition: RawBuilder<unknown>, column: string) =>
    sql`${sql.id(column)} = case when ${condition} then now() else ${sql.ref(`i.${column}`)} end`;
  return sql`
    with objective as materialized (${lockRunning(value('accountId'), value('objectiveId'))}),
    inverse as (
      update inverses i set
        status = ${value('status')}, output = ${value('output')}::float8[], failure_reason = ${value('failureReason')}::text,
        compute_time_ns = coalesce(
          ${value('computeTimeNs')}::bigint, greatest(0, extract(epoch from now() - i.suggested_at) * 1e9)::bigint),
        ${nowIf(sql`not ${value('isFailed')}::boolean`, 'loaded_at')}, ${nowIf(sql`${value('isFailed')}::boolean`, 'failed_at')},
        ${nowIf(sql`${value('isSatisfied')}::boolean`, 'satisfied_at')},
        ${nowIf(sql`${value('stopReason')}::smallint = ${sql.lit(StopReason.exhausted)}`, 'exhausted_at')},
        completed_order = o.completed_count + 1, updated_at = now()
      from objective o
      where i.id = ${value('inverseId')}::bigint and i.objective_id = o.id
        and not o.is_parallel and o.data_revision = ${value('dataRevision')}::integer
        and i.status = 'active' and i.input is not null and i.output is null
      returning ${columns(INVERSE_COLUMNS)}, ${BASIS_OUTPUT}),
    judged as (
      update objectives o set
        stop_reason = ${value('stopReason')}::smallint,
        optimal_inverse_id = coalesce(${value('optimalInverseId')}::bigint, o.optimal_inverse_id),
        completed_count = o.completed_count + 1, updated_at = now()
      from inverse i
      where o.id = i."objectiveId"
      returning ${columns(OBJECTIVE_COLUMNS)}, ${LABELS}),
    ${recordingEvents(value('accountId'), value('eventNames'), value('eventResourceIds'), sql`exists (select from judged)`)}
    select o.*, ${inverseOf('i')}, ${eventsTold()} from judged o cross join inverse i`;
});

/**
 * Locks the objective, then stores the output of its open inverse, or its failure, with both states and the events. Undefined
 * when the inverse does not await an output, the objective has ended or was deleted, the trial's data has changed, or several
 * inverses may be open: nothing was written.
 */
export async function completeIteration(
  db: Db | Trx,
  { state, events, ...completed }: CompletedIteration,
): Promise<{ readonly objective: Objective; readonly inverse: Inverse } | undefined> {
  const [row] = await completeIterationOnce(db, {
    ...completed,
    ...listEvents(events),
    isFailed: completed.output === null,
    isSatisfied: state.inverseStatus === InverseStatus.converged,
    stopReason: state.stopReason,
    status: state.inverseStatus,
  });
  return row && { objective: readObjective(row), inverse: readInverse(row) };
}
