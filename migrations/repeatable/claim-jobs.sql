-- revision 2: raise it with every change of this file
--
-- The claim of suggestion jobs, round robin over the accounts. This is its only text. The signature stays: workers of the version
-- before call this function while an upgrade rolls, and a claim with other parameters or another result needs another name.
--
-- A function, because it keeps its plan: planning would take longer than the claim. The queue may be empty when the plan is made
-- and hold thousands a second later, so the settings force a plan along suggestion_jobs_claimable_by_account, whatever the
-- statistics say. The index is not partial, so parameters do no harm. Without the settings:
--   seqscan, bitmapscan      a plan made beside an empty queue reads the whole table: 60 to 600 ms
--   sort                     an index estimated expensive is replaced by another one, read whole and sorted
--   hashjoin, mergejoin      a plan made beside a short queue reads the whole queue to join by id
--   jit                      before PostgreSQL 18 forbidden sorts cost 1e10, and such statements are compiled: 0.2 to 3 s
--
-- ring: the accounts after after_account in the order of their ids, past the largest id on from the smallest, one index probe
-- each; up to job_limit of them besides those in passed_over, which keep their positions because skipping their jobs one by one
-- would take time for each. chosen: the first job of each account, then the second of each, and so on, without rows that others
-- are claiming. The cost grows with job_limit, not with the number of jobs or accounts. Jobs are returned in the order chosen,
-- so that the next claim continues after the account of the last one.
create or replace function claim_jobs_of_others(
  job_limit integer, lease_ms double precision, worker_name text, maximum_attempts integer, after_account bigint,
  passed_over bigint[])
returns table (id bigint, account_id bigint, objective_id bigint, inverse_id bigint, lease_token uuid, attempts integer,
  request_id text, trace_parent text, waited_ms double precision)
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with recursive ring (account_id, has_wrapped, ring_position) as (
    select after_account, false, 0
    union all
    select n.account_id, n.has_wrapped, r.ring_position + 1
    from ring r cross join lateral (
      (select j.account_id, r.has_wrapped from suggestion_jobs j
       where j.account_id > r.account_id and j.visible_at <= now() and j.attempts < maximum_attempts
       order by j.account_id limit 1)
      union all
      (select j.account_id, true from suggestion_jobs j
       where not r.has_wrapped and j.account_id <= after_account
         and j.visible_at <= now() and j.attempts < maximum_attempts
       order by j.account_id limit 1)
      limit 1) n
    where r.ring_position < job_limit + cardinality(passed_over)
      and not (n.has_wrapped and n.account_id > after_account)),
  chosen as materialized (
    select t.id, r.ring_position, t.round
    from ring r cross join lateral unnest(array(
      select j.id from suggestion_jobs j
      where j.account_id = r.account_id and j.visible_at <= now() and j.attempts < maximum_attempts
      order by j.visible_at, j.id
      limit job_limit
      for update skip locked)) with ordinality t (id, round)
    where r.ring_position > 0 and r.account_id <> all (passed_over)
    order by t.round, r.ring_position
    limit job_limit),
  leased as (
    update suggestion_jobs j set
      state = 'leased',
      attempts = j.attempts + 1,
      lease_token = gen_random_uuid(),
      leased_by = worker_name,
      visible_at = clock_timestamp() + lease_ms * interval '1 millisecond'
    from chosen c
    where j.id = c.id
    returning j.id, j.account_id, j.objective_id, j.inverse_id, j.lease_token, j.attempts, j.request_id, j.trace_parent,
      extract(epoch from clock_timestamp() - j.created_at)::double precision * 1000 as waited_ms, c.ring_position, c.round)
  select l.id, l.account_id, l.objective_id, l.inverse_id, l.lease_token, l.attempts, l.request_id,
    l.trace_parent, l.waited_ms
  from leased l order by l.round, l.ring_position;
end $$;
