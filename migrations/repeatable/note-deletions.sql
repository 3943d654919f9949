-- revision 1: raise it with every change of this file
--
-- Records every deletion of a record by itself in the table deletions, so that what it covers is purged when its time has come. What falls
-- with it is not recorded.
--
-- A parent is disabled before its children, in the same transaction.
create or replace function note_deletion() returns trigger language plpgsql as $$
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

create or replace trigger note_deletion after update of disabled_at on models
  for each row when (old.disabled_at is null and new.disabled_at is not null) execute function note_deletion('model');
create or replace trigger note_deletion after update of disabled_at on projects
  for each row when (old.disabled_at is null and new.disabled_at is not null) execute function note_deletion('project');
create or replace trigger note_deletion after update of disabled_at on trials
  for each row when (old.disabled_at is null and new.disabled_at is not null) execute function note_deletion('trial');
create or replace trigger note_deletion after update of disabled_at on objectives
  for each row when (old.disabled_at is null and new.disabled_at is not null) execute function note_deletion('objective');
