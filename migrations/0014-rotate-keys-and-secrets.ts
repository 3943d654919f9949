/** What a rotation leaves behind: which key took the place of another, and the older secrets of a webhook. */
export const sql = `
-- Set by a rotation; the row's expires_at is then the end of the overlap.
alter table api_keys add column successor_id bigint references api_keys (id);
create index api_keys_successor on api_keys (successor_id);

-- Secrets that a webhook's deliveries are signed with besides webhooks.secret, until "until". Containers of the version before
-- sign with webhooks.secret alone.
create table webhook_previous_secrets (
  account_id bigint not null references accounts (id),
  webhook_id bigint not null references webhooks (id) on delete cascade,
  secret bytea not null,
  until timestamptz not null,
  constraint webhook_previous_secrets_primary primary key (webhook_id, until, secret)
);
`;
