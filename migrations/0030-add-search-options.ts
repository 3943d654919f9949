/** Options of the search of an objective. */
export const sql = `
-- options: what the client asked of the search beyond the targets, by the names of the interface; null when it asked for nothing.
alter table objectives add column options jsonb;

-- The constraints and the options of an objective.
create function stated_bytes(objectives) returns bigint language sql immutable
return constraints_bytes($1.constraints) + coalesce(octet_length($1.options::text), 0);

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
  select account_id, objective_bytes(cardinality(initial_input), cardinality(objectives)) + stated_bytes(o), 1
  from objectives o
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

create or replace function count_objectives() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform count_stored(account_id,
    sign * sum(objective_bytes(cardinality(initial_input), cardinality(objectives)) + stated_bytes((c.*)::objectives))::bigint,
    sign * count(*))
  from changed c group by account_id;
  return null;
end $$;
`;
