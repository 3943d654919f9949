/** Webhooks, the outbox of events, and one delivery per event and webhook that takes it. */
export const sql = `
-- event_names null: every event. failing_since: set while the last attempt of any delivery failed.
create table webhooks (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  url text not null,
  description text,
  event_names text[],
  secret bytea not null,
  enabled boolean not null default true,
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhooks_account on webhooks (account_id, id);

-- Secrets that a webhook's deliveries are signed with besides webhooks.secret, until "until".
create table webhook_previous_secrets (
  account_id bigint not null references accounts (id),
  webhook_id bigint not null references webhooks (id) on delete cascade,
  secret bytea not null,
  until timestamptz not null,
  constraint webhook_previous_secrets_primary primary key (webhook_id, until, secret)
);

-- resource_id names the record that the event's name tells the kind of; the payload is rendered when it is sent.
create table events (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  name text not null,
  resource_id bigint not null,
  created_at timestamptz not null default now()
);
create index events_resource on events (resource_id);

-- visible_at: when a waiting delivery may be claimed, or when the lease of a leased one expires.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  webhook_id bigint not null references webhooks (id) on delete cascade,
  event_id bigint not null references events (id) on delete cascade,
  state text not null default 'waiting',
  attempts integer not null default 0,
  visible_at timestamptz not null default now(),
  lease_token uuid,
  leased_by text,
  attempted_at timestamptz,
  last_status integer,
  last_error text,
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  constraint webhook_deliveries_one_per_event unique (event_id, webhook_id),
  constraint webhook_deliveries_state_known check (state in ('waiting', 'leased', 'delivered', 'dead')),
  constraint webhook_deliveries_token_while_leased check ((state = 'leased') = (lease_token is not null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_open on webhook_deliveries (webhook_id, visible_at, id)
  where state in ('waiting', 'leased');
-- A claim counts the deliveries of a webhook that are leased; few are at a time, and many may wait for another attempt.
create index webhook_deliveries_leased on webhook_deliveries (webhook_id, visible_at) where state = 'leased';
-- Otherwise every delivery under way is read to find those whose attempts are used up.
create index webhook_deliveries_exhausted on webhook_deliveries (visible_at)
  where state in ('waiting', 'leased') and attempts >= 9;
`;
