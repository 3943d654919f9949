/**
 * Accounts, what signs in to them, and what bounds and repeats their requests.
 *
 * The first six migrations are the first schema, one file per concern. Functions, views and triggers are in repeatable/.
 */
export const sql = `
-- company to time_zone: of accounts that registered themselves. Such an account is named after its e-mail address, so that the unique
-- name also makes the address unique.
create table accounts (
  id bigint generated always as identity primary key,
  name text not null,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  company text,
  full_name text,
  first_name text,
  last_name text,
  time_zone text,
  updated_at timestamptz not null default now(),
  constraint accounts_name_unique unique (name)
);

-- successor_id: set by a rotation; expires_at is then the end of the overlap.
create table api_keys (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  key_id text not null,
  secret_hash bytea not null,
  label text,
  scopes text[] not null default '{read,write,admin}',
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  successor_id bigint references api_keys (id),
  constraint api_keys_key_id_unique unique (key_id)
);
create index api_keys_account on api_keys (account_id);
create index api_keys_successor on api_keys (successor_id);

-- Sessions of the page in browsers, and the links that begin one. Only a SHA-256 of their tokens is stored.
-- key_id: the key that signed in; null: a link did. last_used_at: up to 20 seconds late.
-- page_hash: of a second secret, which only the page of the session holds: cookies ignore ports, so programs on other ports of the host
-- receive them.
create table browser_sessions (
  id bigint generated always as identity primary key,
  token_hash bytea not null,
  account_id bigint not null references accounts (id),
  key_id bigint references api_keys (id),
  scopes text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  page_hash bytea,
  constraint browser_sessions_token_unique unique (token_hash)
);
create index browser_sessions_account on browser_sessions (account_id, id);
create index browser_sessions_key on browser_sessions (key_id);

create table sign_in_links (
  token_hash bytea not null,
  account_id bigint not null references accounts (id),
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint sign_in_links_primary primary key (token_hash)
);

-- What was answered under a client's Idempotency-Key, kept for 24 hours. outcome: the answer, the refusal, or the inverse that a suggest
-- request opened. The row commits with the business rows. No reference to accounts: every request under a key would lock
-- the row of its account, for a reference that nothing can break.
create table idempotency_keys (
  account_id bigint not null,
  key text not null,
  method text not null,
  path text not null,
  fingerprint bytea not null,
  outcome json not null,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_primary primary key (account_id, key, method, path)
);
-- The position of a key in time, in sixteenths of a second, for the count of storage and the purge.
create index idempotency_keys_position on idempotency_keys (((extract(epoch from created_at at time zone 'UTC') * 16)::bigint));

-- One row per account or address: requests handed out in its window, and the window's end in milliseconds since 1970, as the library
-- that counts wants it. Not logged: after a crash of the server counting starts over.
create unlogged table rate_limits (
  key text not null,
  points integer not null,
  expire bigint not null,
  constraint rate_limits_primary primary key (key)
) with (fillfactor = 50);

-- Which text of each repeatable migration the database has.
create table repeatable_migrations (
  name text primary key,
  revision integer not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);
`;
