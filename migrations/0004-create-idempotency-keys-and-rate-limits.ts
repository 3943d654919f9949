/** What was answered under a client's Idempotency-Key, kept for 24 hours, and how often keys were used lately. */
export const sql = `
-- outcome: the answer, the refusal, or the step that a suggest request opened. The row commits with the business rows.
create table idempotency_keys (
  account_id bigint not null references accounts (id),
  key text not null,
  method text not null,
  path text not null,
  fingerprint bytea not null,
  outcome json not null,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_primary primary key (account_id, key, method, path)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- One row per API key: requests handed out in its window, and the window's end in milliseconds since 1970, as the library
-- that counts wants it. Not logged: after a crash of the server counting begins anew, and that is all.
create unlogged table rate_limits (
  key text not null,
  points integer not null,
  expire bigint not null,
  constraint rate_limits_primary primary key (key)
) with (fillfactor = 50);
`;
