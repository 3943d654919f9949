/**
 * Notes on objectives and their runs, each with a text, a file or both. A file is in its note or, by its key, in a store of objects. Notes
 * that corrections hold become notes of their own: the newest of each run, unless it is empty.
 *
 * counts_from: when the retention period of a deleted note begins; -infinity to purge it immediately.
 *
 * A key of a store is in file_removals before its file is stored, and again once its note is gone: whatever is there when it is due is
 * removed from the store, so that a crash leaves no file behind.
 */
export const sql = `
create table notes (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  objective_id bigint not null references objectives (id),
  inverse_id bigint,
  iteration integer,
  text text not null,
  written_by text not null,
  created_at timestamptz not null default now(),
  edited_by text,
  edited_at timestamptz,
  disabled_at timestamptz,
  counts_from timestamptz,
  file_name text,
  file_type text,
  file_bytes integer,
  content bytea,
  storage_key text,
  thumbnail bytea,
  constraint notes_count_once_deleted check ((disabled_at is null) = (counts_from is null)),
  constraint notes_of_run check ((inverse_id is null) = (iteration is null)),
  constraint notes_file_is_whole check (num_nulls(file_name, file_type, file_bytes) in (0, 3)
    and num_nonnulls(content, storage_key) = num_nonnulls(file_name) and (thumbnail is null or file_name is not null))
);
-- Photos and archives are compressed already.
alter table notes alter column content set storage external, alter column thumbnail set storage external;
create index notes_objective on notes (objective_id, id);
create index notes_of_runs on notes (inverse_id, id) where inverse_id is not null;
create index notes_due on notes (counts_from) where counts_from is not null;

create table file_removals (
  storage_key text primary key,
  due_at timestamptz not null
);
create index file_removals_due on file_removals (due_at);

create function remove_file() returns trigger language plpgsql as $$
begin
  insert into file_removals (storage_key, due_at) values (old.storage_key, now()) on conflict (storage_key) do nothing;
  return null;
end $$;
create trigger remove_file after delete on notes
  for each row when (old.storage_key is not null) execute function remove_file();

insert into notes (account_id, objective_id, inverse_id, iteration, text, written_by, created_at)
select c.account_id, c.objective_id, c.inverse_id, c.iteration, c.reason, c.corrected_by, c.created_at
from (select distinct on (inverse_id) * from corrections where is_note order by inverse_id, revision desc) c
join objectives o on o.id = c.objective_id
where c.reason <> '' order by c.id;
`;
