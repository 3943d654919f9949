-- revision 1: raise it with every change of this file
--
-- Puts the key of a file that is in a store of objects into file_removals once its note is gone.
create or replace function remove_file() returns trigger language plpgsql as $$
begin
  insert into file_removals (storage_key, due_at) values (old.storage_key, now()) on conflict (storage_key) do nothing;
  return null;
end $$;

create or replace trigger remove_file after delete on notes
  for each row when (old.storage_key is not null) execute function remove_file();
