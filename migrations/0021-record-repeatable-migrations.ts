/** Which repeatable migrations were applied, and an index for what a worker looks for every few seconds. */
export const sql = `
create table repeatable_migrations (
  name text primary key,
  revision integer not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);

-- Otherwise every delivery under way is read to find those whose attempts are used up.
create index webhook_deliveries_exhausted on webhook_deliveries (visible_at)
  where state in ('waiting', 'leased') and attempts >= 9;

-- A role that serves reads this table to see whether the schema is up to date.
do $$
declare
  grantee text;
begin
  for grantee in
    select distinct a.grantee::regrole::text from pg_class c, aclexplode(c.relacl) a
    where c.oid = 'models'::regclass and a.privilege_type = 'INSERT' and a.grantee not in (0, c.relowner)
  loop
    execute 'grant select on repeatable_migrations to ' || grantee;
  end loop;
end $$;
`;
