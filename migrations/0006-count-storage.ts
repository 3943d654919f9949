/** What accounts store, as a worker counts it (src/db/accounts/account-usage.ts). */
export const sql = `
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
`;
