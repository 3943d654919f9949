/**
 * Read-only links to one objective or to its report. Only a hash of the token is stored. A link to a report keeps the files as they were
 * made: neither later changes nor another release of the program would make the same bytes.
 *
 * People who are told by e-mail are receivers of events like webhooks, and their e-mails are deliveries. objective_id: only of this one.
 * confirmed_at: when the person agreed; nothing but the question is sent before. secret: their links are derived from it.
 */
export const sql = `
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

alter table webhooks
  add column kind text not null default 'http' constraint webhooks_kind_known check (kind in ('http', 'mail')),
  add column objective_id bigint references objectives (id),
  add column confirmed_at timestamptz;
create unique index webhooks_people on webhooks (account_id, url, coalesce(objective_id, 0)) where kind = 'mail';
create index webhooks_objective on webhooks (objective_id) where objective_id is not null;
`;
