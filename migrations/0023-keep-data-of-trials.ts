/**
 * Names of inputs and outputs, cases added to a trial, corrections, and objectives that learn from their whole trial.
 *
 * A change of a trial's data (added cases, a correction) gives it the next revision, behind the lock of the trial, and passes
 * the revision on to its objectives: whatever was computed from older data is then not stored as a verdict. Each suggestion
 * records what it learned from, so that it can be repeated. Rows of earlier versions learn from their own objective only.
 */
export const sql = `
alter table projects
  add column input_names text[], add column input_units text[],
  add column output_names text[], add column output_units text[];
update projects set
  input_names = (select array_agg(name order by position)
    from jsonb_array_elements_text(input_details->'inputNames') with ordinality l (name, position)),
  input_units = (select array_agg(unit order by position)
    from jsonb_array_elements_text(input_details->'inputUnits') with ordinality l (unit, position))
where jsonb_typeof(input_details->'inputNames') = 'array' or jsonb_typeof(input_details->'inputUnits') = 'array';

alter table trials add column revision integer not null default 0;

-- reuse: whether it learns from the inverses of the trial's other objectives.
-- continues_id: the objective that it went on from. fixed_inputs: null where an input is free.
-- constraints: those of its own, as stated, with what they mean.
alter table objectives
  add column reuse boolean not null default false,
  add column continues_id bigint,
  add column fixed_inputs double precision[],
  add column constraints jsonb,
  add column data_revision integer not null default 0;

-- learned_from: null for the trial's cases at revision 0 and the earlier inverses of its own objective; otherwise
--   {"revision": r, "objectives": [[objective id, last iteration], ...]}.
-- expected: the lower ends of the outputs that the model expected, then the upper ends.
alter table inverses
  add column excluded_at timestamptz,
  add column learned_from jsonb,
  add column expected double precision[];

-- Numbered on from the cases of the trial's output case set: the case in row i has the number first_number + i.
-- failed_cases: zero-based rows whose run failed.
create table added_cases (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  trial_id bigint not null references trials (id) on delete cascade,
  revision integer not null,
  first_number integer not null,
  case_count integer not null,
  inputs double precision[] not null,
  outputs double precision[] not null,
  failed_cases integer[] not null,
  source text,
  created_at timestamptz not null default now(),
  constraint added_cases_numbered unique (trial_id, first_number)
);

-- Corrections of a case (case_number, from 1) or of an inverse, in the order of the trial's revisions. An output that is null
-- is that of a failed run.
create table corrections (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  trial_id bigint not null references trials (id) on delete cascade,
  revision integer not null,
  case_number integer,
  objective_id bigint,
  inverse_id bigint,
  iteration integer,
  old_output double precision[],
  old_failure_reason text,
  was_excluded boolean not null,
  new_output double precision[],
  new_failure_reason text,
  is_excluded boolean not null,
  reason text not null,
  corrected_by text not null,
  created_at timestamptz not null default now(),
  constraint corrections_in_order unique (trial_id, revision),
  constraint corrections_of_one_run check ((case_number is null) <> (inverse_id is null))
);
create index corrections_of_cases on corrections (trial_id, case_number, revision) where case_number is not null;
create index corrections_of_inverses on corrections (inverse_id, revision) where inverse_id is not null;

create function project_names_bytes(projects) returns bigint language sql stable
return coalesce(pg_column_size($1.input_names), 0) + coalesce(pg_column_size($1.input_units), 0)
  + coalesce(pg_column_size($1.output_names), 0) + coalesce(pg_column_size($1.output_units), 0);

create function added_cases_bytes(inputs double precision[], outputs double precision[], failed_cases integer[], source text)
returns bigint language sql stable
return 256 + pg_column_size(inputs) + pg_column_size(outputs) + pg_column_size(failed_cases) + coalesce(octet_length(source), 0);

create function correction_bytes(corrections) returns bigint language sql immutable
return 256 + 8 * (coalesce(cardinality($1.old_output), 0) + coalesce(cardinality($1.new_output), 0)) + octet_length($1.reason)
  + coalesce(octet_length($1.old_failure_reason), 0) + coalesce(octet_length($1.new_failure_reason), 0);

create function constraints_bytes(constraints jsonb) returns bigint language sql immutable
return coalesce(octet_length(constraints::text), 0);

-- With what the model expected.
create or replace function inverse_bytes(input_count integer, output_count integer) returns bigint language sql immutable
return 256 + 8 * (input_count + 3 * output_count);

create or replace view stored_data as
select account_id, sum(bytes)::bigint as stored_bytes, sum(records)::bigint as stored_rows from (
  select account_id, model_bytes(name, description) as bytes, 1 as records from models
  union all
  select account_id, project_bytes(input_count, categories, input_cases) + coalesce(pg_column_size(input_details), 0)
    + project_names_bytes(p), 1 from projects p
  union all
  select account_id, output_case_set_bytes(output_cases, failed_cases), 1 from output_case_sets
  union all
  select account_id, trial_bytes(), 1 from trials
  union all
  select account_id, added_cases_bytes(inputs, outputs, failed_cases, source), 1 from added_cases
  union all
  select account_id, correction_bytes(c), 1 from corrections c
  union all
  select account_id, objective_bytes(cardinality(initial_input), cardinality(objectives)) + constraints_bytes(constraints), 1
  from objectives
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

create or replace function count_project() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, project_bytes(input_count, categories, input_cases)
    + coalesce(pg_column_size(input_details), 0) + project_names_bytes(p), 1)
  from projects p where id = new.id;
  return null;
end $$;

create or replace function uncount_projects() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, -sum(project_bytes(input_count, categories, input_cases)
    + coalesce(pg_column_size(input_details), 0) + project_names_bytes((p.*)::projects))::bigint, -count(*))
  from changed p group by account_id;
  return null;
end $$;

-- Details and names may change later: what they were is subtracted before the change, what they are is added after it.
create function count_project_labels() returns trigger language plpgsql as $$
declare
  sign integer := case tg_when when 'BEFORE' then -1 else 1 end;
begin
  perform count_stored(account_id,
    sign * (coalesce(pg_column_size(input_details), 0) + project_names_bytes(p)), 0)
  from projects p where id = new.id;
  return new;
end $$;

create trigger uncount_labels before update of input_details, input_names, input_units, output_names, output_units on projects
  for each row execute function count_project_labels();
create trigger count_labels after update of input_details, input_names, input_units, output_names, output_units on projects
  for each row execute function count_project_labels();

create or replace function count_objectives() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform count_stored(account_id,
    sign * sum(objective_bytes(cardinality(initial_input), cardinality(objectives)) + constraints_bytes(constraints))::bigint,
    sign * count(*))
  from changed group by account_id;
  return null;
end $$;

create function count_added_cases() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, added_cases_bytes(inputs, outputs, failed_cases, source), 1)
  from added_cases where id = new.id;
  return null;
end $$;

create function uncount_added_cases() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, -sum(added_cases_bytes(inputs, outputs, failed_cases, source))::bigint, -count(*))
  from changed group by account_id;
  return null;
end $$;

create function count_corrections() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform count_stored(account_id, sign * sum(correction_bytes((c.*)::corrections))::bigint, sign * count(*))
  from changed c group by account_id;
  return null;
end $$;

create trigger count_added after insert on added_cases
  for each row execute function count_added_cases();
create trigger uncount after delete on added_cases referencing old table as changed
  for each statement execute function uncount_added_cases();
create trigger count_all_added after insert on corrections referencing new table as changed
  for each statement execute function count_corrections();
create trigger uncount after delete on corrections referencing old table as changed
  for each statement execute function count_corrections();

-- What an inverse counts has changed.
delete from account_usage;
insert into account_usage (account_id, stored_bytes, stored_rows) select account_id, stored_bytes, stored_rows from stored_data;

do $$
declare
  grantee text;
begin
  for grantee in
    select distinct a.grantee::regrole::text from pg_class c, aclexplode(c.relacl) a
    where c.oid = 'models'::regclass and a.privilege_type = 'INSERT' and a.grantee not in (0, c.relowner)
  loop
    execute 'grant select, insert, update, delete on added_cases, corrections to ' || grantee;
  end loop;
end $$;
`;
