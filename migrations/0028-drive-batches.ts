/**
 * Whatever happens to an objective of a batch wakes the workers that drive it, whoever wrote it: a request, a worker, a correction or
 * a deletion. Batches and their objectives count as stored data.
 */
export const sql = `
create function tell_batch() returns trigger language plpgsql as $$
begin
  perform pg_notify('backsolve_batches', new.batch_id::text);
  return null;
end $$;

create trigger tell_batch after update of stop_reason, completed_count, data_revision, disabled_at on objectives
  for each row when (new.batch_id is not null and (new.stop_reason, new.completed_count, new.data_revision, new.disabled_at)
    is distinct from (old.stop_reason, old.completed_count, old.data_revision, old.disabled_at))
  execute function tell_batch();

create function batch_bytes(batches) returns bigint language sql immutable
return 512 + coalesce(octet_length($1.name), 0) + octet_length($1.evaluator::text) + coalesce(octet_length($1.failure_reason), 0);

create function batch_objective_bytes(batch_objectives) returns bigint language sql immutable
return 128 + octet_length($1.definition::text) + coalesce(octet_length($1.failure_reason), 0);

create function count_batches() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform count_stored(account_id, sign * sum(batch_bytes((b.*)::batches))::bigint, sign * count(*))
  from changed b group by account_id;
  return null;
end $$;

create function count_batch_objectives() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform count_stored(account_id, sign * sum(batch_objective_bytes((q.*)::batch_objectives))::bigint, sign * count(*))
  from changed q group by account_id;
  return null;
end $$;

create function count_batch_text() returns trigger language plpgsql as $$
begin
  perform count_stored(new.account_id, batch_bytes(new) - batch_bytes(old), 0);
  return null;
end $$;

create function count_batch_objective_text() returns trigger language plpgsql as $$
begin
  perform count_stored(new.account_id, batch_objective_bytes(new) - batch_objective_bytes(old), 0);
  return null;
end $$;

create trigger count_all_added after insert on batches referencing new table as changed
  for each statement execute function count_batches();
create trigger uncount after delete on batches referencing old table as changed
  for each statement execute function count_batches();
create trigger count_text after update of name, failure_reason on batches
  for each row when (old.name is distinct from new.name or old.failure_reason is distinct from new.failure_reason)
  execute function count_batch_text();
create trigger count_all_added after insert on batch_objectives referencing new table as changed
  for each statement execute function count_batch_objectives();
create trigger uncount after delete on batch_objectives referencing old table as changed
  for each statement execute function count_batch_objectives();
create trigger count_text after update of failure_reason on batch_objectives
  for each row when (old.failure_reason is distinct from new.failure_reason) execute function count_batch_objective_text();

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
  select account_id, evaluation_bytes(input) + coalesce(octet_length(failure_reason), 0), 1 from evaluations
  union all
  select account_id, batch_bytes(b), 1 from batches b
  union all
  select account_id, batch_objective_bytes(q), 1 from batch_objectives q
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
`;
