/**
 * People, what they may do in each account, and the links that invite them. Keys and sessions may belong to a person: they then end with
 * the membership, and have no more rights than its role. Runs say who asked for them and who loaded their output.
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

-- is_by_group: the groups of the OpenID provider gave it, and take it away.
create table memberships (
  account_id bigint not null references accounts (id),
  person_id bigint not null references people (id),
  role text not null,
  is_by_group boolean not null default false,
  created_at timestamptz not null default now(),
  constraint memberships_primary primary key (account_id, person_id)
);
create index memberships_person on memberships (person_id, account_id);

-- Only a SHA-256 of the token is stored.
-- opens: 'this account', or 'an account for each' who accepts it, in which whoever made the invitation has the role inviter_role.
-- maximum_uses: null for any number.
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
  constraint invitations_token_unique unique (token_hash)
);
create index invitations_account on invitations (account_id, id);
create index invitations_creator on invitations (created_by);

-- The invitation that opened the account. No reference: invitations refer to accounts, and a backup restores one table after the other.
alter table accounts add column invitation_id bigint;
create index accounts_invitation on accounts (invitation_id) where invitation_id is not null;

-- is_bound: counts in its account only, although the person is a member of others: it was not the person who began it, or may not have been.
alter table api_keys add column person_id bigint references people (id);
alter table api_keys add column is_bound boolean not null default true;
create index api_keys_person on api_keys (person_id) where person_id is not null;
alter table browser_sessions add column person_id bigint references people (id);
alter table browser_sessions add column is_bound boolean not null default true;
alter table browser_sessions add column browser text;
create index browser_sessions_person on browser_sessions (person_id) where person_id is not null;
alter table sign_in_links add column person_id bigint references people (id);
alter table sign_in_links add column is_bound boolean not null default true;
create index sign_in_links_person on sign_in_links (person_id) where person_id is not null;

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

-- Who asked for the run, and who loaded its output, as they were called then; null: nobody did, or an earlier release stored it.
alter table inverses add column requested_by text;
alter table inverses add column loaded_by text;
`;
