/**
 * Evaluations are claimed along the open batches of an account, counted as stored data, and read by state. The claim itself is in
 * repeatable/claim-evaluations.sql.
 */
export const sql = `
drop index evaluations_claimable;
create index evaluations_claimable on evaluations (batch_id, visible_at, id) where state in ('waiting', 'leased');
-- For expired leases, whichever batch they are of.
create index evaluations_leased on evaluations (visible_at) where state = 'leased';
create index batches_open on batches (account_id, id) where status in ('evaluating-cases', 'solving') and not is_paused;
create index batches_pushed on batches (id)
  where status in ('evaluating-cases', 'solving') and not is_paused and evaluator->>'kind' = 'http';

-- From the beginning as large as with its output, and with room for its evaluator and its message.
create function evaluation_bytes(input double precision[]) returns bigint language sql immutable
return 768 + 16 * cardinality(input);

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

create function count_evaluations() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform count_stored(account_id,
    sign * sum(evaluation_bytes(input) + coalesce(octet_length(failure_reason), 0))::bigint, sign * count(*))
  from changed group by account_id;
  return null;
end $$;

create trigger count_all_added after insert on evaluations referencing new table as changed
  for each statement execute function count_evaluations();
create trigger uncount after delete on evaluations referencing old table as changed
  for each statement execute function count_evaluations();
create trigger count_failure_reason after update of failure_reason on evaluations
  for each row when (new.failure_reason is distinct from old.failure_reason) execute function count_failure_reason();
`;
