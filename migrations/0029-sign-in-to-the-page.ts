/** Sessions of the page in browsers, and the links that begin one. Of their tokens only a SHA-256 is stored. */
export const sql = `
-- key_id: the key that signed in; null: a link did. last_used_at: up to 20 seconds late.
create table browser_sessions (
  id bigint generated always as identity primary key,
  token_hash bytea not null,
  account_id bigint not null references accounts (id),
  key_id bigint references api_keys (id),
  scopes text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
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

do $$
declare
  grantee text;
begin
  for grantee in
    select distinct a.grantee::regrole::text from pg_class c, aclexplode(c.relacl) a
    where c.oid = 'models'::regclass and a.privilege_type = 'INSERT' and a.grantee not in (0, c.relowner)
  loop
    execute 'grant select, insert, update, delete on browser_sessions, sign_in_links to ' || grantee;
  end loop;
end $$;
`;
