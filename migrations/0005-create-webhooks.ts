/** Webhooks and people who are told by e-mail, the outbox of events, one delivery per event and receiver that takes it, and shared links. */
export const sql = `
-- People who are told by e-mail are receivers of events like webhooks, and their e-mails are deliveries.
-- event_names null: every event. failing_since: set while the last attempt of any delivery failed. objective_id: only of this one.
-- confirmed_at: when the person agreed; nothing but the question is sent before. secret: the links in e-mails are derived from it.
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
  updated_at timestamptz not null default now(),
  kind text not null default 'http' constraint webhooks_kind_known check (kind in ('http', 'mail')),
  objective_id bigint references objectives (id),
  confirmed_at timestamptz
);
create index webhooks_account on webhooks (account_id, id);
create unique index webhooks_people on webhooks (account_id, url, coalesce(objective_id, 0)) where kind = 'mail';
create index webhooks_objective on webhooks (objective_id) where objective_id is not null;

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

-- Read-only links to one objective or to its report. Only a hash of the token is stored. A link to a report keeps the files as they were
-- made: neither later changes nor another release of the program would make the same bytes.
create table shared_links (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  objective_id bigint not null references objectives (id),
  token_hash bytea not null unique,
  kind text not null,
  label text,
  created_by text not null,
  file_name text,
  html bytea,
  pdf bytea,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  constraint shared_links_kind_known check (kind in ('objective', 'report')),
  constraint shared_links_report_kept check (
    (kind = 'report') = (html is not null) and (html is null) = (pdf is null) and (html is null) = (file_name is null))
);
-- It is compressed already.
alter table shared_links alter column pdf set storage external;
create index shared_links_account on shared_links (account_id, id);
create index shared_links_objective on shared_links (objective_id, id);
`;
