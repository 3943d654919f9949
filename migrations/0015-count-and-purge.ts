/**
 * What an account keeps is counted as it is written and as it goes, by triggers: whoever writes, a container of the version
 * before included, is counted, and no statement can forget it. Every deletion is noted, so that what it covers can be purged
 * when its time has come.
 */
export const sql = `
-- What an account keeps is the sum over its slots. A transaction adds to a slot that nobody else holds, so that requests of one
-- account never wait for each other here; there are as many slots as transactions of the account ever wrote at once.
-- stored_rows: records. stored_bytes: those, and what goes by itself: explanations, events, answers kept for a key.
create table account_usage (
  account_id bigint not null references accounts (id),
  slot bigint generated always as identity,
  stored_bytes bigint not null,
  stored_rows bigint not null,
  constraint account_usage_primary primary key (account_id, slot)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Adds to the first slot that no other transaction holds, or makes one.
create function count_stored(of_account bigint, more_bytes bigint, more_rows bigint) returns void language plpgsql as $$
begin
  update account_usage u set stored_bytes = u.stored_bytes + more_bytes, stored_rows = u.stored_rows + more_rows
  where u.account_id = of_account and u.slot = (
    select f.slot from account_usage f where f.account_id = of_account order by f.slot limit 1 for update skip locked);
  if not found then
    insert into account_usage (account_id, stored_bytes, stored_rows) values (of_account, more_bytes, more_rows);
  end if;
end $$;

-- Sizes in bytes, row header and index entries included. Of what may be large the size on disk, compressed and moved out of the
-- row, which needs no look at the value itself; numbers that are always few are counted as 8 bytes each.
create function model_bytes(name text, description text) returns bigint language sql immutable
return 256 + octet_length(name) + coalesce(octet_length(description), 0);

create function project_bytes(input_count integer, categories jsonb, input_cases double precision[])
returns bigint language sql stable
return 1024 + 32 * input_count + pg_column_size(categories) + pg_column_size(input_cases);

create function output_case_set_bytes(output_cases double precision[], failed_cases integer[])
returns bigint language sql stable
return 512 + pg_column_size(output_cases) + pg_column_size(failed_cases);

create function trial_bytes() returns bigint language sql immutable
return 256;

create function objective_bytes(input_count integer, output_count integer) returns bigint language sql immutable
return 512 + 8 * input_count + 48 * output_count;

-- From the beginning as large as with its input and output, so that neither has to be counted when it comes.
create function inverse_bytes(input_count integer, output_count integer) returns bigint language sql immutable
return 256 + 8 * (input_count + output_count);

-- Inverses are counted in lots, so that hardly any suggestion has to count: with iteration 1 that one, with 2 two, with 4 four,
-- with 8 eight, then sixteen with every sixteenth. Other iterations count for none: 0.
create function inverse_lot(iteration integer) returns integer language sql immutable
return case when iteration % 16 = 0 then 16 when iteration in (1, 2, 4, 8) then iteration else 0 end;

-- Room for what may be learned about an objective, as it compresses: sizes change with every suggestion.
create function explanation_bytes(input_count integer, output_count integer) returns bigint language sql immutable
return 512 + 40 * input_count * output_count + 96 * output_count + 16 * input_count;

create function webhook_bytes() returns bigint language sql immutable
return 1024;

create function event_bytes() returns bigint language sql immutable
return 192;

create function delivery_bytes() returns bigint language sql immutable
return 320;

-- Small answers are the rule, two per step, and go within a day: the rate limit bounds them, counting would only cost.
create function key_bytes(outcome json) returns bigint language sql stable
return case when pg_column_size(outcome) > 1024 then 256 + pg_column_size(outcome) else 0 end;

-- The same, counted anew over everything that is stored: what the slots must add up to.
create view stored_data as
select account_id, sum(bytes)::bigint as stored_bytes, sum(records)::bigint as stored_rows from (
  select account_id, model_bytes(name, description) as bytes, 1 as records from models
  union all
  select account_id, project_bytes(input_count, categories, input_cases), 1 from projects
  union all
  select account_id, output_case_set_bytes(output_cases, failed_cases), 1 from output_case_sets
  union all
  select account_id, trial_bytes(), 1 from trials
  union all
  select account_id, objective_bytes(cardinality(initial_input), cardinality(objectives)), 1 from objectives
  union all
  select i.account_id, inverse_lot(i.iteration) * inverse_bytes(cardinality(o.initial_input), cardinality(o.objectives)),
    inverse_lot(i.iteration)
  from inverses i join objectives o on o.id = i.objective_id where inverse_lot(i.iteration) > 0
  union all
  select account_id, octet_length(failure_reason), 0 from inverses where failure_reason is not null
  union all
  select e.account_id, explanation_bytes(cardinality(o.initial_input), cardinality(o.objectives)), 0
  from explanations e join objectives o on o.id = e.objective_id
  union all
  select account_id, webhook_bytes(), 1 from webhooks
  union all
  select account_id, event_bytes(), 0 from events
  union all
  select account_id, delivery_bytes(), 0 from webhook_deliveries
  union all
  select account_id, key_bytes(outcome), 0 from idempotency_keys) part
group by account_id;

-- The added rows of these one by one and read where they are: they come singly, the rows of a statement would be copied with all
-- their cases, and a value on its way has another size than on disk.
create function count_model() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform count_stored(new.account_id, model_bytes(new.name, new.description), 1);
  else
    perform count_stored(new.account_id,
      model_bytes(new.name, new.description) - model_bytes(old.name, old.description), 0);
  end if;
  return null;
end $$;

create function count_project() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, project_bytes(input_count, categories, input_cases), 1) from projects where id = new.id;
  return null;
end $$;

create function count_output_case_set() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, output_case_set_bytes(output_cases, failed_cases), 1)
  from output_case_sets where id = new.id;
  return null;
end $$;

create function count_explanation() returns trigger language plpgsql as $$
begin
  perform count_stored(new.account_id, explanation_bytes(cardinality(initial_input), cardinality(objectives)), 0)
  from objectives where id = new.objective_id;
  return null;
end $$;

create function count_lot() returns trigger language plpgsql as $$
declare
  lot integer := inverse_lot(new.iteration);
begin
  perform count_stored(new.account_id, lot * inverse_bytes(cardinality(initial_input), cardinality(objectives)), lot)
  from objectives where id = new.objective_id;
  return null;
end $$;

create function count_webhook() returns trigger language plpgsql as $$
begin
  perform count_stored(new.account_id, webhook_bytes(), 1);
  return null;
end $$;

-- With its deliveries, which the same statement has made.
create function count_event() returns trigger language plpgsql as $$
begin
  perform count_stored(new.account_id, event_bytes() + delivery_bytes() * (
    select count(*) from webhook_deliveries d where d.event_id = new.id), 0);
  return null;
end $$;

create function count_key() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, key_bytes(outcome), 0) from idempotency_keys
  where account_id = new.account_id and key = new.key and method = new.method and path = new.path;
  return null;
end $$;

create function count_failure_reason() returns trigger language plpgsql as $$
begin
  perform count_stored(new.account_id,
    coalesce(octet_length(new.failure_reason), 0) - coalesce(octet_length(old.failure_reason), 0), 0);
  return null;
end $$;

create trigger count_added after insert or update of name, description on models
  for each row execute function count_model();
create trigger count_added after insert on projects
  for each row execute function count_project();
create trigger count_added after insert on output_case_sets
  for each row execute function count_output_case_set();
create trigger count_added after insert on explanations
  for each row execute function count_explanation();
create trigger count_added after insert on webhooks
  for each row execute function count_webhook();
create trigger count_added after insert on events
  for each row execute function count_event();
-- On disk it is no larger than on its way.
create trigger count_added after insert on idempotency_keys
  for each row when (pg_column_size(new.outcome) > 1024) execute function count_key();
create trigger count_added after insert on inverses
  for each row when (inverse_lot(new.iteration) > 0) execute function count_lot();
create trigger count_failure_reason after update of failure_reason on inverses
  for each row when (new.failure_reason is distinct from old.failure_reason) execute function count_failure_reason();

-- All added or former rows of a statement at once: these may be thousands.
create function count_trials() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform count_stored(account_id, sign * count(*) * trial_bytes(), sign * count(*)) from changed group by account_id;
  return null;
end $$;

create function count_objectives() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform count_stored(account_id,
    sign * sum(objective_bytes(cardinality(initial_input), cardinality(objectives)))::bigint, sign * count(*))
  from changed group by account_id;
  return null;
end $$;

create function uncount_inverses() returns trigger language plpgsql as $$
begin
  perform count_stored(c.account_id, -sum(
    inverse_lot(c.iteration) * inverse_bytes(cardinality(o.initial_input), cardinality(o.objectives))
      + coalesce(octet_length(c.failure_reason), 0))::bigint, -sum(inverse_lot(c.iteration)))
  from changed c join objectives o on o.id = c.objective_id group by c.account_id;
  return null;
end $$;

create function uncount_models() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, -sum(model_bytes(name, description))::bigint, -count(*)) from changed group by account_id;
  return null;
end $$;

create function uncount_projects() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, -sum(project_bytes(input_count, categories, input_cases))::bigint, -count(*))
  from changed group by account_id;
  return null;
end $$;

create function uncount_output_case_sets() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, -sum(output_case_set_bytes(output_cases, failed_cases))::bigint, -count(*))
  from changed group by account_id;
  return null;
end $$;

create function uncount_explanations() returns trigger language plpgsql as $$
begin
  perform count_stored(c.account_id,
    -sum(explanation_bytes(cardinality(o.initial_input), cardinality(o.objectives)))::bigint, 0)
  from changed c join objectives o on o.id = c.objective_id group by c.account_id;
  return null;
end $$;

create function uncount_webhooks() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, -count(*) * webhook_bytes(), -count(*)) from changed group by account_id;
  return null;
end $$;

create function uncount_events() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, -count(*) * event_bytes(), 0) from changed group by account_id;
  return null;
end $$;

create function uncount_deliveries() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, -count(*) * delivery_bytes(), 0) from changed group by account_id;
  return null;
end $$;

create function recount_keys() returns trigger language plpgsql as $$
begin
  perform count_stored(c.account_id, sum(key_bytes(k.outcome) - key_bytes(c.outcome))::bigint, 0)
  from changed c join idempotency_keys k on k.account_id = c.account_id and k.key = c.key
    and k.method = c.method and k.path = c.path
  group by c.account_id;
  return null;
end $$;

create function uncount_keys() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, -sum(key_bytes(outcome))::bigint, 0)
  from changed where key_bytes(outcome) > 0 group by account_id;
  return null;
end $$;

create trigger count_all_added after insert on trials referencing new table as changed
  for each statement execute function count_trials();
create trigger count_all_added after insert on objectives referencing new table as changed
  for each statement execute function count_objectives();
create trigger recount after update on idempotency_keys referencing old table as changed
  for each statement execute function recount_keys();
create trigger uncount after delete on models referencing old table as changed
  for each statement execute function uncount_models();
create trigger uncount after delete on projects referencing old table as changed
  for each statement execute function uncount_projects();
create trigger uncount after delete on output_case_sets referencing old table as changed
  for each statement execute function uncount_output_case_sets();
create trigger uncount after delete on trials referencing old table as changed
  for each statement execute function count_trials();
create trigger uncount after delete on objectives referencing old table as changed
  for each statement execute function count_objectives();
create trigger uncount after delete on inverses referencing old table as changed
  for each statement execute function uncount_inverses();
create trigger uncount after delete on explanations referencing old table as changed
  for each statement execute function uncount_explanations();
create trigger uncount after delete on webhooks referencing old table as changed
  for each statement execute function uncount_webhooks();
create trigger uncount after delete on events referencing old table as changed
  for each statement execute function uncount_events();
create trigger uncount after delete on webhook_deliveries referencing old table as changed
  for each statement execute function uncount_deliveries();
create trigger uncount after delete on idempotency_keys referencing old table as changed
  for each statement execute function uncount_keys();

-- What was deleted by itself: what fell with it is not noted again. The record is gone for good when the deletion is.
-- counts_from: from when on its time runs; -infinity when it is to be purged at once.
-- purging_since: set before the first row goes.
create table deletions (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  model_id bigint not null,
  kind text not null,
  record_id bigint not null,
  deleted_at timestamptz not null,
  counts_from timestamptz not null,
  purging_since timestamptz,
  constraint deletions_kind_known check (kind in ('model', 'project', 'trial', 'objective'))
);
create index deletions_due on deletions (counts_from, id);
create index deletions_account on deletions (account_id, id);
create index deletions_model on deletions (model_id);

-- A parent is disabled before its children, in the same transaction.
create function note_deletion() returns trigger language plpgsql as $$
declare
  of_model bigint;
  is_below boolean := false;
begin
  if tg_table_name = 'models' then
    of_model := new.id;
  else
    of_model := new.model_id;
  end if;
  if tg_table_name = 'projects' then
    is_below := exists (select from models m where m.id = new.model_id and m.disabled_at is not null);
  elsif tg_table_name = 'trials' then
    is_below := exists (select from projects p where p.id = new.project_id and p.disabled_at is not null);
  elsif tg_table_name = 'objectives' then
    is_below := exists (select from trials t where t.id = new.trial_id and t.disabled_at is not null);
  end if;
  if not is_below then
    insert into deletions (account_id, model_id, kind, record_id, deleted_at, counts_from)
    values (new.account_id, of_model, tg_argv[0], new.id, new.disabled_at, new.disabled_at);
  end if;
  return null;
end $$;

create trigger note_deletion after update of disabled_at on models
  for each row when (old.disabled_at is null and new.disabled_at is not null) execute function note_deletion('model');
create trigger note_deletion after update of disabled_at on projects
  for each row when (old.disabled_at is null and new.disabled_at is not null) execute function note_deletion('project');
create trigger note_deletion after update of disabled_at on trials
  for each row when (old.disabled_at is null and new.disabled_at is not null) execute function note_deletion('trial');
create trigger note_deletion after update of disabled_at on objectives
  for each row when (old.disabled_at is null and new.disabled_at is not null) execute function note_deletion('objective');

-- What was deleted before is kept as long as if it had been deleted now: nobody was told until today that it would go.
insert into deletions (account_id, model_id, kind, record_id, deleted_at, counts_from)
select account_id, id, 'model', id, disabled_at, now() from models where disabled_at is not null
union all
select p.account_id, p.model_id, 'project', p.id, p.disabled_at, now() from projects p join models m on m.id = p.model_id
where p.disabled_at < coalesce(m.disabled_at, 'infinity')
union all
select t.account_id, t.model_id, 'trial', t.id, t.disabled_at, now() from trials t join projects p on p.id = t.project_id
where t.disabled_at < coalesce(p.disabled_at, 'infinity')
union all
select o.account_id, o.model_id, 'objective', o.id, o.disabled_at, now()
from objectives o join trials t on t.id = o.trial_id
where o.disabled_at < coalesce(t.disabled_at, 'infinity')
order by 5;

-- For every row that goes, the rows that refer to it are looked for.
create index output_case_sets_model on output_case_sets (model_id);
create index events_resource on events (resource_id);
-- This one would need an index that every job has to keep up, for a reference that nothing can break: a job and its step are
-- written together, and nobody removes a step but the purge, which drops the job before, behind the lock of the objective.
alter table suggestion_jobs drop constraint suggestion_jobs_inverse_id_fkey;

insert into account_usage (account_id, stored_bytes, stored_rows) select account_id, stored_bytes, stored_rows from stored_data;

-- Triggers run with the rights of whoever writes: a role that may write models, and so serves, has to be able to count from the
-- moment on in which they exist.
do $$
declare
  grantee text;
begin
  for grantee in
    select distinct a.grantee::regrole::text from pg_class c, aclexplode(c.relacl) a
    where c.oid = 'models'::regclass and a.privilege_type = 'INSERT' and a.grantee not in (0, c.relowner)
  loop
    execute 'grant select, insert, update, delete on account_usage, deletions to ' || grantee;
  end loop;
end $$;
`;
