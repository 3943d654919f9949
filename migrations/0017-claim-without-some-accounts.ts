/**
 * A claim passes over accounts that have all the places they may, so that one with slow suggestions does not hold every place
 * of a worker. Under a name of its own, because workers of the version before go on claiming by claim_jobs.
 */
export const sql = `
-- As claim_jobs of 0010 and 0012 but for passed_over; 0005 explains it. The accounts passed over keep their places in the ring,
-- which is longer by their number: looking past their jobs one by one would take time for each.
create function claim_jobs_of_others(
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
  with recursive ring (account_id, has_wrapped, place) as (
    select after_account, false, 0
    union all
    select n.account_id, n.has_wrapped, r.place + 1
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
    where r.place < job_limit + cardinality(passed_over) and not (n.has_wrapped and n.account_id > after_account)),
  chosen as materialized (
    select t.id, r.place, t.turn
    from ring r cross join lateral unnest(array(
      select j.id from suggestion_jobs j
      where j.account_id = r.account_id and j.visible_at <= now() and j.attempts < maximum_attempts
      order by j.visible_at, j.id
      limit job_limit
      for update skip locked)) with ordinality t (id, turn)
    where r.place > 0 and r.account_id <> all (passed_over)
    order by t.turn, r.place
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
      extract(epoch from clock_timestamp() - j.created_at)::double precision * 1000 as waited_ms, c.place, c.turn)
  select l.id, l.account_id, l.objective_id, l.inverse_id, l.lease_token, l.attempts, l.request_id,
    l.trace_parent, l.waited_ms
  from leased l order by l.turn, l.place;
end $$;

-- For workers of the version before: the same claim, passing nobody over. A later migration may drop it.
create or replace function claim_jobs(
  job_limit integer, lease_ms double precision, worker_name text, maximum_attempts integer, after_account bigint)
returns table (id bigint, account_id bigint, objective_id bigint, inverse_id bigint, lease_token uuid, attempts integer,
  request_id text, trace_parent text, waited_ms double precision)
language sql
as $$
  select * from claim_jobs_of_others(job_limit, lease_ms, worker_name, maximum_attempts, after_account, '{}');
$$;
`;
