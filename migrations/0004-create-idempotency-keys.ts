/** What was answered under a client's Idempotency-Key, kept for 24 hours. */
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
`;
