/** Storage is counted by the schedule (application/accounts/count-storage.ts), no longer by triggers. */
export const sql = `
do $$
declare
  f regprocedure;
begin
  for f in
    select p.oid from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and (p.proname ~ '^(count|uncount|recount)_' or p.proname ~ '_bytes$' or p.proname = 'inverse_lot')
  loop
    if exists (select from pg_proc where oid = f) then execute 'drop function ' || f || ' cascade'; end if;
  end loop;
end $$;
drop table account_usage;

-- What each account stores: the sum over its rows in storage_counts, as of their last counts.
create table account_usage (
  account_id bigint not null references accounts (id),
  stored_bytes bigint not null,
  stored_rows bigint not null,
  constraint account_usage_primary primary key (account_id)
) with (fillfactor = 50);

-- Records are counted in slices of a table, each of 16384 positions (ids) of the view stored_records.
-- through: the highest position counted. grown_at: when a count last found a higher one.
create table storage_slices (
  kind text not null,
  slice bigint not null,
  counted_at timestamptz not null,
  grown_at timestamptz not null,
  through bigint not null,
  constraint storage_slices_primary primary key (kind, slice)
) with (fillfactor = 50);

create table storage_counts (
  kind text not null,
  slice bigint not null,
  account_id bigint not null,
  bytes bigint not null,
  rows bigint not null,
  constraint storage_counts_primary primary key (kind, slice, account_id)
);

-- Slices that lost records or whose records changed their size since their last count. Duplicates are harmless.
create table storage_changes (
  kind text not null,
  slice bigint not null
);

-- A position in time, in sixteenths of a second.
drop index idempotency_keys_created;
create index idempotency_keys_position on idempotency_keys (((extract(epoch from created_at at time zone 'UTC') * 16)::bigint));
`;
