/**
 * Rights that somebody gave end with the rights of whoever gave them, and memberships that groups of the OpenID provider gave count for a
 * time after each sign-in there: whoever has left the organization does not sign in any more.
 */
export const sql = `
-- group_role: what the groups gave at the last sign-in; null: nothing. is_edited: an owner has changed the role, which groups then leave.
-- counts_until: afterwards the membership is kept but gives no rights; null: it does not depend on sign-ins.
alter table memberships
  add column group_role text,
  add column is_edited boolean not null default false,
  add column counts_until timestamptz;
update memberships set group_role = role, counts_until = now() + interval '7 days' where is_by_group;

-- created_by_key: with which it was made. lent_by, lent_key: of the session in which it was made, as below.
alter table invitations
  add column created_by_key bigint references api_keys (id),
  add column lent_by bigint references people (id),
  add column lent_key bigint references api_keys (id);

-- The owner who made the sign-in link for the person, and the key that owner used; null: nobody else let the person in.
alter table sign_in_links
  add column lent_by bigint references people (id),
  add column lent_key bigint references api_keys (id);
alter table browser_sessions
  add column lent_by bigint references people (id),
  add column lent_key bigint references api_keys (id);

-- Deleting a person or a key looks for what rests on them.
create index invitations_created_by_key on invitations (created_by_key) where created_by_key is not null;
create index invitations_lent_by on invitations (lent_by) where lent_by is not null;
create index invitations_lent_key on invitations (lent_key) where lent_key is not null;
create index sign_in_links_lent_by on sign_in_links (lent_by) where lent_by is not null;
create index sign_in_links_lent_key on sign_in_links (lent_key) where lent_key is not null;
create index browser_sessions_lent_by on browser_sessions (lent_by) where lent_by is not null;
create index browser_sessions_lent_key on browser_sessions (lent_key) where lent_key is not null;

-- Who made it, as records name them; null: an operator, or an earlier release.
alter table api_keys add column created_by text;
`;
