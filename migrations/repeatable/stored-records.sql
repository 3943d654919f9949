-- revision 7: raise it with every change of this file
--
-- What every record that counts as storage takes, in bytes, and whether it counts as a row. Storage is counted from this view alone,
-- in ranges of positions, which an index of each table serves. kind: the table. A new table of an account needs a part here and in
-- src/db/accounts/account-usage.ts.
--
-- The constants stand for row headers, index entries and columns of fixed size. pg_column_size tells what a value takes in its row
-- or, compressed and moved out of the row, on disk, and does not read a value that was moved.
drop view if exists stored_records;
create view stored_records (kind, position, account_id, bytes, rows) as
select 'models', id, account_id, 256 + octet_length(name) + coalesce(octet_length(description), 0), 1 from models
union all
select 'projects', id, account_id,
  1024 + 32 * input_count + pg_column_size(categories) + pg_column_size(input_cases) + coalesce(pg_column_size(input_details), 0)
    + coalesce(pg_column_size(input_names), 0) + coalesce(pg_column_size(input_units), 0)
    + coalesce(pg_column_size(output_names), 0) + coalesce(pg_column_size(output_units), 0)
    + coalesce(pg_column_size(sources), 0),
  1
from projects
union all
select 'output_case_sets', id, account_id, 512 + pg_column_size(output_cases) + pg_column_size(failed_cases)
    + coalesce(pg_column_size(jacobians), 0), 1
from output_case_sets
union all
select 'trials', id, account_id, 256, 1 from trials
union all
select 'added_cases', id, account_id,
  256 + pg_column_size(inputs) + pg_column_size(outputs) + pg_column_size(failed_cases) + coalesce(pg_column_size(source), 0)
    + coalesce(pg_column_size(jacobians), 0), 1
from added_cases
union all
select 'corrections', id, account_id,
  256 + coalesce(pg_column_size(old_output), 0) + coalesce(pg_column_size(new_output), 0) + pg_column_size(reason)
    + coalesce(pg_column_size(old_failure_reason), 0) + coalesce(pg_column_size(new_failure_reason), 0)
    + coalesce(pg_column_size(old_jacobian), 0) + coalesce(pg_column_size(new_jacobian), 0),
  1
from corrections
union all
select 'objectives', id, account_id,
  512 + 8 * cardinality(initial_input) + 48 * cardinality(objectives)
    + coalesce(pg_column_size(constraints), 0) + coalesce(pg_column_size(options), 0) + coalesce(octet_length(label), 0),
  1
from objectives
union all
select 'explanations', objective_id, account_id,
  128 + coalesce(pg_column_size(insight), 0) + coalesce(pg_column_size(diagnosis), 0) + coalesce(pg_column_size(standing), 0)
    + coalesce(pg_column_size(advice), 0), 0
from explanations
union all
select 'inverses', id, account_id,
  192 + coalesce(pg_column_size(input), 0) + coalesce(pg_column_size(output), 0) + coalesce(pg_column_size(expected), 0)
    + coalesce(pg_column_size(jacobian), 0)
    + coalesce(pg_column_size(learned_from), 0) + coalesce(pg_column_size(pending), 0)
    + coalesce(pg_column_size(failure_reason), 0) + coalesce(octet_length(requested_by), 0) + coalesce(octet_length(loaded_by), 0),
  1
from inverses
union all
select 'batches', id, account_id,
  512 + coalesce(pg_column_size(name), 0) + pg_column_size(evaluator) + coalesce(pg_column_size(failure_reason), 0), 1
from batches
union all
select 'batch_objectives', batch_id, account_id,
  128 + pg_column_size(definition) + coalesce(pg_column_size(failure_reason), 0), 1
from batch_objectives
union all
select 'evaluations', id, account_id,
  512 + pg_column_size(input) + coalesce(pg_column_size(output), 0) + coalesce(pg_column_size(jacobian), 0) + coalesce(pg_column_size(message), 0)
    + coalesce(pg_column_size(failure_reason), 0),
  1
from evaluations
union all
select 'workbooks', id, account_id, 256 + octet_length(name) + pg_column_size(content) + pg_column_size(cells), 1 from workbooks
union all
select 'shared_links', id, account_id,
  512 + coalesce(octet_length(label), 0) + coalesce(pg_column_size(html), 0) + coalesce(pg_column_size(pdf), 0), 1
from shared_links
union all
-- A file counts wherever it is.
select 'notes', id, account_id, 256 + pg_column_size(text) + coalesce(file_bytes, 0) + coalesce(pg_column_size(thumbnail), 0), 1 from notes
union all
select 'webhooks', id, account_id, 1024, 1 from webhooks
union all
-- With its deliveries.
select 'events', id, account_id,
  192 + 320 * (select count(*) from webhook_deliveries d where d.event_id = e.id), 0
from events e
union all
-- Small answers are the rule and expire within a day: the rate limit bounds them.
select 'idempotency_keys', (extract(epoch from created_at at time zone 'UTC') * 16)::bigint, account_id,
  case when pg_column_size(outcome) > 1024 then 256 + pg_column_size(outcome) else 0 end, 0
from idempotency_keys;
