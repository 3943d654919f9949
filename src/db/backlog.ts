/** The backlog, for monitoring and scaling: one statement over the open rows; nothing else is read. */
import { sql } from 'kysely';
import type { Db } from './connection/transaction.ts';

export interface Backlog {
  readonly jobs: {
    /** Claimable now, jobs whose lease ran out included. */
    readonly waiting: number;
    /** Handed back after a fault, to be tried later. */
    readonly delayed: number;
    readonly leased: number;
    /** Seconds for which the longest claimable job has been claimable; 0 when there is none. */
    readonly oldestWaitingSeconds: number;
    /** Seconds since the oldest open request was made, whatever its state. */
    readonly oldestOpenSeconds: number;
  };
  /** The accounts with the most open jobs, at most as many as asked for. */
  readonly accounts: readonly { readonly accountId: number; readonly open: number }[];
  readonly deliveries: {
    readonly due: number;
    readonly delayed: number;
    readonly leased: number;
    readonly oldestDueSeconds: number;
  };
  readonly evaluations: {
    /** Claimable now, those whose lease ran out included; without those of paused batches. */
    readonly waiting: number;
    /** After a failure, until they are tried again. */
    readonly delayed: number;
    readonly leased: number;
    /** Seconds for which the longest claimable evaluation has been claimable; 0 when there is none. */
    readonly oldestWaitingSeconds: number;
  };
  /** Those that have not ended. */
  readonly batches: {
    readonly evaluatingCases: number;
    readonly solving: number;
    /** Whatever they would do. */
    readonly paused: number;
    /** Seconds for which one has been due that no worker has looked at; 0 when there is none. */
    readonly oldestDueSeconds: number;
  };
}

/**
 * Counts open jobs, deliveries, evaluations and batches, each row once. Finished jobs are deleted; finished deliveries and evaluations lie
 * outside the partial indexes, so that the cost grows with the backlog alone: 1 to 2 ms per 1,000 waiting jobs.
 */
export async function readBacklog(db: Db, accountLimit: number): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    with per_account as materialized (
      select account_id, count(*) as open,
        count(*) filter (where visible_at <= now()) as waiting,
        count(*) filter (where state = 'waiting' and visible_at > now()) as delayed,
        min(visible_at) filter (where visible_at <= now()) as waiting_since,
        min(created_at) as open_since
      from suggestion_jobs group by account_id),
    jobs as (
      select
        coalesce(sum(waiting), 0)::int as waiting,
        coalesce(sum(delayed), 0)::int as delayed,
        coalesce(sum(open - waiting - delayed), 0)::int as leased,
        coalesce(extract(epoch from now() - min(waiting_since)), 0)::float8 as "oldestWaitingSeconds",
        coalesce(extract(epoch from now() - min(open_since)), 0)::float8 as "oldestOpenSeconds"
      from per_account),
    accounts as (
      select account_id as "accountId", open::int
      from per_account order by open desc, account_id limit ${accountLimit}),
    deliveries as (
      select
        count(*) filter (where d.visible_at <= now())::int as due,
        count(*) filter (where d.state = 'waiting' and d.visible_at > now())::int as delayed,
        count(*) filter (where d.state = 'leased' and d.visible_at > now())::int as leased,
        coalesce(extract(epoch from now() - min(d.visible_at) filter (where d.visible_at <= now())), 0)::float8
          as "oldestDueSeconds"
      from webhook_deliveries d join webhooks w on w.id = d.webhook_id and w.enabled
      where d.state in ('waiting', 'leased')),
    evaluations as (
      select
        count(*) filter (where e.visible_at <= now() and not b.is_paused)::int as waiting,
        count(*) filter (where e.state = 'waiting' and e.visible_at > now())::int as delayed,
        count(*) filter (where e.state = 'leased' and e.visible_at > now())::int as leased,
        coalesce(extract(epoch from now() - min(e.visible_at) filter (where e.visible_at <= now() and not b.is_paused)),
          0)::float8 as "oldestWaitingSeconds"
      from evaluations e join batches b on b.id = e.batch_id
      where e.state in ('waiting', 'leased')),
    batches as (
      select
        count(*) filter (where status = 'evaluating-cases' and not is_paused)::int as "evaluatingCases",
        count(*) filter (where status = 'solving' and not is_paused)::int as solving,
        count(*) filter (where is_paused)::int as paused,
        greatest(coalesce(extract(epoch from now() - min(due_at)), 0), 0)::float8 as "oldestDueSeconds"
      from batches b where status in ('evaluating-cases', 'solving'))
    select
      (select to_json(jobs) from jobs) as jobs,
      (select coalesce(json_agg(accounts), '[]') from accounts) as accounts,
      (select to_json(deliveries) from deliveries) as deliveries,
      (select to_json(evaluations) from evaluations) as evaluations,
      (select to_json(batches) from batches) as batches`.execute(db);
  return rows[0]!;
}
