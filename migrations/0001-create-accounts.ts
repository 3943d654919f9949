/**
 * Accounts, people, keys and sessions, what bounds and repeats requests, and drafts of the page.
 *
 * The first six migrations are the first schema, one file per concern. Functions, views and triggers are in repeatable/.
 */
export const sql = `
-- issuer, subject: as whom the OpenID provider knows the person; null: nobody has signed in by it.
create table people (
  id bigint generated always as identity primary key,
  name text not null,
  email text,
  issuer text,
  subject text,
  created_at timestamptz not null default now(),
  constraint people_subject_unique unique (issuer, subject)
);

-- company to time_zone: of accounts that registered themselves. Such an account is named after its e-mail address, so that the unique
-- name also makes the address unique.
-- invitation_id: that opened the account. No reference: invitations refer to accounts, and a backup restores one table after the other.
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
  invitation_id bigint,
  constraint accounts_name_unique unique (name)
);
create index accounts_invitation on accounts (invitation_id) where invitation_id is not null;

-- Keys and sessions may belong to a person: they then end with the membership, and have no more rights than its role. is_bound: counts
-- in its account only, although the person is a member of others: it was not the person who began it, or may not have been.
-- successor_id: set by a rotation; expires_at is then the end of the overlap.
-- created_by: who made it, as records name them; null: an operator.
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
  person_id bigint references people (id),
  is_bound boolean not null default true,
  created_by text,
  constraint api_keys_key_id_unique unique (key_id)
);
create index api_keys_account on api_keys (account_id);
create index api_keys_successor on api_keys (successor_id);
create index api_keys_person on api_keys (person_id) where person_id is not null;

-- Sessions of the page in browsers, and the links that begin one. Only a SHA-256 of their tokens is stored.
-- key_id: the key that signed in; null: a link did. last_used_at: up to 20 seconds late.
-- page_hash: of a second secret, which only the page of the session holds: cookies ignore ports, so programs on other ports of the host
-- receive them.
-- lent_by, lent_key: of the sign-in link that began it.
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
  person_id bigint references people (id),
  is_bound boolean not null default true,
  browser text,
  lent_by bigint references people (id),
  lent_key bigint references api_keys (id),
  constraint browser_sessions_token_unique unique (token_hash)
);
create index browser_sessions_account on browser_sessions (account_id, id);
create index browser_sessions_key on browser_sessions (key_id);
create index browser_sessions_person on browser_sessions (person_id) where person_id is not null;
create index browser_sessions_lent_by on browser_sessions (lent_by) where lent_by is not null;
create index browser_sessions_lent_key on browser_sessions (lent_key) where lent_key is not null;

-- lent_by, lent_key: the owner who made the link for the person, and the key that owner used; null: nobody else let the person in. Rights
-- that somebody gave end with the rights of whoever gave them.
create table sign_in_links (
  token_hash bytea not null,
  account_id bigint not null references accounts (id),
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  person_id bigint references people (id),
  is_bound boolean not null default true,
  lent_by bigint references people (id),
  lent_key bigint references api_keys (id),
  constraint sign_in_links_primary primary key (token_hash)
);
create index sign_in_links_person on sign_in_links (person_id) where person_id is not null;
create index sign_in_links_lent_by on sign_in_links (lent_by) where lent_by is not null;
create index sign_in_links_lent_key on sign_in_links (lent_key) where lent_key is not null;

-- is_by_group: the groups of the OpenID provider gave it, and take it away. group_role: what they gave at the last sign-in; null: nothing.
-- is_edited: an owner has changed the role, which groups then leave. counts_until: afterwards the membership is kept but gives no rights,
-- as whoever has left the organization does not sign in any more; null: it does not depend on sign-ins.
create table memberships (
  account_id bigint not null references accounts (id),
  person_id bigint not null references people (id),
  role text not null,
  is_by_group boolean not null default false,
  created_at timestamptz not null default now(),
  group_role text,
  is_edited boolean not null default false,
  counts_until timestamptz,
  constraint memberships_primary primary key (account_id, person_id)
);
create index memberships_person on memberships (person_id, account_id);

-- Only a SHA-256 of the token is stored.
-- opens: 'this account', or 'an account for each' who accepts it, in which whoever made the invitation has the role inviter_role.
-- maximum_uses: null for any number. created_by_key: with which it was made. lent_by, lent_key: of the session in which it was made.
create table invitations (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  token_hash bytea not null,
  opens text not null,
  role text not null,
  inviter_role text,
  label text,
  created_by bigint references people (id),
  created_by_name text not null,
  maximum_uses integer,
  uses integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_by_key bigint references api_keys (id),
  lent_by bigint references people (id),
  lent_key bigint references api_keys (id),
  constraint invitations_token_unique unique (token_hash)
);
create index invitations_account on invitations (account_id, id);
create index invitations_creator on invitations (created_by);
create index invitations_created_by_key on invitations (created_by_key) where created_by_key is not null;
create index invitations_lent_by on invitations (lent_by) where lent_by is not null;
create index invitations_lent_key on invitations (lent_key) where lent_key is not null;

-- Sign-ins that are under way at the OpenID provider. The browser keeps the token in a cookie.
create table openid_sign_ins (
  token_hash bytea not null,
  state text not null,
  nonce text not null,
  code_verifier text not null,
  invitation_hash bytea,
  return_to text not null,
  expires_at timestamptz not null,
  constraint openid_sign_ins_primary primary key (token_hash)
);

-- What a person typed on the page and has not sent yet, so that it survives the browser: one draft for each subject and browser. They are
-- few and small, and end by themselves; they are neither counted nor exported.
create table page_drafts (
  account_id bigint not null references accounts (id),
  subject text not null,
  writer text not null,
  objective_id bigint,
  inverse_id bigint,
  text text not null,
  updated_at timestamptz not null default now(),
  primary key (account_id, subject, writer)
);
create index page_drafts_objective on page_drafts (objective_id) where objective_id is not null;

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
