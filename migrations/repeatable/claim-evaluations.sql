-- revision 5: raise it with every change of this file
--
-- The claim of evaluations, round robin over the open batches of an account, and the question whether one would find any. This is
-- their only text. The signatures stay: processes of the version before call these functions while an upgrade rolls, and a
-- claim with other parameters or another result needs another name.
--
-- Functions, because they keep their plans, with settings that force the indexes whatever the statistics say about tables that
-- were empty when the plan was made; claim-jobs.sql says what each of them prevents.
--
-- An evaluation can be claimed once its visible_at has passed: it waits, or its lease has expired. A lease that was the last one
-- it may lose is left to the schedule, which fails it.
--
-- Whether a batch has something is asked by a subquery with a limit: as exists it may become a join along the whole queue. The whole
-- row is returned: joined outside, where the settings do not hold, a plan made beside an empty table would read it all.
--
-- ring: the open batches in the order of their ids, from the one after after_batch on and then from the smallest, that have something
-- to claim; each costs one probe of evaluations_claimable. of_account null: the batches of all accounts. share: what each batch
-- gives in this pass, an equal part of what is missing; a pushed batch gives no more than its evaluator takes at once. The next pass
-- fills up what short batches left. The cost grows with the batches that the account has open and with claim_limit, not with
-- the number of evaluations.
-- passed_over: accounts from which nothing is claimed. of_sources: what the evaluator runs, the fine source by that name; null for all.
create or replace function claim_evaluations_of_sources(
  of_account bigint, pushed boolean, of_project bigint, of_batch bigint, after_batch bigint, claim_limit integer,
  seconds double precision, claimant text, passed_over bigint[], of_sources text[])
returns table (evaluation evaluations, was_lost boolean, waited_ms double precision)
language plpgsql
rows 1
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  missing integer := claim_limit;
  found_count integer;
begin
  -- Workers claim for the same evaluators one after the other: what each counts as under way has to include what the others have
  -- just claimed. The next statement sees it, which begins once the lock is held.
  if pushed then
    perform pg_advisory_xact_lock(hashtextextended('claim of pushed evaluations', 0));
  end if;
  loop
    return query
    with ring as materialized (
      select row_number() over () as ring_position, r.* from (
        select b.id, b.maximum_losses,
          case when pushed then coalesce((b.evaluator->>'concurrency')::integer, claim_limit) - (
            select count(*) filter (where e.state = 'leased')::integer from evaluations e
            where e.batch_id = b.id and e.state in ('waiting', 'leased') and e.visible_at > now())
          else claim_limit end as room
        from (
          (select * from batches b
           where b.account_id = of_account and b.id > after_batch
             and b.status in ('evaluating-cases', 'solving') and not b.is_paused order by b.id)
          union all
          (select * from batches b
           where b.account_id = of_account and b.id <= after_batch
             and b.status in ('evaluating-cases', 'solving') and not b.is_paused order by b.id)
          union all
          (select * from batches b
           where of_account is null and b.id > after_batch and b.evaluator->>'kind' <> 'pull'
             and b.status in ('evaluating-cases', 'solving') and not b.is_paused order by b.id)
          union all
          (select * from batches b
           where of_account is null and b.id <= after_batch and b.evaluator->>'kind' <> 'pull'
             and b.status in ('evaluating-cases', 'solving') and not b.is_paused order by b.id)) b
        where (b.evaluator->>'kind' <> 'pull') = pushed
          and b.account_id <> all (passed_over)
          and (of_project is null or b.project_id = of_project)
          and (of_batch is null or b.id = of_batch)
          and (
            select true from evaluations e
            where e.batch_id = b.id and e.state in ('waiting', 'leased') and e.visible_at <= now()
              and (e.state = 'waiting' or e.losses + 1 < b.maximum_losses)
              and (of_sources is null or coalesce(e.source, 'fine') = any (of_sources))
            order by e.visible_at limit 1)
          and (select p.disabled_at is null from projects p where p.id = b.project_id)
        limit missing) r),
    share as materialized (
      select ceil(missing::numeric / greatest(count(*), 1))::integer as size from ring),
    chosen as materialized (
      select t.id from ring r cross join share s cross join lateral unnest(array(
        select e.id from evaluations e
        where e.batch_id = r.id and e.state in ('waiting', 'leased') and e.visible_at <= now()
          and (e.state = 'waiting' or e.losses + 1 < r.maximum_losses)
          and (of_sources is null or coalesce(e.source, 'fine') = any (of_sources))
        order by e.visible_at, e.id
        limit greatest(0, least(s.size, r.room))
        for update skip locked)) t (id)
      limit missing),
    before as materialized (
      select e.id, e.state, e.visible_at from chosen c join evaluations e on e.id = c.id),
    leased as (
      update evaluations e set
        state = 'leased',
        losses = e.losses + case when b.state = 'leased' then 1 else 0 end,
        lease_token = gen_random_uuid(),
        lease_seconds = seconds,
        evaluator = claimant,
        claimed_at = clock_timestamp(),
        visible_at = clock_timestamp() + seconds * interval '1 second',
        progress = null,
        message = null,
        updated_at = now()
      from before b
      where e.id = b.id
      returning e, b.state = 'leased' as was_lost,
        extract(epoch from clock_timestamp() - b.visible_at)::double precision * 1000 as waited_ms)
    select l.e, l.was_lost, l.waited_ms from leased l;
    get diagnostics found_count = row_count;
    missing := missing - found_count;
    exit when missing <= 0 or found_count = 0;
  end loop;
end $$;

-- Whether a claim would find something that is pulled, unless others are faster.
create or replace function has_claimable_evaluation_of_sources(
  of_account bigint, of_project bigint, of_batch bigint, of_sources text[])
returns boolean
language plpgsql
stable
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return exists (
    select from batches b
    where b.account_id = of_account and b.status in ('evaluating-cases', 'solving') and not b.is_paused
      and b.evaluator->>'kind' = 'pull'
      and (of_project is null or b.project_id = of_project)
      and (of_batch is null or b.id = of_batch)
      and (
        select true from evaluations e
        where e.batch_id = b.id and e.state in ('waiting', 'leased') and e.visible_at <= now()
          and (e.state = 'waiting' or e.losses + 1 < b.maximum_losses)
              and (of_sources is null or coalesce(e.source, 'fine') = any (of_sources))
        order by e.visible_at limit 1)
      and (select p.disabled_at is null from projects p where p.id = b.project_id));
end $$;
