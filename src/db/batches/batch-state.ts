/** Everything that decides what a batch does next, in one statement. */
import { sql } from 'kysely';
import {
  type BatchState,
  type BatchStatus,
  LARGEST_PARALLELISM,
  type RunningObjective,
} from '../../domain/batches/batch.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { MUST_HOLD } from '../search/objectives.ts';
import { failedSuggestions, openInverses } from '../search/open-inverses.ts';
import { COUNTED_CASES, orphanedEvaluations, unassignedInverses } from './batch-evaluations.ts';

interface StateRow extends Omit<BatchState, 'status' | 'room' | 'running' | 'cases'> {
  readonly cases: Omit<BatchState['cases'], 'room'> | null;
  readonly roomForCases: number | null;
  readonly status: string;
  readonly accountId: number;
  readonly maximumEvaluations: number | null;
  readonly openOfProject: number | null;
  readonly running: readonly (Omit<RunningObjective, 'largestParallelism'> & {
    readonly largestParallelism: number | null;
  })[];
}

/** Everything that decides what a batch does next, as committed now. Undefined: it is gone. */
export async function readBatchState(db: Db | Trx, id: number): Promise<BatchState | undefined> {
  const { rows } = await sql<StateRow>`
    select b.status, b.is_paused as "isPaused", b.parallelism, b.stop_after_failures as "stopAfterFailures",
      case
        when m.disabled_at is not null then 'The model was deleted.'
        when p.disabled_at is not null then 'The project was deleted.'
        when t.disabled_at is not null then 'The trial was deleted.'
        when t.status <> 'active' then 'The trial is ' || t.status || ' and takes no more objectives.'
      end as obstacle,
      case when b.status = 'evaluating-cases' then ${COUNTED_CASES} end as cases,
      case when b.status = 'evaluating-cases' and p.developed_at is null then (
        select min((q.definition->>'maximumAttempts')::int) - 1 from batch_objectives q where q.batch_id = b.id) end as "roomForCases",
      n.open as "openEvaluations",
      p.maximum_evaluations as "maximumEvaluations",
      case when p.maximum_evaluations is not null then (
        select count(*)::int from batches other join evaluations e on e.batch_id = other.id and e.state in ('waiting', 'leased')
        where other.project_id = b.project_id) end as "openOfProject",
      (select count(*)::int from (${orphanedEvaluations(sql`b.id`)}) orphan) as orphans,
      (select count(*)::int from (${unassignedInverses(sql`b.id`)}) unassigned) as unassigned,
      coalesce(l.count = b.stop_after_failures and l.all_failed, false) as "failsAlways",
      l.last as "lastFailure",
      (select count(*)::int from batch_objectives q
        where q.batch_id = b.id and q.objective_id is null and q.failure_reason is null) as "waitingObjectives",
      (select coalesce(json_agg(json_build_object('id', o.id, 'parallelism', o.parallelism,
          'largestParallelism', (q.definition->>'parallelism')::int,
          'attemptsLeft', greatest(o.maximum_attempts - o.attempt_count, case when ${MUST_HOLD} and i.open = 0 then 1 else 0 end), 'open', i.open, 'queued', i.queued,
          'failedSuggestions', ${failedSuggestions(sql`o.id`)}) order by q.position), '[]')
        from objectives o
        join batch_objectives q on q.batch_id = b.id and q.objective_id = o.id
        cross join lateral (
          select count(*) filter (where i.input is not null)::int as open,
            count(*) filter (where i.input is null)::int + coalesce(
              (select cardinality(j.askers) from suggestion_jobs j where j.objective_id = o.id), 0) as queued
          from ${openInverses(sql`o.id`)}) i
        where o.batch_id = b.id and o.stop_reason = ${sql.lit(StopReason.running)} and o.disabled_at is null) as running
    from batches b
    join models m on m.id = b.model_id
    join projects p on p.id = b.project_id
    left join trials t on t.id = b.trial_id
    cross join lateral (
      select count(*)::int as open from evaluations e where e.batch_id = b.id and e.state in ('waiting', 'leased')) n
    left join lateral (
      select count(*)::int as count, bool_and(r.state = 'failed') as all_failed,
        (array_agg(r.failure_reason order by r.finished_at desc, r.id desc))[1] as last
      from (
        select id, state, failure_reason, finished_at from evaluations e
        where e.batch_id = b.id and e.state in ('done', 'failed')
        order by e.finished_at desc, e.id desc limit b.stop_after_failures) r) l on true
    where b.id = ${id}`.execute(db);
  return rows[0] && toState(rows[0]);
}

const NO_CASES = { planned: 0, begun: 0, done: 0, failed: 0 };

function toState({
  maximumEvaluations,
  openOfProject,
  running,
  status,
  cases,
  roomForCases,
  ...row
}: StateRow): BatchState {
  const isLimited = maximumEvaluations !== null;
  return {
    ...row,
    status: status as BatchStatus,
    cases: { ...(cases ?? NO_CASES), room: roomForCases ?? 0 },
    room: isLimited ? Math.max(0, maximumEvaluations - openOfProject!) : Number.POSITIVE_INFINITY,
    running: running.map((one) => ({
      ...one,
      attemptsLeft: Math.max(0, one.attemptsLeft - one.queued),
      largestParallelism: one.largestParallelism ?? LARGEST_PARALLELISM,
    })),
  };
}
