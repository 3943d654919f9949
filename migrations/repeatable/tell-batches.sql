-- revision 1: raise it with every change of this file
--
-- Whatever happens to an objective of a batch wakes the workers that drive it, whoever wrote it: a request, a worker, a correction or
-- a deletion.
create or replace function tell_batch() returns trigger language plpgsql as $$
begin
  perform pg_notify('backsolve_batches', new.batch_id::text);
  return null;
end $$;

create or replace trigger tell_batch after update of stop_reason, completed_count, data_revision, disabled_at on objectives
  for each row when (new.batch_id is not null and (new.stop_reason, new.completed_count, new.data_revision, new.disabled_at)
    is distinct from (old.stop_reason, old.completed_count, old.data_revision, old.disabled_at))
  execute function tell_batch();
